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
  static let noSuchCall = Errno(ENOSYS)

  /// The C library's words, lower case at the beginning.
  var text: String { String(cString: strerror(code)).asClause }

  /// The result of a call of the C library; throws what it says went wrong where that is -1.
  @discardableResult
  static func check<Result: SignedInteger>(_ result: Result) throws(Errno) -> Result {
    guard result != -1 else { throw .last }
    return result
  }
}

/// Repeats a call for as long as a signal interrupts it, and throws what else it fails with.
@discardableResult
func retrying<Result>(_ call: () throws(Errno) -> Result) throws(Errno) -> Result {
  while true {
    do throws(Errno) { return try call() } catch { guard error == .interrupted else { throw error } }
  }
}
