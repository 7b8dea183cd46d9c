internal import Glibc

/// The reading end of a FIFO that a command writes to: what comes is read only as far as a test wants.
///
/// Not `Sendable`: one test reads.
package final class FIFOReader {
  /// Where the command opens it.
  package let path: String
  private var descriptor: Int32

  /// Makes the FIFO, and opens it unless nobody `reads` it yet. Throws `SystemCallFailure`.
  package init(_ path: String, reads: Bool = true) throws {
    self.path = path
    guard mkfifo(path, 0o600) == 0 else { throw SystemCallFailure("mkfifo") }
    descriptor = -1
    if reads { try open() }
  }

  deinit { close() }

  /// Begins to read.
  package func open() throws {
    descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemCallFailure("open") }
  }

  /// Goes away.
  package func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Reads so many bytes, or less where the writer has ended or nothing has come for `patience` milliseconds.
  package func read(_ count: Int, patience: Int32 = 20_000) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&entry, 1, patience)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { break }
      let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + done, count - done) }
      if got < 0, errno == EAGAIN || errno == EINTR { continue }
      guard got >= 0 else { throw SystemCallFailure("read") }
      guard got > 0 else { break }
      done += got
    }
    return Array(bytes.prefix(done))
  }
}
