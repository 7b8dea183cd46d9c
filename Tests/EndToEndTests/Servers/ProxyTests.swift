import FaultCatalogue
import TestSupport
import Testing

/// Proxies: they work, refuse, or die (T38).
@Suite(.waiting) struct ProxyTests {
  @Test func passesOn() throws {
    let trial = try Trial(.ten, .file(.ten))
    let result = try trial.run(
      "-x", "http://me:S3CR3T@127.0.0.1:\(trial.server.port)", "-v", url: "http://somewhere.example/file.bin")
    try trial.expect(result, exit: 0, .file)
    let asked = trial.server.log.entries.map(\.request)
    #expect(asked.allSatisfy { $0.target == "http://somewhere.example/file.bin" })
    #expect(asked.allSatisfy { $0.headers["Proxy-Authorization"] != nil })
  }

  /// What is for the origin is not for the proxy that makes the connection, and the other way round.
  @Test func tunnelsGetNoSecrets() throws {
    let trial = try Trial(.ten, .status(502))
    let result = try trial.run(
      "-x", "http://me:PXPW@127.0.0.1:\(trial.server.port)", "-H", "X-Api-Key: S3CR3T", "-b", "a=S3CR3T", "-u",
      "me:S3CR3T", "-e", "http://S3CR3T/", "--give-up-after", "1", url: "https://a.example/file.bin?token=S3CR3T")
    #expect(result.exitCode == 4, "\(result.error)")
    #expect(!(result.error + result.output).contains("PXPW"))
    Trial.expectPlain(result, #_sourceLocation)
    let asked = trial.server.settledLog().entries.map(\.request)
    #expect(!asked.isEmpty && asked.allSatisfy { $0.method == "CONNECT" && $0.target == "a.example:443" })
    for field in asked.flatMap(\.headers.fields) {
      #expect(!field.value.contains("S3CR3T") && field.value != "Basic bWU6UzNDUjNU", "\(field)")
    }
  }

  /// Who cannot be reached is the proxy, and not the server.
  @Test(arguments: ["http", "https"]) func cannotBeReached(scheme: String) throws {
    let refusing = try RefusingPort()
    let trial = try Trial(.ten, .file(.ten))
    let url = "\(scheme)://somewhere.example/file.bin"
    let result = try trial.run("-x", "http://127.0.0.1:\(refusing.number)", "--give-up-after", "1", url: url)
    let peer = "127.0.0.1 port \(refusing.number): "
    try trial.expect(result, exit: 3, .nothing, says: "failed to connect to the proxy \(peer)")
    let direct = try trial.run("--give-up-after", "1", url: "http://127.0.0.1:\(refusing.number)/file.bin")
    try trial.expect(direct, exit: 3, .nothing, says: "failed to connect to \(peer)")
  }

  @Test func fromTheEnvironment() throws {
    let trial = try Trial(.ten, .file(.ten))
    var command = trial.command([], url: "http://somewhere.example/file.bin")
    command.environment = ["http_proxy": "http://127.0.0.1:\(trial.server.port)"]
    try trial.expect(command.run(), exit: 0, .file)
  }

  @Test(.row("T38"), arguments: ["http", "https"])
  func wantsALogin(scheme: String) throws {
    let trial = try Trial(.ten, .status(407, headers: ["Proxy-Authenticate": "Basic realm=\"x\""]))
    let result = try trial.run(
      "-x", "http://127.0.0.1:\(trial.server.port)", url: "\(scheme)://somewhere.example/file.bin")
    try trial.expect(result, exit: 4, .nothing, says: "407")
    try expectCleanRerun(trial)
  }

  @Test(.row("T38"), arguments: [Reply.raw("", then: .reset), .raw("", then: .close), .silence])
  func dies(reply: Reply) throws {
    for scheme in ["http", "https"] {
      let trial = try Trial(.ten, reply)
      let result = try trial.run(
        "--stall-timeout", "0.5", "--connect-timeout", "0.5", "--give-up-after", "1",
        "-x", "http://127.0.0.1:\(trial.server.port)", url: "\(scheme)://somewhere.example/file.bin")
      try trial.expect(result, exit: 3, .nothing)
      try expectCleanRerun(trial)
    }
  }

  @Test func isNotThere() throws {
    let trial = try Trial(.ten, .file(.ten))
    let port = try RefusingPort()
    let result = try trial.run("--give-up-after", "1", "-x", port.origin, url: "http://a.example/file.bin")
    try trial.expect(result, exit: 3, .nothing)
  }

  /// It dies in the middle.
  @Test(.row("T38")) func diesLater() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", request.indexOfMethod >= 4 { return .raw("", then: .reset) }
      return .file(.ten) { if request.method == "GET" { $0.cutAfter = 300_000 } }
    }
    let result = try trial.run(
      "--give-up-after", "1", "-x", "http://127.0.0.1:\(trial.server.port)", url: "http://somewhere.example/file.bin")
    try trial.expect(result, exit: 3, .part)
    try expectCleanRerun(trial)
  }

  /// The proxy, which is the trial's server, works again; to https it cannot pass on, since it has the file itself.
  private func expectCleanRerun(_ trial: Trial, location: SourceLocation = #_sourceLocation) throws {
    try trial.expectCleanRerun(
      "-x", "http://127.0.0.1:\(trial.server.port)", url: "http://somewhere.example/file.bin", location: location)
  }
}
