internal import DownloadCore
internal import Glibc

/// Standard output, which is for results alone.
enum Results {
  /// Prints a result. Where the reader went away, ends as SIGPIPE would have.
  static func print(_ text: String) throws(DownloadError) {
    guard let code = Output.write(text, to: STDOUT_FILENO) else { return }
    if code == EPIPE { throw DownloadError(.interrupted(SIGPIPE), "") }
    throw DownloadError(.local, "cannot write to standard output: \(String(cString: strerror(code)))")
  }
}
