internal import DownloadCore

extension DownloadError {
  /// Wrong words: exit 2, nothing touched.
  static func usage(_ message: String) -> DownloadError { DownloadError(.usage, message) }

  /// An option, value or verb that the contract names and this version lacks.
  static func notBuilt(_ words: String) -> DownloadError { .usage("\(words) is not in this version yet") }
}
