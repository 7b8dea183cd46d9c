import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Lists of digests that a server has: it may be another one than the file's, and it may do its worst.
@Suite(.waiting) struct RemoteChecksumListTests {
  private static let content = ChecksumListTests.content
  private static let secrets = [
    "-H", "Authorization: Bearer S3CR3T", "-H", "X-Api-Key: S3CR3T", "-b", "session=S3CR3T", "-e",
    "http://S3CR3T.example/", "-A", "agent",
  ]

  private static func right() throws -> Reply { .status(200, text: "\(try ChecksumListTests.sha256())  file.bin\n") }

  private func fetch(_ trial: Trial, _ options: [String] = [], list: String) throws -> CommandResult {
    let result = try trial.command(options + ["--checksum-file", list]).run()
    _ = trial.server.settledLog()
    return result
  }

  @Test func theListComesFirst() throws {
    let trial = try ChecksumListTests.serving(Self.right())
    let result = try fetch(trial, ["-v"], list: trial.server.url("/SUMS"))
    try trial.expect(result, exit: 0, .file, says: "sha256 verified, digest not authenticated\n")
    let paths = trial.server.log.entries.map(\.request.path)
    #expect(paths.first == "/SUMS" && paths.count(where: { $0 == "/SUMS" }) == 1)
    let again = try fetch(trial, list: trial.server.url("/SUMS"))
    try trial.expect(again, exit: 0, .file, says: "already complete", "digest not authenticated\n")
  }

  @Test func aTypedDigestNeedsNoAuthenticatedList() throws {
    let trial = try ChecksumListTests.serving(Self.right())
    let digest = try ["--sha256", ChecksumListTests.sha256()]
    let result = try fetch(trial, digest, list: trial.server.url("/SUMS"))
    try trial.expect(result, exit: 0, .file, says: "sha256 verified\n")
  }

  @Test func aWrongDigest() throws {
    let trial = try ChecksumListTests.serving(.status(200, text: "\(ChecksumListTests.zeros) *file.bin\n"))
    try trial.expect(fetch(trial, list: trial.server.url("/SUMS")), exit: 5, .part, says: "sha256 of file.bin")
  }

