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

  private static func raised() -> Int {
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
