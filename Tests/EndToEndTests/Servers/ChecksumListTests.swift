import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `--checksum-file`: lists that are here, and lists that must be fetched.
@Suite(.waiting) struct ChecksumListTests {
  static let content = Content.pattern(length: 1_000_001)
  static let zeros = String(repeating: "0", count: 64)

  static func sha256() throws -> String { try DigestTests.digest("sha256", of: content) }

  /// A server with the file, and the list beside it.
  static func serving(_ list: Reply) throws -> Trial {
    try Trial(content) { $0.path == "/SUMS" ? list : .file(content) }
  }

  private func run(_ trial: Trial, list: String, _ options: String...) throws -> CommandResult {
    let folder = try TemporaryFolder()
    try folder.write(list, to: "SUMS")
    return try trial.command(["--checksum-file", folder.path("SUMS")] + options).run()
  }

  @Test func theLineOfTheFileCounts() throws {
    let right = try Self.sha256()
    for list in ["\(Self.zeros)  other.bin\n\(right) *file.bin\n", "SHA256 (./file.bin) = \(right)\r\n", right] {
      let trial = try Trial.healthy(Self.content)
      try trial.expect(run(trial, list: list), exit: 0, .file, says: "sha256 verified\n")
      let requests = trial.server.log.entries.count
      try trial.expect(run(trial, list: list), exit: 0, .file, says: "already complete", "sha256 verified\n")
      #expect(trial.server.log.entries.count == requests, "a file that is proved was asked for")
    }
  }

  @Test func aWrongDigestKeepsThePart() throws {
    let trial = try Trial.healthy(Self.content)
    try trial.expect(run(trial, list: "\(Self.zeros)  file.bin\n"), exit: 5, .part, says: "expected \(Self.zeros)")
    let requests = trial.server.log.entries.count
    let list = try TemporaryFolder()
    try list.write("\(Self.sha256())  file.bin", to: "right.sha256")
    let result = try trial.swoop("resume", "--checksum-file", list.path("right.sha256"), "file.bin.part")
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    #expect(trial.server.log.entries.count == requests, "the network was asked")
  }

  /// The list is useless: exit 2, and nobody is asked for the file.
  @Test(
    .row("H22"),
    arguments: [
      ("", "holds no digest"), ("<html>Not found</html>", "holds no digest"),
      ("\(zeros)  other.bin\n\(zeros)  sub/file.bin\n", "has no line for file.bin"),
      (
        "\(zeros)  file.bin\n\(String(repeating: "1", count: 64)) *./file.bin\n",
        "two different sha256 digests of file.bin"
      ),
      ("\(zeros)  \u{1B}[2Jfile.bin\n\u{9B}31m\u{0}\n", "has no line for file.bin"),
    ]) func uselessLists(list: String, says: String) throws
  {
    for isHere in [true, false] {
      let trial = try Self.serving(.status(200, text: list))
      let result =
        isHere
        ? try run(trial, list: list)
        : try trial.command(["--checksum-file", trial.server.url("/SUMS")]).run()
      try trial.expect(result, exit: 2, .nothing, says: says)
      #expect(trial.server.settledLog().entries.allSatisfy { $0.request.path == "/SUMS" })
      #expect(isHere == trial.server.log.entries.isEmpty)
    }
  }

  @Test(.row("H22")) func aListThatIsTooLong() throws {
    let trial = try Trial.healthy(Self.content)
    let list = try "\(Self.sha256())  file.bin\n" + String(repeating: "# \u{1B}[2J\u{202E}\n", count: 110_000)
    try trial.expect(run(trial, list: list), exit: 2, .nothing, says: "larger than 1 MiB")
    #expect(trial.server.log.entries.isEmpty)
  }

  @Test func theListMayComeFromAPipe() throws {
    let right = try Self.sha256()
    let trial = try Trial.healthy(Self.content)
    var runner = trial.command(["--checksum-file", "-"])
    runner.input = .bytes(Array("\(right)  file.bin\n".utf8))
    try trial.expect(runner.run(), exit: 0, .file, says: "sha256 verified")
    trial.folder.remove(trial.placed("file.bin"))
    runner.arguments = runner.arguments.map { $0 == "-" ? "/dev/fd/0" : $0 }
    try trial.expect(runner.run(), exit: 0, .file, says: "sha256 verified")
    let missing = try trial.swoop("--checksum-file", "nothing", trial.server.url())
    #expect(missing.exitCode == 2 && missing.error.contains("cannot read nothing"), "\(missing.error)")
  }

  @Test func eachOfSeveralFilesHasItsLine() throws {
    let right = try Self.sha256()
    let trial = try Trial.healthy(Self.content)
    let url = trial.server.url("/other.bin")
    let lines = "\(right)  file.bin\n\(right)  other.bin\n"
    let missing = try run(trial, list: "\(right)  file.bin\n", url)
    #expect(missing.exitCode == 2 && missing.error.contains("no line for other.bin"), "\(missing.error)")
    let bare = try run(trial, list: right, url)
    #expect(bare.exitCode == 2 && bare.error.contains("there are several files"), "\(bare.error)")
    #expect(trial.names.isEmpty && trial.server.log.entries.isEmpty)
    let result = try run(trial, list: lines, url)
    #expect(result.exitCode == 0 && result.error.count(of: "sha256 verified") == 2, "\(result.error)")
    #expect(trial.names == ["file.bin", "other.bin"])
  }

  @Test func theTypedNameCountsBeforeTheURLs() throws {
    let right = try Self.sha256()
    for (list, code) in [
      ("\(right)  file.bin\n", 0), ("\(right)  new.bin\n\(Self.zeros)  file.bin\n", 0),
      ("\(Self.zeros)  new.bin\n\(right)  file.bin\n", 5),
    ] as [(String, Int32)] {
      let trial = try Trial.healthy(Self.content)
      let result = try run(trial, list: list, "-o", "new.bin")
      #expect(result.exitCode == code, "\(result.error)")
    }
  }

  @Test func aTypedDigestMustAgree() throws {
    let right = try Self.sha256()
    let trial = try Trial.healthy(Self.content)
    let clash = try run(trial, list: "\(Self.zeros)  file.bin\n", "--sha256", right)
    try trial.expect(clash, exit: 2, .nothing, says: "two different sha256 digests")
    let md5 = try DigestTests.digest("md5", of: Self.content)
    try trial.expect(run(trial, list: "\(right)  file.bin\n", "--md5", md5), exit: 0, .file, says: "md5 and sha256 ver")
  }
}
