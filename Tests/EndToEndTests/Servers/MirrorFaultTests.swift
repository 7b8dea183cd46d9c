import FaultCatalogue
import TestSupport
import Testing

/// Sources that fail: each costs time at most, and is named.
@Suite(.waiting) struct MirrorFaultTests {
  /// What is wrong with a mirror from the beginning.
  enum Fault: String, CaseIterable {
    case gone, forbidden, another, shorter, noRanges, wrongRange, noLength, reset, silence, version, nothing, garbage
  }

  private static func script(_ fault: Fault) -> ScriptedServer.Script {
    { request in
      switch fault {
      case .gone: .status(404)
      case .forbidden: .status(403)
      case .another: .file(.pattern(length: Mirrors.content.length, seed: 9))
      case .shorter: .file(.pattern(length: Mirrors.content.length - 1))
      case .noRanges: .file(Mirrors.content) { $0.honoursRange = false }
      case .wrongRange:
        .file(Mirrors.content) { $0.contentRange = { "bytes \($0.lowerBound + 1)-\($0.upperBound)/\($1)" } }
      case .noLength: .file(Mirrors.content) { $0.contentRange = { range, _ in "bytes \(range.upperBound)/*" } }
      case .reset: .file(Mirrors.content) { $0.resetAfter = 100 }
      case .silence: .silence
      case .version: .file(Mirrors.content) { $0.etag = "\"\(request.index)\"" }
      case .nothing: .file(Mirrors.content) { $0.cutAfter = 0 }
      case .garbage: .raw("nonsense\r\n\r\n")
      }
    }
  }

  @Test(arguments: Fault.allCases) func aMirrorIsNoUse(fault: Fault) throws {
    // Slow enough that the mirror has its time to fail.
    let mirrors = try Mirrors(primary: { _ in .file(Mirrors.content) { $0.rate = 500_000 } }, [Self.script(fault)])
    let result = try mirrors.run("--json")
    try mirrors.trial.expect(result, exit: 0, .file)
    let url = mirrors.servers[0].url()
    #expect(Mirrors.dropped("mirror \(url)", in: result) == 1, "\(result.error)")
    let source = try Mirrors.sources(result).last
    #expect(source?["state"].string == "dropped" && source?["bytes"].integer == 0, "\(result.output)")
    #expect(source?["reason"].string?.isEmpty == false)
    // Nobody asks it again and again.
    #expect(mirrors.servers[0].log.entries.count <= 8)
  }

  @Test func nobodyListensAtAMirror() throws {
    let port = try RefusingPort()
    let trial = try Trial(Mirrors.content, .file(Mirrors.content) { $0.rate = 1_000_000 })
    let result = try trial.run("--mirror", port.origin + "/file.bin", "--mirror", "http://nowhere.invalid/file.bin")
    try trial.expect(result, exit: 0, .file)
    #expect(Mirrors.dropped("mirror \(port.origin)", in: result) <= 1)
  }

  /// What is wrong with the URL's own server from the beginning, and what that is without a mirror.
  @Test(arguments: [(Reply.status(404), 4), (.status(500), 4), (.silence, 3), (.raw("x"), 4)] as [(Reply, Int32)])
  func theUrlIsNoUse(reply: Reply, code: Int32) throws {
    let mirrors = try Mirrors(primary: { _ in reply }, [Mirrors.healthy("a"), Mirrors.healthy("b")])
    let alone = try mirrors.trial.run("--give-up-after", "2")
    #expect(alone.exitCode == code, "\(alone.error)")
    let result = try mirrors.run("--json")
    try mirrors.trial.expect(result, exit: 0, .file)
    #expect(Mirrors.dropped(mirrors.trial.server.url(), in: result) == 1, "\(result.error)")
    #expect(mirrors.servers.allSatisfy { $0.log.bodyBytesSent > 1 << 20 }, "\(result.output)")
    #expect(try Mirrors.sources(result).first?["state"].string == "dropped")
  }

  @Test func nobodyListensAtTheUrl() throws {
    let port = try RefusingPort()
    let mirrors = try Mirrors([Mirrors.healthy("a")])
    let url = port.origin + "/file.bin"
    let result = try mirrors.run(url: url)
    try mirrors.trial.expect(result, exit: 0, .file)
    #expect(Mirrors.dropped(url, in: result) == 1, "\(result.error)")
  }

  /// Small files too.
  @Test func aSmallFileFromTheMirror() throws {
    let small = Content.pattern(length: 1000)
    let mirrors = try Mirrors(of: small, primary: { _ in .status(410) }, [Mirrors.healthy("a", small)])
    try mirrors.trial.expect(mirrors.run(), exit: 0, .file)
  }

  /// All of them: the URL's own failure is the one that counts.
  @Test func allAreNoUse() throws {
    let mirrors = try Mirrors(primary: { _ in .status(404) }, [{ _ in .status(403) }, { _ in .status(410) }])
    let result = try mirrors.run()
    try mirrors.trial.expect(result, exit: 4, .nothing, says: "404")
    #expect(Mirrors.dropped("/file.bin", in: result) == 2, "\(result.error)")
  }

