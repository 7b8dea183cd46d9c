import Testing

@testable import DownloadCore

/// For how long what held bytes back is remembered.
@Suite struct PaceMemoryTests {
  /// For how long, after holds at each twentieth of a second for so many of them.
  private static func remembered(_ pace: Pace, after ticks: Int) -> Double {
    var memory = PaceMemory()
    for tick in 0...ticks { memory.note(pace, at: 10 + Double(tick) * 0.05) }
    let last = 10 + Double(ticks) * 0.05
    return (0...).lazy.map { Double($0) * 0.001 }.first { !memory.isRemembered(at: last + $0) }!
  }

  /// As long as it took, and no longer than a second: who catches up at once has told nothing of the connections.
  @Test(arguments: [(0, 0), (2, 0.1), (8, 0.4), (18, 0.9), (20, 1), (100, 1)])
  func aReaderIsRememberedForAsLongAsItTook(ticks: Int, seconds: Double) {
    #expect(abs(Self.remembered(.reader, after: ticks) - seconds) < 0.002)
  }

  /// A moment for each piece, but for all pieces.
  @Test(arguments: [0, 2, 100]) func aLimitIsRememberedForASecond(ticks: Int) {
    #expect(abs(Self.remembered(.limit, after: ticks) - 1) < 0.002)
  }

  @Test func whoWaitsForTheFrontIsNotHeldBackByUs() { #expect(Self.remembered(.front, after: 100) == 0) }

  /// One hold after another, far apart, is not one that lasts.
  @Test func holdsThatAreFarApartAreNotOne() {
    var memory = PaceMemory()
    for second in 0..<10 {
      memory.note(.reader, at: Double(second))
      #expect(!memory.isRemembered(at: Double(second) + 0.1))
    }
  }
}
