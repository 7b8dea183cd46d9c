import Glibc

/// An open file that has one owner; closed when that lets go of it.
struct FileDescriptor: ~Copyable, Sendable {
  let raw: Int32

  init(_ raw: Int32) { self.raw = raw }

  deinit { Glibc.close(raw) }

  /// Closes it, and throws what the system could not write until then: NFS and quotas tell so late (close(2)).
  consuming func close() throws(Errno) {
    let descriptor = raw
    discard self
    guard Glibc.close(descriptor) != 0, Errno.last != .interrupted else { return }
    throw Errno.last
  }

  func status() throws(Errno) -> FileStatus { try FileStatus(descriptor: raw) }

  /// Writes all of it at an offset: pwrite(2) may write less than it was given.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = try retrying { pwrite(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(written)) }
      // Nothing written and no error: no file system does that for long, and waiting for one helps nobody.
      guard count > 0 else { throw Errno(EIO) }
      written += count
    }
  }

  /// Reads up to the buffer's length at an offset; less at the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let got = try retrying { pread(raw, rest.baseAddress, rest.count, off_t(offset) + off_t(count)) }
      guard got > 0 else { break }
      count += got
    }
    return count
  }
}
