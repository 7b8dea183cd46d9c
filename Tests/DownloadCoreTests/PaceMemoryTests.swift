import Testing

@testable import DownloadCore

/// For how long what held bytes back is remembered.
@Suite struct PaceMemoryTests {
  /// Until when, after holds at each twentieth of a second for so long.
  private static func end(_ pace: Pace, for seconds: Double) -> Double {
    var memory = PaceMemory()
    var now = 10.0
    while now <= 10 + seconds {
      memory.note(pace, at: now)
      now += 0.05
    }
    while memory.isRemembered(at: now) { now += 0.001 }
    return now - 10 - seconds
  }

  /// As long as it took, and no longer than a second: who catches up at once has told nothing of the connections.
  @Test(arguments: [(0, 0), (0.1, 0.1), (0.4, 0.4), (0.9, 0.9), (1, 1), (5, 1)])
  func aReaderIsRememberedForAsLongAsItTook(took: Double, remembered: Double) {
    #expect(abs(Self.end(.reader, for: took) - remembered) < 0.06)
  }

  /// A moment for each piece, but for all pieces.
  @Test(arguments: [0, 0.1, 5]) func aLimitIsRememberedForASecond(took: Double) {
    #expect(abs(Self.end(.limit, for: took) - 1) < 0.06)
  }

  @Test func whoWaitsForTheFrontIsNotHeldBackByUs() { #expect(Self.end(.front, for: 5) < 0.06) }

  /// One hold after another, far apart, is not one that lasts.
  @Test func holdsThatAreFarApartAreNotOne() {
    var memory = PaceMemory()
    for second in 0..<10 {
      memory.note(.reader, at: Double(second))
      #expect(!memory.isRemembered(at: Double(second) + 0.1))
    }
  }
}
