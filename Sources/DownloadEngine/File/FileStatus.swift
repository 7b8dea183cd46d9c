import DownloadCore
import Glibc

/// What stat(2) tells of a file, as far as it matters here.
struct FileStatus: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case regular, folder, link, pipe, socket, blockDevice, other
  }

  let kind: Kind
  /// In bytes.
  let size: Int64
  /// Bytes that it has on the disk.
  let allocated: Int64
  let owner: uid_t
  let links: Int
  /// Whole seconds since 1970.
  let modifiedSeconds: Int64
  let device: UInt64
  let inode: UInt64
  private let modifiedNanoseconds: Int

  init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .regular
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .link
    case S_IFIFO: kind = .pipe
    case S_IFSOCK: kind = .socket
    case S_IFBLK: kind = .blockDevice
    default: kind = .other
    }
    size = Int64(status.st_size)
    allocated = Int64(status.st_blocks) * 512
    owner = status.st_uid
    links = Int(status.st_nlink)
    modifiedSeconds = Int64(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  /// As a manifest keeps it.
  var identity: Manifest.PartIdentity {
    let nanoseconds = String(modifiedNanoseconds)
    let padded = String(repeating: "0", count: max(0, 9 - nanoseconds.count)) + nanoseconds
    return Manifest.PartIdentity(device: device, inode: inode, modified: "\(modifiedSeconds).\(padded)")
  }

  func isSameFile(as other: FileStatus) -> Bool { inode == other.inode && device == other.device }

  /// Whether it is ours to use: owned by us, or by who owns the folder.
  func isOurs(in folder: @autoclosure () throws(Errno) -> FileStatus) throws(Errno) -> Bool {
    if owner == geteuid() { return true }
    return try owner == folder().owner
  }
}
