import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `verify -c SUMS`, and `verify --checksum-file SUMS FILE...`.
@Suite(.waiting) struct VerifyListTests {
  private let folder: TemporaryFolder
  private let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  init() throws {
    folder = try TemporaryFolder()
    for name in ["one", "two", "-three", "a\\b\nc"] { try folder.write("", to: name) }
    try folder.makeFolder("sub")
    try folder.write("x", to: "sub/one")
  }

  private func verify(_ list: String, _ words: String...) throws -> CommandResult {
    var runner = CommandRunner.swoop(["verify"] + words, in: folder)
    runner.input = .bytes(Array(list.utf8))
    return try runner.run()
  }

  @Test(arguments: [["-c", "-"], ["-c-"], ["--checksum-file", "-"], ["--checksum-file=-"], ["-qc", "-"]])
  func allOfAList(words: [String]) throws {
    var runner = CommandRunner.swoop(["verify"] + words, in: folder)
    let list = "# all\n\(empty)  one\n\(empty) *./two\nSHA256 (-three) = \(empty)\n\\\(empty)  a\\\\b\\nc\n"
    runner.input = .bytes(Array(list.utf8))
    let result = try runner.run()
    #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
    let expected = "one: OK\ntwo: OK\n-three: OK\n\\a\\\\b\\nc: OK\n"
    #expect(result.output == (words.contains("-qc") ? "" : expected))
  }

  /// md5sum and sha256sum take the same names for the same files.
  @Test func agreesWithTheSystemsOwnCommands() throws {
    for (command, options) in [("sha256sum", []), ("sha512sum", ["--tag"]), ("md5sum", ["-b"]), ("b2sum", ["--tag"])] {
      let words = options + ["--", "one", "two", "-three", "a\\b\nc", "sub/one"]
      var runner = CommandRunner(command, words)
      runner.workingDirectory = folder.path
      let list = try runner.run().output
      let result = try verify(list, "-c", "-")
      #expect(result.exitCode == 0 && result.output.count(of: ": OK\n") == 5, "\(command): \(result.error)")
    }
  }

  @Test func oneThatIsWrongWeighsMoreThanOneThatIsMissing() throws {
    let wrong = try verify("\(empty)  one\n\(empty)  nothing\n\(empty)  sub/one\n\(empty)  two\n", "-c", "-")
    #expect(wrong.exitCode == 5, "\(wrong.error)")
    #expect(wrong.output == "one: OK\nnothing: FAILED open or read\nsub/one: FAILED\ntwo: OK\n")
    #expect(wrong.error.count(of: "swoop: error: ") == 2)
    #expect(wrong.error.hasSuffix("\nswoop: warning: of 4 files 1 does not match, 1 could not be read\n"))
    let missing = try verify("\(empty)  one\n\(empty)  nothing\n\(empty)  sub\n", "-c", "-", "-q")
    #expect(missing.exitCode == 7 && missing.output == "nothing: FAILED open or read\nsub: FAILED open or read\n")
  }

  @Test func theFilesThatAreNamed() throws {
    let list = "\(empty)  one\n\(empty)  two\n\(empty)  three\n"
    let result = try verify(list, "--checksum-file", "-", "two", "./one")
    #expect(result.exitCode == 0 && result.output == "two: OK\n./one: OK\n", "\(result.error)")
    // The name is that of the file; it is another file all the same.
    let other = try verify(list, "--checksum-file", "-", "sub/one")
    #expect(other.exitCode == 5 && other.output == "sub/one: FAILED\n", "\(other.error)")
    #expect(try verify(empty, "--checksum-file", "-", "one").output == "one: OK\n")
    for (text, words) in [(empty, ["one", "two"]), (empty, []), ("what", []), ("", ["one"]), ("", [])] {
      var runner = CommandRunner.swoop(["verify", "--checksum-file", "-", "--"] + words, in: folder)
      runner.input = .bytes(Array(text.utf8))
      let refused = try runner.run()
      #expect(refused.exitCode == 2 && refused.output.isEmpty, "\(refused.output)")
      #expect(refused.error.count(of: "\n") == (text == "what" ? 2 : 1), "\(refused.error)")
    }
  }

