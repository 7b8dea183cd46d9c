/// Lets so many bytes a second through, over any time but the shortest.
///
/// Whoever has bytes to take asks first, and takes them all where the bucket is not overdrawn. In any span of t seconds
/// no more than `rate` * t bytes are taken, and one piece and `depth` seconds' worth.
package struct TokenBucket: Hashable, Sendable {
  /// In bytes a second.
  package let rate: Double
  /// Bytes that may be taken at once; less than 0 where the last piece was more than there was.
  private var tokens = 0.0
  private var filledAt: Double

  /// What was not taken is taken later for so many seconds, and no more: a busy machine keeps a process waiting now and
  /// then, but after a pause there is no burst.
  package static let depth = 0.25

  /// Begins empty: the first piece may be taken, and then pays for itself. Times are seconds on any clock.
  package init(rate: ByteCount, at now: Double) {
    self.rate = Double(rate.bytes)
    filledAt = now
  }

  /// Takes a piece; false: not now.
  package mutating func take(_ count: Int, at now: Double) -> Bool {
    fill(at: now)
    guard tokens >= 0 else { return false }
    tokens -= Double(count)
    return true
  }

  /// Seconds until a piece may be taken; 0: now.
  package mutating func delay(at now: Double) -> Double {
    fill(at: now)
    return max(0, -tokens / rate)
  }

  /// A clock that goes backward brings nothing.
  private mutating func fill(at now: Double) {
    tokens = min(tokens + rate * max(0, now - filledAt), rate * Self.depth)
    filledAt = max(filledAt, now)
  }

  /// The bytes to take at once at a rate, 50 times a second where libcurl can do with as little (CURLOPT_BUFFERSIZE(3):
  /// 1024); `most` are taken where nothing limits.
  package static func piece(at rate: ByteCount?, most: Int) -> Int {
    guard let rate else { return most }
    return Int(min(Int64(most), max(1024, rate.bytes / 50)))
  }

  /// What a connection's socket may hold that nobody has read yet, in bytes: what comes at the rate in half a second,
  /// that a slow reader is not seconds behind. Nil where the system's own choice is no more than that.
  package static func socketBuffer(at rate: ByteCount?) -> Int? {
    guard let rate, rate.bytes / 2 < 2 << 20 else { return nil }
    return Int(max(16 << 10, rate.bytes / 2))
  }
}
