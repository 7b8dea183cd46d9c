package import DownloadCore
import Synchronization

/// What `--limit-rate` allows, over all connections of all downloads that share it.
package final class RateLimiter: Sendable {
  private let bucket: Mutex<TokenBucket>

  /// `rate` in bytes a second.
  package init(_ rate: ByteCount) {
    bucket = Mutex(TokenBucket(rate: rate, at: MonotonicClock.seconds()))
  }

  /// Takes a piece of so many bytes; false: not now.
  func take(_ count: Int) -> Bool { bucket.withLock { $0.take(count, at: MonotonicClock.seconds()) } }

  /// Seconds until a piece may be taken; 0: now.
  var delay: Double { bucket.withLock { $0.delay(at: MonotonicClock.seconds()) } }
}
