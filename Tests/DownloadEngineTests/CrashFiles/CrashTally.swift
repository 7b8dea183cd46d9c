import Glibc
import Synchronization

/// How much was broken off, for the test run's own output.
final class CrashTally: Sendable {
  static let shared = CrashTally()

  private struct Counts: Sendable {
    var calls = 0
    var runs = 0
    var damages = 0
  }

  private let counts = Mutex<[String: Counts]>([:])

  /// `calls` places at which runs were broken off; so many runs in all; so many damaged disks.
  func count(_ kind: String, calls: Int, runs: Int, damages: Int = 0) {
    let isFirst = counts.withLock { counts in
      defer {
        counts[kind, default: Counts()].calls += calls
        counts[kind, default: Counts()].runs += runs
        counts[kind, default: Counts()].damages += damages
      }
      return counts.isEmpty
    }
    if isFirst { atexit { CrashTally.shared.show() } }
  }

  private func show() {
    for (kind, counts) in counts.withLock({ $0.sorted { $0.key < $1.key } }) {
      print("Calls about files, \(kind): \(counts.calls) calls, \(counts.runs) runs, \(counts.damages) damaged disks")
    }
    fflush(nil)
  }
}