  /// Half-way, in one of several ways.
  @Test(arguments: [Reply.status(404), .status(503), .silence, .raw("x")], [true, false])
  func oneDiesHalfWay(reply: Reply, isPrimary: Bool) throws {
    let isDead = Monitor(false)
    let dying: ScriptedServer.Script = { request in
      if request.method == "GET", request.index > 12 { isDead.change { $0 = true } }
      return isDead.read { $0 } ? reply : .file(Mirrors.content) { $0.sliceLimit = 300_000 }
    }
    let mirrors =
      try isPrimary
      ? Mirrors(primary: dying, [Mirrors.healthy("a"), Mirrors.healthy("b")])
      : Mirrors([dying, Mirrors.healthy("b")])
    let result = try mirrors.run("--json", "--stall-timeout", "1", "--give-up-after", "20")
    try mirrors.trial.expect(result, exit: 0, .file)
    let url = (isPrimary ? mirrors.trial.server : mirrors.servers[0]).url()
    #expect(Mirrors.dropped(url, in: result) <= 1, "\(result.error)")
  }

  /// It is named once, also where the others have the rest before it is given up.
  @Test(arguments: [Reply.raw("x"), .status(503)], [true, false])
  func whoDiedIsNamed(reply: Reply, isPrimary: Bool) throws {
    // After the death the other one needs a second at least.
    let content = Content.pattern(length: 12_000_001)
    let isDead = Monitor(false)
    let dying: ScriptedServer.Script = { request in
      if request.method == "GET", request.index > 8 { isDead.change { $0 = true } }
      return isDead.read { $0 } ? reply : .file(content) { ($0.etag, $0.sliceLimit) = ("\"d\"", 300_000) }
    }
    let healthy = Mirrors.healthy("a", content)
    let mirrors = try Mirrors(of: content, primary: isPrimary ? dying : healthy, [isPrimary ? healthy : dying])
    let result = try mirrors.run("--json", "--min-split", "64K")
    try mirrors.trial.expect(result, exit: 0, .file)
    let url = (isPrimary ? mirrors.trial.server : mirrors.servers[0]).url()
    let named = result.error.split(separator: "\n").filter { $0.contains("warning: ") && $0.contains(url) }
    #expect(named.count == 1 && (named[0].contains("going on") || named[0].contains("sooner")), "\(result.error)")
    let states = try Mirrors.sources(result).map { $0["state"].string }
    #expect(states == (isPrimary ? ["dropped", "used"] : ["used", "dropped"]), "\(result.output)")
  }

  /// What one server asks for holds nobody else.
  @Test func aRetryAfterIsForOneAlone() throws {
    let busy: ScriptedServer.Script = {
      $0.index < 5 ? .file(Mirrors.content) : .status(429, headers: ["Retry-After": "60"])
    }
    let mirrors = try Mirrors([busy, Mirrors.healthy("b")])
    let result = try mirrors.run("--give-up-after", "20")
    try mirrors.trial.expect(result, exit: 0, .file)
    #expect(result.elapsed < .seconds(30), "\(result.elapsed)")
  }

  /// A part that the URL's server began, which is gone: the mirror goes on where it ended.
  @Test func aMirrorResumes() throws {
    let isDead = Monitor(false)
    let mirrors = try Mirrors(
      primary: { _ in isDead.read { $0 } ? .status(404) : .file(Mirrors.content) { $0.stallAfter = 1_500_000 } },
      [Mirrors.healthy("a")])
    let begun = try mirrors.trial.run("--stall-timeout", "1", "--give-up-after", "1")
    try mirrors.trial.expect(begun, exit: 3, .part)
    let here = try mirrors.trial.manifest()?.segments.reduce(0) { $0 + Int64($1.range.count) } ?? 0
    #expect(here >= 1_000_000)
    isDead.change { $0 = true }
    let part = mirrors.trial.folder.path(mirrors.trial.placed("file.bin.part"))
    let result = try mirrors.trial.swoop(["resume", part, "--json"] + mirrors.options).run()
    try mirrors.trial.expect(result, exit: 0, .file)
    #expect(try ParsedJSON(parsing: result.output)["resumed"].integer ?? 0 >= here, "\(result.error)")
    // Samples of what is here, and the rest.
    let sent = mirrors.servers[0].settledLog().bodyBytesSent
    // What lay ready in a socket when a range was cut counts as sent.
    #expect(sent <= Mirrors.content.length - here + 1_048_576, "\(sent) \(result.error)")
  }

  /// A mirror of another file is no use for a part of this one, which stays.
  @Test func aMirrorWithAnotherFileDoesNotResume() throws {
    let isDead = Monitor(false)
    let other = Content.pattern(length: Mirrors.content.length, seed: 5)
    let mirrors = try Mirrors(
      primary: { _ in isDead.read { $0 } ? .status(404) : .file(Mirrors.content) { $0.stallAfter = 1_500_000 } },
      [Mirrors.healthy("a", other)])
    _ = try mirrors.trial.run("--stall-timeout", "1", "--give-up-after", "1")
    isDead.change { $0 = true }
    let result = try mirrors.run()
    try mirrors.trial.expect(result, exit: 4, .part, says: "404")
    try mirrors.trial.expectCleanRerun()
  }
}
