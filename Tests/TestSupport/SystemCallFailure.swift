internal import Glibc

/// A system call that failed in the test support itself.
package struct SystemCallFailure: Error, CustomStringConvertible {
  /// The call, with what it was about.
  package let call: String
  /// The error number, errno(3).
  package let code: Int32

  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  package var description: String {
    "\(call): \(String(cString: strerror(code)))"
  }
}

/// Calls `body` until it is not interrupted by a signal, and throws if it returns a negative number.
@discardableResult
func checked<Result: SignedInteger>(_ call: @autoclosure () -> String, _ body: () -> Result) throws -> Result {
  while true {
    let result = body()
    if result >= 0 { return result }
    if errno != EINTR { throw SystemCallFailure(call()) }
  }
}
