import TestSupport
import Testing

/// A shell that completes words for the command.
enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// What the shell offers for each line, the cursor at its end, in a folder of partial files and others.
  func offers(for lines: [String]) throws -> [[String]] {
    try Self.run("complete.\(self)", self, lines).map { Set($0.map(plain)).sorted() }
  }

  /// The words behind the command's name that a line becomes by completion, in a real, interactive bash.
  static func bashInserts(_ lines: [String]) throws -> [[String]] { try run("insert.zsh", .bash, lines) }

  private static func run(_ program: String, _ shell: Shell, _ lines: [String]) throws -> [[String]] {
    let folder = try TemporaryFolder()
    let place = try folder.makeFolder("place")
    for name in ["a.part", "a.part.json", "b.iso", "c d.part", "x:y.part"] {
      try folder.write(name, to: "place/\(name)")
    }
    try folder.makeFolder("place/sub")
    try folder.write("e", to: "place/sub/e.part")
    // zsh finds the function by the file's name.
    try folder.write(CommandRunner.swoop("--generate", shell.rawValue).run().output, to: "_swoop")

    let tests = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    var runner = CommandRunner("/\(tests)/Shells/\(program)", [folder.path("_swoop")] + lines)
    runner.workingDirectory = place
    runner.environment = ["HOME": folder.path, "XDG_CONFIG_HOME": nil]
    let result = try runner.run()
    try #require(result.exitCode == 0, "\(result.error)")
    #expect(result.error.isEmpty, "\(result.error)")
    return try split(result.output, count: lines.count)
  }

  /// Each line's words end with an empty line.
  private static func split(_ output: String, count: Int) throws -> [[String]] {
    var all: [[String]] = [[]]
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.isEmpty { all.append([]) } else { all[all.count - 1].append(String(line)) }
    }
    try #require(all.count == count + 1, "\(output)")
    return all.dropLast()
  }

  /// As the name or word is: shells differ in quoting, in the slash behind folders, and in whether the option that a
  /// value belongs to is a part of what is offered.
  private func plain(_ word: String) -> String {
    var word = word.replacing("\\", with: "")
    if word.hasPrefix("--"), let sign = word.firstIndex(of: "=") { word = String(word[word.index(after: sign)...]) }
    return word.hasSuffix("/") ? String(word.dropLast()) : word
  }
}
