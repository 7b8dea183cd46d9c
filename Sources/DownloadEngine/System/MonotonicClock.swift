import Glibc

/// Seconds that only go forward, and that stand still while the process is stopped.
///
/// The kernel's monotonic clock (clock_gettime(2)) runs on while a process is stopped by SIGSTOP; a caller that finds
/// itself much later than it meant to be back takes the gap out with `discount`.
struct MonotonicClock {
  private var discounted = 0.0

  /// Seconds since some moment of the past.
  static func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  var now: Double { Self.seconds() - discounted }

  mutating func discount(_ seconds: Double) { discounted += seconds }
}
