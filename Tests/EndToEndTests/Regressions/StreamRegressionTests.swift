import FaultCatalogue
import TestSupport
import Testing

/// Bodies that are taken as one stream, after the beginning of something else.
@Suite(.waiting) struct StreamRegressionTests {
  /// What a server does that says it can do ranges, and sends the whole file instead.
  struct Case: Sendable, CustomTestStringConvertible {
    var connections: Int
    /// So many answers to ranges further on come before the one to the first range; the others come after it.
    var early: Int
    var length: Int64
    /// Bytes a second of each connection.
    var rate: Double?

    var testDescription: String { "-n \(connections), \(early) early, \(length) bytes, rate \(rate ?? 0)" }

    static let all: [Case] = [(2, 1), (2, 2), (4, 1), (4, 2)].flatMap { connections, early in
      [8 << 20, 10_000_000].flatMap { length in
        [nil, 20_000_000].map { Case(connections: connections, early: early, length: length, rate: $0) }
      }
    }
  }

  /// The answer to the first range is gone on with when others have shown already that ranges are of no use.
  @Test(arguments: Case.all, [true, false])
  func wholeAnswersToLaterRangesComeFirst(test: Case, isNamed: Bool) throws {
    let content = Content.pattern(length: test.length)
    let later = Monitor(0)
    var settings = ScriptedServer.Settings()
    settings.rate = test.rate
    let trial = try Trial(content, settings: settings) { request in
      .file(content) {
        $0.honoursRange = false
        if !isNamed { ($0.etag, $0.lastModified) = (nil, nil) }
        guard request.method == "GET", request.range != nil else { return }
        guard request.firstByte > 0 else {
          $0.delay = .milliseconds(100)
          return
        }
        let index = later.change { count in
          defer { count += 1 }
          return count
        }
        if index >= test.early { $0.delay = .milliseconds(200) }
      }
    }
    let result = try trial.run("-n", "\(test.connections)", "--min-split", "1M")
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("not all of the file"), "\(result.error)")
  }

  /// A body that tells nothing of itself stalls, and the next one is of another version: nothing of the first may be
  /// in the file.
  @Test(arguments: [true, false], ["1", "4"])
  func anotherVersionAfterAStall(headIsRefused: Bool, connections: String) throws {
    let old = Content.bytes(Array(repeating: 0x41, count: 200_000))
    let new = Content.bytes(Array(repeating: 0x42, count: 200_000))
    let trial = try Trial(new) { request in
      if request.method == "HEAD", headIsRefused { return .status(405) }
      let isFirst = request.method == "GET" && request.indexOfMethod == 0
      return .file(isFirst ? old : new) {
        $0.etag = nil
        $0.lastModified = nil
        $0.acceptRanges = nil
        $0.honoursRange = false
        $0.isChunked = true
        $0.headLength = .missing
        if isFirst { $0.stallAfter = 100_000 }
      }
    }
    let result = try trial.run("-n", connections, "--stall-timeout", "1", "--give-up-after", "6")
    try trial.expectInvariants(result)
    #expect([0, 3, 6].contains(result.exitCode), "\(result.error)")
    #expect(trial.server.log.methods.prefix(2) == ["HEAD", "GET"])
    trial.heal()
    if result.exitCode != 0 { try trial.expect(trial.run(), exit: 0, .file) }
  }
}
