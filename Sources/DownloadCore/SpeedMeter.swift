/// The speed of the last five seconds. Time is an argument: seconds on any clock that does not run backwards.
package struct SpeedMeter: Sendable {
  private struct Sample: Sendable {
    var total: Int64
    var time: Double
  }

  /// In seconds.
  private static let window = 5.0
  private static let spacing = 0.2
  private static let warmUp = 0.5

  /// At least `spacing` apart; the first is where the window begins, or earlier. Never more than 27.
  private var samples: [Sample] = []
  private var latest: Sample?

  /// Nothing was seen yet.
  package init() {}

  /// Takes note of the bytes that are here at this time. A smaller total than before begins again.
  package mutating func add(total: Int64, at time: Double) {
    if let latest, total < latest.total { restart() }
    if let latest, time < latest.time { return }
    latest = Sample(total: total, time: time)
    guard let last = samples.last else {
      samples.append(Sample(total: total, time: time))
      return
    }
    guard time - last.time >= Self.spacing else { return }
    samples.append(Sample(total: total, time: time))
    while samples.count > 2, samples[1].time <= time - Self.window { samples.removeFirst() }
  }

  /// Bytes a second; nil until half a second was seen. It falls by itself while nothing is added.
  package func rate(at time: Double) -> Double? {
    guard let latest, let first = samples.first, time - first.time >= Self.warmUp else { return nil }
    guard latest.time > time - Self.window else { return 0 }
    let base = samples.last { $0.time <= time - Self.window } ?? first
    // After a long silence the total at the window's beginning was still that of the last sample.
    let elapsed = min(time - base.time, Self.window + Self.spacing)
    return Double(latest.total - base.total) / elapsed
  }

  /// Forgets everything.
  package mutating func restart() { self = SpeedMeter() }
}
