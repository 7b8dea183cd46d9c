/// A token bucket: says when the next bytes may be sent so that no more than `bytesPerSecond` go out.
///
/// From its beginning, at most `burst + bytesPerSecond * seconds` bytes are let through. Sleeping too long is made up
/// for; time in which nothing was asked for is worth one burst.
struct Pacer {
  private static let longestBurst = 65_536.0
  private static let oversleep = Duration.milliseconds(20)
  private static let step = 0.01

  /// The rate.
  var bytesPerSecond: Double
  private var paidUntil: ContinuousClock.Instant
  private var hasWaited = false

  /// A bucket that holds one burst: 50 ms worth, at most 64 KiB.
  init(bytesPerSecond: Double, now: ContinuousClock.Instant) {
    self.bytesPerSecond = bytesPerSecond
    paidUntil = now
    paidUntil -= burst
  }

  private var burst: Duration {
    .seconds(min(Self.longestBurst, bytesPerSecond / 20) / bytesPerSecond)
  }

  /// The bytes to send at a time: as many as 10 ms bring.
  var pieceLength: Int {
    Int(max(1, min(Double(256 << 10), bytesPerSecond * Self.step)))
  }

  /// A new answer begins: the time before it is worth one burst and no more.
  mutating func begin() {
    hasWaited = false
  }

  /// Takes `count` bytes out of the bucket, and says when they may be sent.
  mutating func take(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let credit = hasWaited ? max(burst, Self.oversleep) : burst
    paidUntil = max(paidUntil, now - credit) + .seconds(Double(count) / bytesPerSecond)
    hasWaited = paidUntil > now
    return paidUntil
  }
}
