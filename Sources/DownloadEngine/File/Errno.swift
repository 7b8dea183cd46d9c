import DownloadCore
import Glibc

/// An error number of the C library (errno(3)).
struct Errno: Error, Hashable {
  let code: Int32

  init(_ code: Int32) { self.code = code }

  /// What the last call of this thread left behind.
  static var last: Errno { Errno(errno) }

  static let exists = Errno(EEXIST)
  static let notFound = Errno(ENOENT)
  static let interrupted = Errno(EINTR)
  static let isLink = Errno(ELOOP)
  static let noSpace = Errno(ENOSPC)

  /// The C library's words, lower case at the beginning.
  var text: String { String(cString: strerror(code)).asClause }
}

/// Repeats a call for as long as a signal interrupts it, and throws what else it fails with.
@discardableResult
func retrying<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
  while true {
    let result = call()
    guard result == -1 else { return result }
    let error = Errno.last
    guard error == .interrupted else { throw error }
  }
}
