import FaultCatalogue
import TestSupport
import Testing

/// `--netrc`: a login for the host that the file names, and for nobody else.
@Suite(.waiting) struct NetrcTests {
  private static let login = "Basic bWU6UzNDUjNU"

  /// Runs the command with a netrc file in its home, or where NETRC says.
  private func run(
    _ trial: Trial, _ text: String?, _ options: String..., file: String? = nil, url: String? = nil
  ) throws -> CommandResult {
    let home = try TemporaryFolder()
    if let text { try home.write(text, to: file ?? ".netrc", mode: 0o600) }
    var command = trial.command(["-v"] + options, url: url)
    command.environment = ["HOME": home.path]
    if let file { command.environment["NETRC"] = home.path(file) }
    return try command.run()
  }

  private static func guarded() throws -> Trial {
    try Trial(.ten) { $0.headers["Authorization"] == login ? .file(.ten) : .status(401) }
  }

  @Test(arguments: [nil, "other"]) func theHostsEntryCounts(file: String?) throws {
    let trial = try Self.guarded()
    let text = "machine other.example login x password y\nmachine 127.0.0.1\n  login me\n  password S3CR3T\n"
    try trial.expect(run(trial, text, "--netrc", file: file), exit: 0, .file)
  }

  @Test func theDefaultCountsForEveryHost() throws {
    let trial = try Self.guarded()
    let text = "machine other.example login x password y default login me password S3CR3T\n"
    try trial.expect(run(trial, text, "--netrc"), exit: 0, .file)
  }

  /// Waiting cannot mend it.
  @Test func aFileThatCannotBeParsed() throws {
    let trial = try Self.guarded()
    let result = try run(trial, "machine 127.0.0.1 login me password \"S3CR3T\n", "--netrc")
    try trial.expect(result, exit: 2, .nothing, says: "netrc")
    #expect(!result.error.contains("trying again") && !result.error.contains("S3CR3T"), "\(result.error)")
  }

  @Test func nobodyReadsItUnasked() throws {
    let trial = try Self.guarded()
    let result = try run(trial, "machine 127.0.0.1 login me password S3CR3T\n")
    try trial.expect(result, exit: 4, .nothing, says: "401", "it wants a login (-u)")
  }

  @Test func anotherHostsEntryDoesNotCount() throws {
    let trial = try Self.guarded()
    let result = try run(trial, "machine localhost login me password S3CR3T\n", "--netrc")
    try trial.expect(result, exit: 4, .nothing, says: "401", "another login than the netrc file gives")
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["Authorization"] == nil })
  }

  /// What was typed counts before it.
  @Test(arguments: [true, false]) func aTypedLoginCounts(isInTheURL: Bool) throws {
    let trial = try Self.guarded()
    let text = "machine 127.0.0.1 login other password wrong\n"
    let url = "http://me:S3CR3T@127.0.0.1:\(trial.server.port)/file.bin"
    let result =
      isInTheURL
      ? try run(trial, text, "--netrc", url: url) : try run(trial, text, "--netrc", "-u", "me:S3CR3T")
    try trial.expect(result, exit: 0, .file)
  }

  /// Neither the entry of the host that was typed nor that of the other one goes to where a redirect leads.
  @Test(arguments: ["host", "port"]) func noneGoesAlongWithARedirect(other: String) throws {
    let second = try ScriptedServer(.file(.ten))
    let trial = try Trial(.ten) { request in
      guard request.headers["Authorization"] == Self.login else { return .status(401) }
      return .redirect(to: "http://\(other == "port" ? "127.0.0.1" : "localhost"):\(second.port)/moved.bin")
    }
    let text = "machine 127.0.0.1 login me password S3CR3T\nmachine localhost login me password S3CR3T\n"
    try trial.expect(run(trial, text + "default login me password S3CR3T\n", "--netrc"), exit: 0, .file)
    let away = second.settledLog().entries.map(\.request)
    #expect(!away.isEmpty && away.allSatisfy { $0.headers["Authorization"] == nil })
  }

  /// A list of digests elsewhere has the entry of its own host, and not the file's.
  @Test func aListHasTheEntryOfItsHost() throws {
    let sum = try ChecksumListTests.sha256()
    let trial = try Trial(ChecksumListTests.content) { _ in .file(ChecksumListTests.content) }
    let lists = try ScriptedServer(.status(200, text: "\(sum)  file.bin\n"))
    let list = "http://localhost:\(lists.port)/SUMS"
    let result = try run(
      trial, "machine localhost login me password S3CR3T\n", "--netrc", "--checksum-file", list)
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    #expect(lists.settledLog().entries.allSatisfy { $0.request.headers["Authorization"] == Self.login })
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["Authorization"] == nil })
  }

  @Test func aMissingFileIsAnError() throws {
    let trial = try Self.guarded()
    try trial.expect(
      run(trial, nil, "--netrc"), exit: 2, .nothing, says: "--netrc cannot read ", "/.netrc: No such file")
    #expect(trial.server.log.connections == 0)
  }
}
