internal import Glibc

/// The environment that commands run in: that of the tests, without what would make them depend on a person's set-up.
enum ChildEnvironment {
  private static let removed: Set<String> = [
    "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
    "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
    "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
    "NETRC", "NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR",
  ]
  // The home folder must not exist, and a crash must not start a debugger that hangs on a pipe.
  private static let fixed = [
    "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "SWIFT_BACKTRACE": "enable=no",
  ]

  /// `NAME=value` lines.
  static func lines(changes: [String: String?]) -> [String] {
    var values = inherited()
    for name in removed { values[name] = nil }
    values.merge(fixed) { $1 }
    for (name, value) in changes { values[name] = value }
    return values.map { "\($0.key)=\($0.value)" }.sorted()
  }

  private static func inherited() -> [String: String] {
    guard let file = try? OpenFile(path: "/proc/self/environ") else { return [:] }
    var bytes: [UInt8] = []
    while (try? file.withPiece(at: Int64(bytes.count), upTo: 1 << 16, { bytes.append(contentsOf: $0) })) != nil {}
    var values: [String: String] = [:]
    for line in bytes.split(separator: 0) {
      let parts = line.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      values[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
    }
    return values
  }
}
