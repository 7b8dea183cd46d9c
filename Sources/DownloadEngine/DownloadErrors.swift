import DownloadCore

/// The engine's failures, each made in one place.
extension DownloadError {
  static func targetExists(_ path: String) -> DownloadError {
    DownloadError(.targetExists, "\(path) exists and is not this file: left alone; use --force to replace it")
  }
}
