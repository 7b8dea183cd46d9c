import Testing

@testable import DownloadEngine

@Suite struct MonotonicClockTests {
  @Test func standsStillInAGap() {
    var clock = MonotonicClock()
    #expect(clock.now(at: 100) == 100)
    #expect(clock.now(at: 100.9) == 100.9)
    // A stop of an hour.
    #expect(clock.now(at: 3700.9) == 100.9)
    #expect(clock.now(at: 3701.4) == 101.4)
  }

  @Test func goesOnAtTheLongestGap() {
    var clock = MonotonicClock()
    _ = clock.now(at: 0)
    #expect(clock.now(at: 1) == 1)
    #expect(clock.now(at: 2.5) == 1)
  }
}