  /// One that the list does not have keeps nobody from checking the others.
  @Test func onesThatAreNotListed() throws {
    let list = "\(empty)  one\n\(empty)  sub/one\n\(empty)  two\n\(String(repeating: "0", count: 64))  two\n"
    let result = try verify(list, "-c", "-", "nothing", "one", "./sub/one", "two")
    #expect(result.exitCode == 5, "\(result.error)")
    // The path counts before the name alone.
    let lines = "nothing: FAILED not checked\none: OK\n./sub/one: FAILED\ntwo: FAILED not checked\n"
    #expect(result.output == lines, "\(result.output)")
    #expect(result.error.contains("has no line for nothing") && result.error.contains("two different sha256 digests"))
    #expect(result.error.hasSuffix("of 4 files 1 does not match, 2 were not checked\n"), "\(result.error)")
    let alone = try verify(list, "-qc", "-", "one", "nothing")
    #expect(alone.exitCode == 2 && alone.output == "nothing: FAILED not checked\n", "\(alone.output)")
    #expect(alone.error.count(of: "\n") == 1, "\(alone.error)")
  }

  /// Names that cannot be files of ours, and bytes that would move a cursor.
  @Test(.row("H22")) func hostileLists() throws {
    try #require(mkfifo(folder.path("fifo"), 0o600) == 0)
    let list =
      "\(empty)  fifo\n\(empty)  /dev/zero\n\(empty)  \u{1B}[2J\u{202E}x\n\(empty)  \u{9B}31m\n\u{1B}]0;x\u{7}\n"
    let result = try verify(list, "-c", "-")
    #expect(result.exitCode == 7 && result.output.count(of: "FAILED open or read") == 4, "\(result.output)")
    #expect(result.error.contains("fifo: it is no regular file") && result.error.contains("no digest of a file: 1"))
    for scalar in (result.output + result.error).unicodeScalars where scalar != "\n" {
      #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && scalar.value != 0x202E)
    }
    let large = try verify(String(repeating: "\(empty)  one\n", count: 20_000), "-c", "-")
    #expect(large.exitCode == 2 && large.error.contains("1 MiB"), "\(large.error)")
  }

  /// Several are read at a time, and told in the list's order; each line counts, also where a file has two.
  @Test func theOrderIsTheLists() throws {
    let names = (0..<40).map { "file \($0)" }
    for (number, name) in names.enumerated() {
      try folder.write(Content.pattern(length: number % 4 == 0 ? 3_000_000 : 100, seed: UInt64(number)), to: name)
    }
    var runner = CommandRunner("sha256sum", names + names.reversed())
    runner.workingDirectory = folder.path
    let list = try runner.run().output
    let result = try verify(list, "-c", "-")
    #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.output == (names + names.reversed()).map { "\($0): OK\n" }.joined())
    try folder.flipByte(of: names[8], at: 2_999_999)
    let wrong = try verify(list, "-c", "-")
    #expect(wrong.exitCode == 5 && wrong.output.count(of: "file 8: FAILED\n") == 2, "\(wrong.output)")
    #expect(wrong.output.count(of: ": OK\n") == 78 && wrong.error.hasSuffix("of 80 files 2 do not match\n"))
  }

  /// What md5sum says to the same list, but for how it calls itself, it says too.
  @Test func saysWhatMd5sumSays() throws {
    try folder.write("y", to: "sub/two\nlines")
    var runner = CommandRunner("md5sum", ["one", "a\\b\nc", "sub/one", "sub/two\nlines"])
    runner.workingDirectory = folder.path
    let list = try runner.run().output
    try folder.write("z", to: "sub/one")
    try folder.write(list + "\(empty.prefix(32))  nothing\n", to: "SUMS")
    runner.arguments = ["-c", "SUMS"]
    let (theirs, ours) = try (runner.run(), CommandRunner.swoop("verify", "-c", "SUMS", in: folder).run())
    #expect(theirs.output == ours.output && theirs.output.contains("sub/one: FAILED\n"), "\(ours.output)")
  }

