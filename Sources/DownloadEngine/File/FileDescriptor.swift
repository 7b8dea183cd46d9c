import DownloadCore
import Glibc

/// An open file or folder that has one owner; closed when that lets go of it. Interrupted calls are repeated here.
struct FileDescriptor: ~Copyable, Sendable {
  let raw: Int32
  let system: any FileSystem
  private var isClosed = false

  /// Stands for the process' working folder, in place of an open one (openat(2)).
  static let workingFolder = AT_FDCWD

  init(_ raw: Int32, of system: any FileSystem) {
    self.raw = raw
    self.system = system
  }

  // Nothing was written that a failed close could lose: who writes calls `close`.
  deinit { if !isClosed { try? system.close(raw) } }

  /// Closes it, and throws what the system could not write until then: NFS and quotas tell so late (close(2)).
  consuming func close() throws(Errno) {
    isClosed = true
    do throws(Errno) { try system.close(raw) } catch { guard error == .interrupted else { throw error } }
  }

  /// Throws what a close would throw, and stays open. One that is interrupted is done all the same.
  func flush() throws(Errno) {
    do throws(Errno) { try system.flush(raw) } catch { guard error == .interrupted else { throw error } }
  }

  func status() throws(Errno) -> FileStatus { try retrying { () throws(Errno) in try system.status(of: raw) } }

  /// Bytes that are free for us on its disk; nil where that cannot be told.
  var freeSpace: Int64? { try? retrying { () throws(Errno) in try system.freeSpace(around: raw) } }

  /// Writes all of it at an offset: pwrite(2) may write less than it was given.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
      let count = try retrying { () throws(Errno) in try system.write(raw, rest, at: offset + Int64(written)) }
      // Nothing written and no error: no file system does that for long, and waiting for one helps nobody.
      guard count > 0 else { throw Errno(EIO) }
      written += count
    }
  }

  /// Writes some of it behind what was written last.
  func append(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try retrying { () throws(Errno) in try system.append(raw, bytes) }
  }

  /// Reads up to the buffer's length at an offset; less at the file's end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    var count = 0
    while count < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let got = try retrying { () throws(Errno) in try system.read(raw, into: rest, at: offset + Int64(count)) }
      guard got > 0 else { break }
      count += got
    }
    return count
  }

  func truncate(to length: Int64) throws(Errno) {
    try retrying { () throws(Errno) in try system.truncate(raw, to: length) }
  }

  /// Reserves room on the disk; `keepingLength`, room behind the end does not make the file longer.
  func allocate(_ range: ByteRange, keepingLength: Bool = false) throws(Errno) {
    try retrying { () throws(Errno) in try system.allocate(raw, range, keepingLength: keepingLength) }
  }

  /// Gives the room of a range, of which nothing is wanted any more, back to the disk.
  func release(_ range: ByteRange) throws(Errno) {
    try retrying { () throws(Errno) in try system.release(raw, range) }
  }

  /// Makes it durable; where `dataOnly`, what is not needed to read it again may wait (fdatasync(2)).
  func sync(dataOnly: Bool = false) throws(Errno) {
    try retrying { () throws(Errno) in try system.sync(raw, dataOnly: dataOnly) }
  }

  /// Takes a lock; throws EWOULDBLOCK or EACCES where somebody else has it.
  func lock(_ kind: LockKind) throws(Errno) { try retrying { () throws(Errno) in try system.lock(raw, kind) } }

  func setMode(_ mode: mode_t) throws(Errno) { try retrying { () throws(Errno) in try system.setMode(raw, mode) } }

  /// In seconds since 1970.
  func setModified(_ seconds: Int64) throws(Errno) {
    try retrying { () throws(Errno) in try system.setModified(raw, seconds) }
  }
}
