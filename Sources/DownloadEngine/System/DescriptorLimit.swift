import DownloadCore
import Glibc

/// How many connections the process may have beside its files (getrlimit(2), RLIMIT_NOFILE).
enum DescriptorLimit {
  /// What a download opens beside connections, for a moment at least: the folder, the part, a new manifest and the
  /// system's files, libcurl's own pair of sockets, and another one while it resolves a name.
  private static let reserve = 8
  /// So many are enough for everything.
  private static let plenty = 256

  /// As many connections as there are descriptors for, one at least. Raises the limit first, where the system lets us.
  /// `descriptorsEach`: how many each of them has.
  static func fitting(_ wanted: ConnectionLimit, descriptorsEach: Int = 1) -> ConnectionLimit {
    let limit = raised()
    guard limit < plenty else { return wanted }
    let open = (0..<Int32(limit)).count { fcntl($0, F_GETFD) >= 0 }
    let most = max(1, (limit - open - reserve) / descriptorsEach)
    switch wanted {
    case .fixed(let count): return .fixed(min(count, most))
    // It must be free to begin with a few and to add some.
    case .automatic: return most >= ConnectionLimit.automaticMost ? .automatic : .fixed(min(most, 4))
    }
  }

  /// What several downloads side by side may have.
  struct Company {
    /// At most this many at a time.
    var jobs: Int
    /// Connections to one host.
    var connections: Int
    /// Small files that are open until all of them are durable.
    var openFiles: Int
  }

  /// What a download beside others opens beside connections and its file: two descriptors to be woken by, libcurl's pair,
  /// a manifest, folders.
  private static let perJob = 14
  /// So many are enough for everything side by side.
  private static let plentyForAll = 4096

  /// As much of what is wanted as there are descriptors for.
  static func fitting(jobs: Int, connections: Int) -> Company {
    let limit = raised(to: plentyForAll)
    let free = max(0, limit - (0..<Int32(min(limit, 1024))).count { fcntl($0, F_GETFD) >= 0 } - reserve)
    let connections = max(1, min(connections, free / 2))
    let fittingJobs = max(1, min(jobs, (free - connections) / perJob))
    let rest = free - max(connections, fittingJobs) - fittingJobs * perJob
    return Company(jobs: fittingJobs, connections: connections, openFiles: max(1, min(2000, rest - 16)))
  }

  private static func raised(to plenty: Int = plenty) -> Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return plenty }
    if limits.rlim_cur < plenty, limits.rlim_cur < limits.rlim_max {
      limits.rlim_cur = min(limits.rlim_max, rlim_t(plenty))
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
    }
    return Int(min(limits.rlim_cur, rlim_t(plenty)))
  }
}
