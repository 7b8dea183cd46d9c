import DownloadCore
import Glibc

/// A file of this machine that a `file://` URL names.
///
/// libcurl opens it by its path and tells no more than its size and its time in seconds. So it is looked at before and
/// after libcurl has opened it: if both looks see the same, what libcurl reads is of that.
struct SourceFile {
  let path: String
  private let system: any FileSystem
  private let seen: FileStatus

  /// Throws `refused` for what is no file that can be read. libcurl is never asked to open anything else: a FIFO would
  /// keep it waiting.
  init(_ url: RemoteURL, in system: any FileSystem = LinuxFileSystem()) throws(DownloadError) {
    path = PercentCoding.decodedText(url.path)
    self.system = system
    do throws(Errno) {
      seen = try Self.look(at: path, in: system)
      guard seen.kind == .regular else { throw seen.kind == .folder ? Errno(EISDIR) : Errno(ENOTSUP) }
      let descriptor = try retrying { () throws(Errno) in
        try system.open(path, in: FileDescriptor.workingFolder, O_RDONLY | O_NONBLOCK, mode: 0)
      }
      try Self.check(seen.size, of: FileDescriptor(descriptor, of: system))
    } catch {
      let reasons = [ENOTSUP: "it is a device, socket or FIFO", ESPIPE: "its length is not known before it is read"]
      throw .refused(url, reasons[error.code] ?? error.text)
    }
  }

  /// The kernel's own files (proc(5), sysfs(5)) are regular ones that are made while they are read, whatever their size
  /// says; some of them wait for something to happen. Throws ESPIPE for those.
  private static func check(_ size: Int64, of file: consuming FileDescriptor) throws(Errno) {
    let byte = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    defer { byte.deallocate() }
    let count: Int
    do throws(Errno) {
      count = try file.read(into: byte, at: max(0, size - 1))
    } catch {
      throw error.code == EAGAIN ? Errno(ESPIPE) : error
    }
    guard count == min(size, 1) else { throw Errno(ESPIPE) }
  }

  private static func look(at path: String, in system: any FileSystem) throws(Errno) -> FileStatus {
    try retrying { () throws(Errno) in
      try system.status(of: path, in: FileDescriptor.workingFolder, followingLinks: true)
    }
  }

  /// What is told of it, now that libcurl has it open; nil where it became another one meanwhile.
  func file() -> PlainFile? {
    guard let now = try? Self.look(at: path, in: system), now.identity == seen.identity, now.size == seen.size else {
      return nil
    }
    let version = "\(now.identity.device)-\(now.identity.inode)-\(now.identity.modified)"
    return PlainFile(
      length: now.size, modified: HTTPDate(secondsSinceEpoch: now.modifiedSeconds), version: version)
  }
}
