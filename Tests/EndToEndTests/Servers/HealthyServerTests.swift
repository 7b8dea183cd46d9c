import FaultCatalogue
import TestSupport
import Testing

/// Servers without a fault, and lengths that lie at the edges (R01, R38 to R42).
@Suite(.waiting) struct HealthyServerTests {
  @Test(.row("R01")) func healthy() throws {
    let trial = try Trial(.ten, .file(.ten))
    try trial.expect(trial.run(), exit: 0, .file, says: "saved file.bin", "not verified")
    try trial.expectCleanRerun()
    let gets = trial.server.log.entries.map(\.request).filter { $0.method == "GET" }
    #expect(gets.allSatisfy { $0.headers["If-Range"] == Content.ten.etag })
  }

  /// Every byte is asked for once.
  @Test func cappedServerGivesDisjointRanges() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 1_000_000
    let trial = try Trial(.ten, .file(.ten), settings: settings)
    try trial.expect(trial.run("-n", "8"), exit: 0, .file)
    let log = trial.server.settledLog()
    #expect(log.maxConcurrentRequests >= 8)
    #expect(log.count(ofStatus: 206) == log.entries.count - 1)
    // The end of a range may go to another connection; what is before that is asked for once.
    let asked = log.entries.compactMap { $0.request.askedBytes(of: Content.ten.length) }
    let starts = asked.map(\.lowerBound).sorted()
    #expect(starts.first == 0 && Set(starts).count == starts.count)
    for (range, next) in zip(asked.sorted { $0.lowerBound < $1.lowerBound }, starts.dropFirst()) {
      #expect(range.upperBound >= next)
    }
  }

  private static let edges: [Int64] = [
    0, 1, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577, 4_194_303, 4_194_305,
  ]

  @Test(.row("R38", "R39", "R40"), arguments: edges)
  func lengthsAtTheEdges(length: Int64) throws {
    for refusesHead in [false, true] {
      let content = Content.pattern(length: length)
      let trial = try Trial(content) { request in
        refusesHead && request.method == "HEAD" ? .status(405) : .file(content)
      }
      try trial.expect(trial.run(), exit: 0, .file)
      try trial.expectCleanRerun()
    }
  }

  /// Numbers that no count of bytes can hold, and some that one can.
  @Test(
    .row("R42"),
    arguments: [
      ("9223372036854775808", "too large"), ("18446744073709551616", "too large"),
      ("1" + String(repeating: "0", count: 40), "too large"), ("9223372036854775807", "too large"),
      ("1000000000000000", "not enough room"),
    ])
  func tooLargeForAnyDisk(length: String, words: String) throws {
    let trial = try Trial(.ten, .file(.ten) { $0.contentLengths = [length] })
    try trial.expect(trial.run(), exit: 7, .nothing, says: words)
    // Nothing but heads was taken.
    #expect(trial.server.log.entries.allSatisfy { $0.request.method == "HEAD" })
    try trial.expectCleanRerun()
  }
}

extension Content {
  /// The file of most cases: 10 MB and one byte.
  static let ten = Content.pattern(length: 10_000_001)
  /// Another version of it, as long.
  static let other = Content.pattern(length: 10_000_001, seed: 2)
}
