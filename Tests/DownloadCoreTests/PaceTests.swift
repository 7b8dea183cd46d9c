import DownloadCore
import Testing

@Suite struct BackOffTests {
  @Test(
    arguments: [
      (-5, 0.25), (0, 0.25), (1, 0.25), (2, 0.5), (3, 1), (4, 2), (5, 4), (6, 8), (7, 16), (8, 30), (9, 30),
      (Int.max, 30),
    ] as [(Int, Double)])
  func doubles(_ attempt: Int, _ seconds: Double) {
    #expect(BackOff.delay(attempt: attempt, random: 0.5) == seconds)
    #expect(BackOff.delay(attempt: attempt, random: 0) == seconds / 2)
    #expect(BackOff.delay(attempt: attempt, random: 1) == seconds * 1.5)
  }
}

@Suite struct SpeedMeterTests {
  /// Feeds `rate` bytes a second in steps.
  private func run(_ meter: inout SpeedMeter, from start: Double, to end: Double, total: inout Int64, rate: Double) {
    let step = 0.05
    for index in 1...Int((end - start) / step) {
      total += Int64(rate * step)
      meter.add(total: total, at: start + Double(index) * step)
    }
  }

  private func isNear(_ value: Double?, _ expected: Double) -> Bool {
    value.map { abs($0 - expected) <= expected * 0.1 } ?? false
  }

  @Test func isSilentAtFirst() {
    var meter = SpeedMeter()
    #expect(meter.rate(at: 100) == nil)
    meter.add(total: 5000, at: 0)
    meter.add(total: 6000, at: 0.4)
    #expect(meter.rate(at: 0.4) == nil)
    #expect(meter.rate(at: 0.5) == 2000)
  }

  @Test func measuresTheLastSeconds() {
    var (meter, total) = (SpeedMeter(), Int64(1_000_000))
    meter.add(total: total, at: 0)
    run(&meter, from: 0, to: 20, total: &total, rate: 100_000)
    #expect(isNear(meter.rate(at: 20), 100_000))
    run(&meter, from: 20, to: 22.5, total: &total, rate: 300_000)
    #expect(isNear(meter.rate(at: 22.5), 200_000))
    run(&meter, from: 22.5, to: 30, total: &total, rate: 300_000)
    #expect(isNear(meter.rate(at: 30), 300_000))
  }

  @Test func fallsInSilenceAndComesBack() {
    var (meter, total) = (SpeedMeter(), Int64(0))
    meter.add(total: 0, at: 0)
    run(&meter, from: 0, to: 10, total: &total, rate: 100_000)
    #expect(isNear(meter.rate(at: 12.5), 50_000))
    #expect(meter.rate(at: 60) == 0)
    run(&meter, from: 60, to: 66, total: &total, rate: 100_000)
    #expect(isNear(meter.rate(at: 66), 100_000))
  }

  @Test func beginsAgain() {
    var meter = SpeedMeter()
    meter.add(total: 1_000_000, at: 0)
    meter.add(total: 2_000_000, at: 1)
    meter.add(total: 10, at: 2)
    #expect(meter.rate(at: 2) == nil)
    meter.add(total: 1010, at: 3)
    #expect(meter.rate(at: 3) == 1000)
    meter.restart()
    #expect(meter.rate(at: 9) == nil)
  }

  @Test func ignoresTimeThatRunsBackwards() {
    var meter = SpeedMeter()
    meter.add(total: 0, at: 10)
    meter.add(total: 1000, at: 11)
    meter.add(total: 2000, at: 5)
    #expect(meter.rate(at: 11) == 1000)
  }

  @Test func staysSmall() {
    var meter = SpeedMeter()
    for index in 0..<200_000 { meter.add(total: Int64(index), at: Double(index) * 0.07) }
    let samples = Swift.Mirror(reflecting: meter).children.first { $0.label == "samples" }?.value as? [Any]
    #expect((samples?.count ?? .max) <= 27)
  }
}
