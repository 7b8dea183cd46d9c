import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Connections take their time to be made: ranges of a file are asked for of which nothing is known yet.
@Suite(.waiting) struct EarlyRangeTests {
  private static let first: Int64 = 288 << 10
  private static let edges: [Int64] = [
    1, 100 << 10, first - 1, first, first + 1, 2 * first - 1, 2 * first, 2 * first + 1, 1 << 20, 4 << 20, (4 << 20) + 1,
    40 << 20,
  ]

  @Test(arguments: edges)
  func lengthsAtTheEdges(length: Int64) throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 8_000_000
    settings.sendBuffer = 64 << 10
    let content = Content.pattern(length: length)
    let path = try LongPath(content, settings: settings) { _ in .file(content) }
    let result = try path.run()
    try path.trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("trying again"), "\(result.error)")
    let log = path.trial.server.settledLog()
    // Those behind the end cost a refusal each, and nothing else.
    #expect(log.count(ofStatus: 416) <= path.guesses)
    // A response that is stopped at its share's end has some more under way.
    #expect(log.bodyBytesSent <= length + (length < 128 << 10 ? 0 : 16 << 20))
    if length < 128 << 10 { #expect(log.count(ofStatus: 206) == 1) }
  }

  @Test func anEmptyFileHasNothingToFetch() throws {
    let content = Content.bytes([])
    let path = try LongPath(content) { _ in .file(content) }
    try path.trial.expect(path.run(), exit: 0, .file)
    #expect(path.trial.gets.allSatisfy { $0.status == ($0.request.range == nil ? 200 : 416) })
  }

  @Test(arguments: [3, 4, 8, 64])
  func keepsToTheNumberOfConnections(count: Int) throws {
    let content = Content.pattern(length: 10_000_001)
    let path = try LongPath(content, connections: count) { _ in .file(content) }
    let result = try path.start().result()
    try path.trial.expect(result, exit: 0, .file)
    path.expectNoMore(than: min(16, count), result)
  }

  /// All GETs but the first are refused. As fast as that one may be, it is not left before they are answered.
  @Test(arguments: [401, 403, 404, 410, 429, 500, 503], [true, false])
  func aLinkIsGoodForOneGET(status: Int, answersAtOnce: Bool) throws {
    let content = Content.pattern(length: 6_000_000)
    let path = try LongPath(content, answersAtOnce: answersAtOnce) { request in
      guard request.method == "GET" else { return .status(403) }
      return request.range == "bytes=0-" ? .file(content) : .status(status, text: "used already")
    }
    let result = try path.run()
    try path.trial.expect(result, exit: 0, .file)
    let served = path.trial.gets.filter { $0.status == 206 }
    #expect(served.count == 1 && served.first?.bodyBytesSent == content.length)
    if !answersAtOnce { #expect(!result.error.contains("trying again"), "\(result.error)") }
  }

  @Test func fewRequestsAreAnsweredAtATime() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 4_000_000
    settings.limit = .tooManyRequests(beyond: 3)
    let content = Content.pattern(length: 2_000_000)
    let path = try LongPath(content, settings: settings, answersAtOnce: true) { _ in .file(content) }
    try path.trial.expect(path.run(["--give-up-after", "20"]), exit: 0, .file)
    #expect(path.trial.server.settledLog().maxConcurrentRequests <= 3)
  }

  @Test func theFirstGETIsRefusedOnce() throws {
    let content = Content.pattern(length: 4_000_000)
    let isRefused = Monitor(false)
    let path = try LongPath(content) { request in
      guard request.range == "bytes=0-" else { return .file(content) }
      let wasRefused = isRefused.change { isRefused in
        defer { isRefused = true }
        return isRefused
      }
      return wasRefused ? .file(content) : .status(503)
    }
    try path.trial.expect(path.run(), exit: 0, .file, says: "503")
  }

  /// The guesses are answered with another version than the first GET: never are both in one file.
  @Test func theFileChangesBetweenThem() throws {
    let (old, new) = (Content.pattern(length: 4_000_000), Content.pattern(length: 4_000_000, seed: 2))
    let path = try LongPath(new) { request in
      let isFirst = request.method == "HEAD" || (request.range == "bytes=0-" && request.indexOfMethod == 0)
      return .file(isFirst ? old : new)
    }
    try path.trial.expect(path.run(), exit: 0, .file, says: "changed on the server")
  }

  /// HEAD alone tells the length: guesses are of use all the same.
  @Test func nothingButHEADTellsTheLength() throws {
    let content = Content.pattern(length: 4_000_000)
    let path = try LongPath(content) { _ in
      .file(content) { $0.contentRange = { range, _ in "bytes \(range.lowerBound)-\(range.upperBound - 1)/*" } }
    }
    try path.trial.expect(path.run(), exit: 0, .file)
    path.trial.expectNothingTwice()
    #expect(!path.trial.gets.contains { $0.status == 200 })
  }

  @Test(arguments: ["bytes", "none"])
  func rangesAreIgnored(acceptRanges: String) throws {
    var settings = ScriptedServer.Settings()
    settings.sendBuffer = 64 << 10
    let content = Content.pattern(length: 12_000_000)
    let path = try LongPath(content, settings: settings) { _ in
      .file(content) {
        $0.honoursRange = false
        $0.acceptRanges = acceptRanges
      }
    }
    try path.trial.expect(path.run(), exit: 0, .file)
    #expect(path.trial.gets.count { $0.bodyBytesSent == content.length } == 1)
  }

  /// A first answer that comes late: of no guess more than its first bytes are kept in memory, and none is dropped.
  @Test func aServerThatPushesDoesNotFillTheMemory() throws {
    let content = Content.pattern(length: 60 << 20)
    let pushed = Latch()
    let path = try LongPath(content) { request in
      if request.range == "bytes=0-" { pushed.wait() }
      return request.method == "HEAD" ? .silence : .file(content)
    }
    let command = try path.start(["--min-split", "4M"])
    // A mebibyte is kept, the others are in the sockets.
    #expect(path.trial.server.waitUntil { log in log.entries.count { $0.bodyBytesSent > 1 << 20 } == 14 })
    pushed.open()
    let result = try command.result()
    try path.trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("trying again"), "\(result.error)")
    path.trial.expectNothingTwice()
  }

  /// The server's name leads to an earlier part: what of it is here is not asked for again.
  @Test(arguments: [true, false])
  func aPartOfAnotherNameIsFound(isSameVersion: Bool) throws {
    let content = Content.pattern(length: 4_000_000)
    let path = try LongPath(content) { _ in
      .file(content) {
        $0.contentDisposition = "attachment; filename=other.bin"
        $0.rate = 1_000_000
      }
    }
    let earlier = try Trial(content, name: "other.bin") { _ in .file(content) }
    try earlier.plant(missing: [3_000_000..<4_000_000])
    let stored = earlier.placed("other.bin.part.json")
    let port = path.trial.server.port
    var manifest = try earlier.folder.text(stored).replacing(":\(earlier.server.port)", with: ":\(port)")
    if !isSameVersion { manifest = manifest.replacing("pattern-1", with: "pattern-9") }
    try earlier.folder.write(manifest, to: stored, mode: 0o600)
    let result = try path.start(in: earlier.folder.path(Trial.place)).result()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(result.error.contains(isSameVersion ? "resuming other.bin" : "another version"), "\(result.error)")
    #expect(earlier.names == ["other.bin"])
  }

  /// Killed while guesses are under way; the same command fetches what is missing.
  @Test(arguments: [SIGINT, SIGKILL])
  func canBeKilledMeanwhile(signal: Int32) throws {
    let content = Content.pattern(length: 4_000_000)
    let path = try LongPath(content, answersAtOnce: true) { _ in .file(content) { $0.rate = 150_000 } }
    let command = try path.start()
    #expect(path.trial.server.waitUntil { log in log.entries.count { $0.bodyBytesSent > 20_000 } >= 10 })
    command.signal(signal)
    let result = try command.result()
    #expect(result.termination == .signalled(signal))
    try path.trial.expectInvariants(interrupted: result)
    if signal == SIGINT { #expect(try path.trial.manifest()?.done ?? 0 > 0) }
    try path.trial.expectCleanRerun()
  }

  @Test(arguments: [SIGINT, SIGKILL])
  func leavesNothingBeforeAnyConnection(signal: Int32) throws {
    let content = Content.pattern(length: 4_000_000)
    let path = try LongPath(content) { _ in .file(content) }
    let command = try path.begin()
    command.signal(signal)
    #expect(try command.result().termination == .signalled(signal))
    #expect(path.trial.names.isEmpty)
  }
}
