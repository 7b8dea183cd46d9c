import DownloadCore
import Glibc

extension DownloadError {
  /// A failure of this machine's files: what was attempted, on which path, why.
  static func local(_ action: String, _ path: String, _ error: Errno) -> DownloadError {
    DownloadError(.local, "cannot \(action) \(Sanitiser.line(path, limit: 4096)): \(error.text)\(advice(error))")
  }

  private static func advice(_ error: Errno) -> String {
    switch error.code {
    case ENOSPC, EDQUOT: "; make room and run the same command again to resume"
    case EFBIG: "; the file is too large for this file system or for the limit on file sizes"
    default: ""
    }
  }
}
