internal import Glibc

/// A file opened for reading, closed with its last owner.
final class OpenFile: Sendable {
  let descriptor: Int32

  init(path: String) throws {
    descriptor = try checked("open \(path)") { open(path, O_RDONLY | O_CLOEXEC) }
  }

  deinit {
    close(descriptor)
  }

  /// The length in bytes.
  func length() throws -> Int64 {
    var status = stat()
    try checked("fstat") { fstat(descriptor, &status) }
    return Int64(status.st_size)
  }

  /// Gives `body` between 1 and `count` bytes at `offset`.
  func withPiece<Result>(
    at offset: Int64, upTo count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(count, 256 << 10), alignment: 16)
    defer { buffer.deallocate() }
    let read = try checked("pread") { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) }
    guard read > 0 else { throw SystemCallFailure("pread at \(offset): the file has shrunk", code: EIO) }
    return try body(UnsafeRawBufferPointer(rebasing: buffer[..<read]))
  }
}