  /// What the user gave for the file's origin goes to a list there, and to no other.
  @Test func secretsStayAtTheOriginOfTheFile() throws {
    let list = try Self.right()
    let trial = try ChecksumListTests.serving(list)
    let other = try ScriptedServer(list)
    for url in [trial.server.url("/SUMS"), other.url("/SUMS"), other.url("/SUMS?token=S3CR3T")] {
      let result = try fetch(trial, ["-v", "--force", "--restart"] + Self.secrets, list: url)
      try trial.expect(result, exit: 0, .file, says: "digest not authenticated")
    }
    let here = try #require(trial.server.log.entries.map(\.request).first { $0.path == "/SUMS" })
    #expect(here.headers["Authorization"] == "Bearer S3CR3T" && here.headers["Cookie"] == "session=S3CR3T")
    let away = other.settledLog().entries.map(\.request)
    #expect(away.count == 2 && away.allSatisfy { $0.headers["User-Agent"] == "agent" })
    for request in away {
      for name in ["Authorization", "X-Api-Key", "Cookie", "Referer"] { #expect(request.headers[name] == nil) }
    }
  }

  /// Nor along a redirect that leaves it.
  @Test func secretsStayWhereTheListLeads() throws {
    let other = try ScriptedServer(Self.right())
    let trial = try ChecksumListTests.serving(.redirect(to: other.url("/SUMS")))
    let result = try fetch(trial, ["-u", "me:S3CR3T"] + Self.secrets, list: trial.server.url("/SUMS"))
    try trial.expect(result, exit: 0, .file)
    let request = try #require(other.settledLog().entries.first?.request)
    for name in ["Authorization", "X-Api-Key", "Cookie", "Referer"] { #expect(request.headers[name] == nil) }
  }

  @Test func aListHasALoginOfItsOwn() throws {
    let list = try Self.right()
    let other = try ScriptedServer { $0.headers["Authorization"] == "Basic bWU6UzNDUjNU" ? list : .status(401) }
    let trial = try Trial.healthy(Self.content)
    let url = other.url("/SUMS").replacing("http://", with: "http://me:S3CR3T@")
    try trial.expect(fetch(trial, ["-v"], list: url), exit: 0, .file)
    trial.folder.remove(trial.placed("file.bin"))
    try trial.expect(fetch(trial, ["-v"], list: other.url("/SUMS")), exit: 4, .nothing, says: "wants a login")
  }

  /// The list cannot be had: nobody is asked for the file.
  @Test(
    .row("H22"),
    arguments: [
      (Reply.status(404, text: "\(ChecksumListTests.zeros)  file.bin"), 4, "404"),
      (.redirect(to: "/SUMS"), 4, "redirect"),
      (.redirect(to: "file:///etc/passwd"), 4, "redirect refused"), (.status(503), 4, "503"),
      (.silence, 3, "no answer"),
      (.raw("nonsense\r\n\r\n"), 4, "cannot be understood"), (.raw("", then: .reset), 3, "SUMS"),
      (.raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc", then: .hang), 3, "no byte for"),
      (.raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc"), 3, "SUMS"),
      (.raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"), 4, "compressed"),
      (.raw("HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n", then: .hang), 2, "larger than 1 MiB"),
      (.endless("HTTP/1.1 200 OK\r\n\r\n", repeating: "# nothing\n"), 2, "larger than 1 MiB"),
      (.endless("HTTP/1.1 200 OK\r\n\r\n", repeating: "#"), 2, "larger than 1 MiB"),
    ]) func listsThatCannotBeHad(reply: Reply, code: Int32, says: String) throws
  {
    let trial = try ChecksumListTests.serving(reply)
    try trial.expect(fetch(trial, list: trial.server.url("/SUMS")), exit: code, .nothing, says: says)
    #expect(trial.server.log.entries.allSatisfy { $0.request.path == "/SUMS" })
  }

  /// Of what never ends no more is read than what is in the sockets and in one piece.
  @Test(.row("H22")) func aListWithoutEndIsNeverReadWhole() throws {
    let trial = try ChecksumListTests.serving(.endless("HTTP/1.1 200 OK\r\n\r\n", repeating: "#"))
    try trial.expect(fetch(trial, list: trial.server.url("/SUMS")), exit: 2, .nothing)
    #expect(trial.server.log.bodyBytesSent < 32 << 20)
  }

  @Test func troubleIsTriedAgain() throws {
    let list = try Self.right()
    let trial = try Trial(Self.content) { request in
      guard request.path == "/SUMS" else { return .file(Self.content) }
      switch request.index {
      case 0: return .status(503)
      case 1: return .raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n\(ChecksumListTests.zeros)  file.bin\n")
      default: return list
      }
    }
    let result = try fetch(trial, ["--give-up-after", "30"], list: trial.server.url("/SUMS"))
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
  }

  @Test func aSignalEndsTheWait() throws {
    let trial = try ChecksumListTests.serving(.silence)
    let command = try trial.command(["--checksum-file", trial.server.url("/SUMS"), "--stall-timeout", "60"]).start()
    #expect(trial.server.waitUntil { !$0.entries.isEmpty })
    command.signal(SIGINT)
    let result = try command.result()
    #expect(result.termination == .signalled(SIGINT), "\(result.error)")
    try trial.expectInvariants(interrupted: result)
  }
}

/// A list that comes over TLS.
@Suite(.waiting, .enabled(if: NginxServer.executable != nil)) struct SecureChecksumListTests {
  @Test func isAuthenticated() throws {
    let served = try TemporaryFolder()
    try served.write("\(ChecksumListTests.sha256())  file.bin\n", to: "SUMS")
    let plain = try ChecksumListTests.serving(.status(404))
    var settings = NginxServer.Settings()
    settings.certificate = SelfSignedCertificate()
    settings.directives = "location /away { return 302 http://127.0.0.1:\(plain.server.port)/SUMS; }"
    let server = try NginxServer(serving: served.path, settings: settings)
    let result = try plain.command(["-k", "--checksum-file", server.secureURL("/SUMS")]).run()
    try plain.expect(result, exit: 0, .file, says: "sha256 verified\n")
    // H03
    let away = try plain.command(["-k", "--checksum-file", server.secureURL("/away")]).run()
    #expect(away.exitCode == 4 && away.error.contains("redirect refused"), "\(away.error)")
    let untrusted = try plain.command(["--checksum-file", server.secureURL("/SUMS")]).run()
    #expect(untrusted.exitCode == 8, "\(untrusted.error)")
    #expect(plain.server.log.entries.allSatisfy { $0.request.path != "/SUMS" })
  }
}
