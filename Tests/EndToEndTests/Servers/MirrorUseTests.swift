import FaultCatalogue
import TestSupport
import Testing

/// Mirrors that take another's place, and those that turn out to be of no use: they are named.
@Suite(.waiting) struct MirrorUseTests {
  /// With one connection for all a mirror takes the place of the URL's own server when that fails again and again.
  @Test(arguments: [Reply.status(503), .silence, .raw("x"), .status(404)])
  func oneConnectionGoesOnWithTheMirror(reply: Reply) throws {
    let mirrors = try Mirrors(
      primary: { request in
        let isFirst = request.method == "HEAD" || request.indexOfMethod == 0
        return isFirst ? .file(Mirrors.content) { $0.cutAfter = 3_000_000 } : reply
      }, [Mirrors.healthy("a")])
    let result = try mirrors.run("-n", "1", "--json", "--stall-timeout", "1", "--give-up-after", "30")
    try mirrors.trial.expect(result, exit: 0, .file)
    #expect(Mirrors.dropped(mirrors.trial.server.url(), in: result) <= 1, "\(result.error)")
    let sources = try Mirrors.sources(result)
    #expect(sources.first?["bytes"].integer ?? 0 >= 2_000_000, "\(result.output)")
    #expect(sources.last?["bytes"].integer ?? 0 >= 4_000_000, "\(result.output)")
    #expect(mirrors.servers[0].log.maxConcurrentRequests == 1)
  }

  /// The others have the file before anybody's patience with the mirror is over.
  @Test func aSilentMirrorIsNamed() throws {
    let mirrors = try Mirrors(primary: { _ in .file(Mirrors.content) { $0.rate = 400_000 } }, [{ _ in .silence }])
    let result = try mirrors.run("--json", "-n", "4", "--stall-timeout", "60")
    try mirrors.trial.expect(result, exit: 0, .file)
    let url = mirrors.servers[0].url()
    let named = result.error.split(separator: "\n").filter { $0.contains("warning: mirror \(url): no byte for ") }
    #expect(named.count == 1, "\(result.error)")
    // Nobody asks it again and again.
    #expect(mirrors.servers[0].log.connections <= 3)
    let source = try Mirrors.sources(result).last
    #expect(source?["state"].string == "dropped" && source?["bytes"].integer == 0, "\(result.output)")
    #expect(source?["reason"].string?.contains("no byte for ") == true, "\(result.output)")
  }

  /// It has what is compared, and then next to nothing.
  @Test func aDrippingMirrorIsNamed() throws {
    let drip: ScriptedServer.Script = { request in
      let isSample = request.askedBytes(of: Mirrors.content.length).map { $0.count <= 65_536 } ?? false
      return .file(Mirrors.content) { $0.rate = isSample ? nil : 100 }
    }
    let mirrors = try Mirrors(primary: { _ in .file(Mirrors.content) { $0.rate = 150_000 } }, [drip])
    let result = try mirrors.run("--json", "-n", "8")
    try mirrors.trial.expect(result, exit: 0, .file)
    let url = mirrors.servers[0].url()
    let named = result.error.split(separator: "\n").filter { $0.contains("warning: mirror \(url): it is too slow") }
    #expect(named.count == 1, "\(result.error)")
    #expect(try Mirrors.sources(result).last?["state"].string == "dropped", "\(result.output)")
  }

  /// All but a mirror's share is here at once, and the mirror's samples take minutes: nobody waits for them, nor for what
  /// it fetches before it is trusted.
  @Test(arguments: [["-n", "4"], ["-n", "16"], []], [300.0, 3_000])
  func aTrickleBeforeItIsTrustedHoldsNobodyUp(options: [String], rate: Double) throws {
    let trickle: ScriptedServer.Script = { _ in .file(Mirrors.content) { $0.rate = rate } }
    let mirrors = try Mirrors([trickle])
    let result = try mirrors.trial.command(mirrors.options + options + ["--json"]).run(timeout: .seconds(100))
    try mirrors.trial.expect(result, exit: 0, .file)
    // A sample alone would take the mirror longer than this.
    #expect(result.elapsed < .seconds(65_536 / rate * 0.8), "\(result.elapsed)")
    #expect(try Mirrors.sources(result).last?["bytes"].integer ?? 0 < 65_536, "\(result.output)")
  }

  /// What each source has done is told of a failure, too.
  @Test func aFailureTellsOfTheSources() throws {
    let fault: ScriptedServer.Script = { request in
      let isFirst = request.method == "HEAD" || request.indexOfMethod < 2
      return isFirst ? .file(Mirrors.content) { $0.stallAfter = 200_000 } : .silence
    }
    let mirrors = try Mirrors(primary: fault, [{ _ in .status(404) }])
    let result = try mirrors.run("--json", "--stall-timeout", "1", "--give-up-after", "2")
    try mirrors.trial.expect(result, exit: 3, .part)
    let sources = try Mirrors.sources(result)
    try #require(sources.count == 2, "\(result.output)")
    #expect(sources[0]["url"].string == mirrors.trial.server.url() && sources[0]["state"].string == "used")
    #expect(sources[0]["bytes"].integer ?? 0 >= 100_000, "\(result.output)")
    #expect(sources[1]["state"].string == "dropped" && sources[1]["bytes"].integer == 0, "\(result.output)")
    #expect(try ParsedJSON(parsing: result.output)["exit"].integer == 3)
  }

  /// Nobody has the file: the error is the URL's, and each mirror has its warning, the last one too.
  @Test(arguments: [1, 2]) func whereAllRefuseEachIsNamed(count: Int) throws {
    let statuses = [403, 410]
    let scripts: [ScriptedServer.Script] = statuses.prefix(count).map { code in { _ in .status(code) } }
    let mirrors = try Mirrors(primary: { _ in .status(404) }, scripts)
    let result = try mirrors.run("--json")
    try mirrors.trial.expect(result, exit: 4, .nothing, says: "404")
    let lines = result.error.split(separator: "\n")
    for (server, code) in zip(mirrors.servers, statuses) {
      let named = lines.filter { $0.hasPrefix("swoop: warning: mirror \(server.url()): ") && $0.contains("\(code)") }
      #expect(named.count == 1, "\(result.error)")
    }
    #expect(lines.dropLast().last?.hasSuffix("; no other source is left") == true, "\(result.error)")
    let sources = try Mirrors.sources(result)
    #expect(sources.count == count + 1 && sources.allSatisfy { $0["state"].string == "dropped" }, "\(result.output)")
  }

  /// The same of what a metalink names.
  @Test func whereAllOfAMetalinkRefuseEachIsNamed() throws {
    let mirrors = try Mirrors(primary: { _ in .status(404) }, [{ _ in .status(403) }, { _ in .status(410) }])
    let urls = ([mirrors.trial.server] + mirrors.servers).map { $0.url() }
    try mirrors.trial.folder.write(
      MetalinkText.document(MetalinkText.file("file.bin", Mirrors.content, urls)), to: "x.meta4")
    let result = try mirrors.trial.swoop("--give-up-after", "4", mirrors.trial.folder.path("x.meta4"))
    #expect(result.exitCode == 4, "\(result.error)")
    for url in urls.dropFirst() {
      let named = result.error.split(separator: "\n").filter { $0.hasPrefix("swoop: warning: mirror \(url): ") }
      #expect(named.count == 1, "\(result.error)")
    }
  }
}
