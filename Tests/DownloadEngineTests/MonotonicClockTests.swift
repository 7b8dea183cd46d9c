import Testing

@testable import DownloadEngine

@Suite struct MonotonicClockTests {
  @Test func standsStillInAGap() {
    var clock = MonotonicClock()
    #expect(clock.now(at: 100) == 100)
    #expect(clock.now(at: 100.5) == 100.5)
    // A stop of an hour.
    #expect(clock.now(at: 3700.5) == 100.5)
    #expect(clock.now(at: 3701.25) == 101.25)
  }

  @Test func goesOnAtTheLongestGap() {
    var clock = MonotonicClock()
    _ = clock.now(at: 0)
    #expect(clock.now(at: 1) == 1)
    #expect(clock.now(at: 2.5) == 1)
  }
}