  @Test func aTerminalShowsHowFarItIs() throws {
    // A hole costs no room, and a slow algorithm takes long enough to be seen.
    let zeros = String(repeating: "0", count: 64)
    for name in ["big", "bigger"] {
      try folder.write("", to: name)
      try folder.truncate(name, to: 256 << 20)
    }
    try folder.write("SM3 (big) = \(zeros)\n\(empty)  one\nSM3 (bigger) = \(zeros)\n", to: "SUMS")
    var runner = CommandRunner.swoop("verify", "-c", "SUMS", in: folder)
    runner.terminal = .init(forAllStreams: true)
    let result = try runner.run()
    #expect(result.exitCode == 5, "\(result.error)")
    // A terminal makes two bytes of each line's end.
    let shown = result.error.replacing("\r\n", with: "\n")
    #expect(shown.contains("verifying ") && shown.contains(" / 512 MiB"), "\(shown)")
    // The line is wiped before anything else takes its place.
    for line in ["big: FAILED", "one: OK", "bigger: FAILED"] {
      let start = try #require(shown.firstRange(of: line)?.lowerBound)
      #expect(shown[..<start].hasSuffix("\n") || shown[..<start].hasSuffix("\r\u{1B}[K"), "\(shown)")
    }
  }

  @Test func aSignalEndsIt() throws {
    try folder.write("", to: "huge")
    try folder.truncate("huge", to: 1 << 40)
    try folder.write("\(empty)  one\n\(empty)  huge\n\(empty)  huge\n", to: "SUMS")
    for signal in [SIGINT, SIGTERM] {
      let command = try CommandRunner.swoop("verify", "-c", "SUMS", in: folder).start()
      #expect(command.waitForOutput(containing: "one: OK"))
      command.signal(signal)
      #expect(try command.result().termination == .signalled(signal))
    }
  }

  @Test func aListFromAServer() throws {
    let (good, gone) = (empty, Reply.status(404))
    let server = try ScriptedServer { $0.path == "/SUMS" ? .status(200, text: "\(good)  one\n") : gone }
    let result = try verify("", "-c", server.url("/SUMS"))
    #expect(result.exitCode == 0 && result.output == "one: OK\n", "\(result.error)")
    #expect(result.error == "swoop: digest not authenticated: \(server.url("/SUMS")) came over plain http\n")
    let missing = try verify("", "-c", server.url("/nothing"), "one")
    #expect(missing.exitCode == 4 && missing.output.isEmpty, "\(missing.error)")
  }

  @Test func aSignalEndsTheWaitForAList() throws {
    let server = try ScriptedServer(.silence)
    let command = try CommandRunner.swoop(["verify", "-c", server.url("/SUMS")], in: folder).start()
    #expect(server.waitUntil { !$0.entries.isEmpty })
    command.signal(SIGINT)
    let result = try command.result()
    #expect(result.termination == .signalled(SIGINT))
    #expect(result.error == "swoop: interrupted by SIGINT\n" && result.output.isEmpty)
  }

  /// What another file of nearly this name has must not pass for it.
  @Test func aNameThatIsNotUTF8IsNotLookedFor() throws {
    let trial = try Trial.healthy()
    let line = Array((String(repeating: "0", count: 32) + "  bad").utf8) + [0xFF, 0x0A]
    try trial.folder.write(.bytes(line), to: trial.placed("list"))
    try trial.folder.write("", to: trial.placed("bad\u{FFFD}"))
    let result = try trial.swoop("verify", "-c", "list")
    #expect(result.termination == .exited(2) && result.error.contains("not in UTF-8"), "\(result.error)")
    #expect(result.output.hasSuffix(": FAILED not checked\n"), "\(result.output)")
  }
}
