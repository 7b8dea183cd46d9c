internal import Glibc

/// A port of 127.0.0.1 that refuses connections for as long as this lives: a socket is bound to it and never listens,
/// so that no other test's server can get it meanwhile.
package struct RefusingPort: ~Copyable {
  package let number: UInt16
  private let descriptor: Int32

  /// Throws `SystemCallFailure`.
  package init() throws {
    let descriptor = try LoopbackAddress(port: 0).bound()
    do {
      let number = try LoopbackAddress.port(of: descriptor)
      self.descriptor = descriptor
      self.number = number
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit {
    close(descriptor)
  }

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  package var origin: String {
    "http://127.0.0.1:\(number)"
  }

  /// The bound socket, for a server that listens on it from now on and closes it at its end. The port is never free in
  /// between, when another test's server could get it.
  package consuming func socket() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }
}
