import Glibc

/// Seconds that only go forward, and that stand still while the process is stopped.
///
/// The kernel's monotonic clock (clock_gettime(2)) runs on while a process is stopped by SIGSTOP, while its machine
/// sleeps, and while its own disk holds it up. A reader that looks several times a second sees that as a gap between
/// two looks, and takes it out: no server was listened to meanwhile, and none can have missed a time limit.
package struct MonotonicClock {
  private var discounted = 0.0
  private var lastLook: Double?

  /// Between two looks, in seconds; more than a busy machine keeps a process waiting for.
  private static let longestGap = 1.0

  /// Seconds since some moment of the past, stops included.
  package static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// Looks at the clock.
  mutating func now() -> Double { now(at: Self.seconds()) }

  /// The same for a look at a given time.
  mutating func now(at time: Double) -> Double {
    if let lastLook, time - lastLook > Self.longestGap { discounted += time - lastLook }
    lastLook = time
    return time - discounted
  }
}
