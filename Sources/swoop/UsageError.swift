internal import DownloadCore

extension DownloadError {
  /// Wrong words: exit 2, nothing touched.
  static func usage(_ message: String) -> DownloadError { DownloadError(.usage, message) }
}
