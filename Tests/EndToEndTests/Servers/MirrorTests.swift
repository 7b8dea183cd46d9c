import FaultCatalogue
import TestSupport
import Testing

@testable import swoop

/// `--mirror`: several servers of one file.
@Suite(.waiting) struct MirrorTests {
  @Test func allShareTheFile() throws {
    let mirrors = try Mirrors([Mirrors.healthy("a"), Mirrors.healthy("b")])
    let result = try mirrors.run("--json", "-v")
    try mirrors.trial.expect(result, exit: 0, .file, says: "from 3 sources", "the same file, it fetches from now on")
    let sources = try Mirrors.sources(result)
    #expect(sources.count == 3 && sources.allSatisfy { $0["state"].string == "used" }, "\(result.output)")
    #expect(sources.reduce(0) { $0 + ($1["bytes"].integer ?? 0) } == Mirrors.content.length, "\(result.output)")
    #expect(sources.map { $0["url"].string } == [mirrors.trial.server.url()] + mirrors.servers.map { $0.url() })
    for server in mirrors.servers {
      // Nothing but parts, of which each server's version is its own.
      let log = server.log
      #expect(log.entries.allSatisfy { $0.request.method == "GET" && $0.status == 206 })
      #expect(log.entries.allSatisfy { $0.request.headers["If-Range"] == nil })
      #expect(log.bodyBytesSent > 1 << 20, "\(log.bodyBytesSent)")
    }
  }

  /// Over all servers together there are no more than were asked for.
  @Test(arguments: [1, 2, 3]) func connectionsAreCountedOverAll(most: Int) throws {
    let mirrors = try Mirrors([Mirrors.healthy("a"), Mirrors.healthy("b")])
    let result = try mirrors.run("-n", "\(most)", "--json")
    try mirrors.trial.expect(result, exit: 0, .file)
    let logs = ([mirrors.trial.server] + mirrors.servers).map(\.log)
    let used = logs.count { $0.bodyBytesSent > 0 }
    #expect(used == most, "\(result.output)")
    #expect(logs.allSatisfy { $0.maxConcurrentRequests <= most })
    #expect(try ParsedJSON(parsing: result.output)["connections"].integer ?? 9 <= Int64(most))
  }

  @Test func whatIsTheUrlsOwnGoesToNoMirror() throws {
    let mirrors = try Mirrors([Mirrors.healthy("a")])
    let result = try mirrors.run(
      "-H", "X-Key: S3CR3T", "-u", "me:S3CR3T", "-b", "a=S3CR3T", "-e", "http://S3CR3T/", "-A", "agent")
    try mirrors.trial.expect(result, exit: 0, .file)
    #expect(mirrors.trial.server.log.entries.allSatisfy { $0.request.headers["X-Key"] == "S3CR3T" })
    let fields = mirrors.servers[0].log.entries.map(\.request.headers)
    #expect(!fields.isEmpty && fields.allSatisfy { $0["User-Agent"] == "agent" })
    for name in ["X-Key", "Authorization", "Cookie", "Referer"] { #expect(fields.allSatisfy { $0[name] == nil }) }
  }

  /// The same address twice, and the URL itself, are one source.
  @Test func theSameTwiceIsOne() throws {
    let trial = try Trial(Mirrors.content, .file(Mirrors.content))
    let url = trial.server.url()
    let result = try trial.run("--mirror", url, "--mirror", url + "#fragment", "--json")
    try trial.expect(result, exit: 0, .file)
    #expect(try ParsedJSON(parsing: result.output)["sources"] == .null && !result.error.contains("sources"))
    let mirror = try ScriptedServer(.file(Mirrors.content))
    trial.folder.remove(trial.placed("file.bin"))
    let second = try trial.run("--mirror", mirror.url(), "--mirror", mirror.url(), "--json")
    #expect(try Mirrors.sources(second).count == 2, "\(second.output)")
  }

  @Test func aSmallFileNeedsNone() throws {
    let small = Content.pattern(length: 900_000)
    let mirrors = try Mirrors(of: small, primary: { _ in .file(small) }, [Mirrors.healthy("a", small)])
    let result = try mirrors.run("--json")
    try mirrors.trial.expect(result, exit: 0, .file)
    #expect(mirrors.servers[0].log.connections == 0 && !result.error.contains("mirror"), "\(result.error)")
    #expect(try Mirrors.sources(result).last?["state"].string == "unused")
  }

  /// An empty file, too.
  @Test func anEmptyFileNeedsNone() throws {
    let mirrors = try Mirrors(of: .text(""), primary: { _ in .file(.text("")) }, [Mirrors.healthy("a")])
    try mirrors.trial.expect(mirrors.run(), exit: 0, .file)
  }

  @Test func aMirrorThatRedirects() throws {
    let elsewhere = try ScriptedServer(.file(Mirrors.content) { $0.etag = "\"e\"" })
    let address = elsewhere.url()
    let mirrors = try Mirrors([{ _ in .redirect(to: address) }])
    let result = try mirrors.run("--json")
    try mirrors.trial.expect(result, exit: 0, .file, says: "from 2 sources")
    // Where it leads is known after the first time.
    #expect(mirrors.servers[0].log.entries.count <= 3 && elsewhere.log.bodyBytesSent > 1 << 20)
  }

  @Test func aDryRunTellsOfThem() throws {
    let mirrors = try Mirrors([Mirrors.healthy("a"), Mirrors.healthy("b")])
    let result = try mirrors.run("--dry-run")
    #expect(result.exitCode == 0 && result.output.contains(" and 2 mirrors to "), "\(result.output)\(result.error)")
    #expect(mirrors.servers.allSatisfy { $0.log.connections == 0 } && mirrors.trial.names.isEmpty)
  }

  @Test(arguments: [
    (["--mirror", "http://"], "--mirror: not a URL"), (["--mirror", "nonsense"], "--mirror: "),
    (["--mirror", "gopher://a.example/b"], "--mirror: cannot fetch gopher"),
    (["--mirror", ""], "--mirror needs a URL"),
    (["--mirror", "http://me:S3CR3T@a.example/b"], "a login goes to the URL's own server alone"),
    (["--mirror", "http://a.example/b", "http://127.0.0.1:1/two"], "--mirror is another address of one file"),
  ]) func wrongWords(words: [String], says: String) throws {
    let trial = try Trial.healthy()
    let result = try trial.swoop([trial.server.url()] + words).run()
    #expect(result.termination == .exited(2) && result.error.contains(says), "\(result.error)")
    #expect(result.error.count(of: "\n") == 1 && !result.error.contains(Trial.secret), "\(result.error)")
    #expect(trial.server.log.connections == 0 && trial.names.isEmpty)
  }
}
