internal import Glibc

/// What the environment tells.
enum Environment {
  /// A variable; nil where it is not set, or empty.
  static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The file that `--netrc` reads, as curl finds it.
  static var netrc: String? { value("NETRC") ?? value("HOME").map { "\($0)/.netrc" } }

  /// The file of options that is read unasked. A relative XDG_CONFIG_HOME does not count (XDG Base Directory
  /// Specification, "Environment variables"); nil where nothing tells the folder.
  static var configuration: String? {
    let folder =
      value("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? value("HOME").map { "\($0)/.config" }
    return folder.map { "\($0)/swoop/config" }
  }
}
