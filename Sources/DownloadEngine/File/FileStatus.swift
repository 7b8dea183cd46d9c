// Both: which of the two modules defines `stat` depends on which the compiler reads first.
import Clinux
import DownloadCore
import Glibc

/// What the system knows of a file (stat(2)).
struct FileStatus: Sendable {
  private let raw: stat

  /// Of an open file.
  init(descriptor: Int32) throws(Errno) {
    var found = stat()
    try retrying { fstat(descriptor, &found) }
    raw = found
  }

  /// Of a name in an open folder, a link's own.
  init(folder: Int32, name: String) throws(Errno) {
    var found = stat()
    try retrying { fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) }
    raw = found
  }

  /// Of a path, links followed.
  init(path: String) throws(Errno) {
    var found = stat()
    try retrying { stat(path, &found) }
    raw = found
  }

  var isRegular: Bool { raw.st_mode & S_IFMT == S_IFREG }
  var isFolder: Bool { raw.st_mode & S_IFMT == S_IFDIR }
  /// In bytes.
  var size: Int64 { Int64(raw.st_size) }
  /// The bytes that it takes up on the disk.
  var allocated: Int64 { Int64(raw.st_blocks) * 512 }
  /// When its bytes were changed last, in seconds since 1970.
  var modified: Int64 { Int64(raw.st_mtim.tv_sec) }
  /// How many names it has.
  var names: Int { Int(raw.st_nlink) }

  /// Whether it belongs to us or to the owner of the folder that it is in.
  func isOurs(in folder: FileStatus) -> Bool { raw.st_uid == geteuid() || raw.st_uid == folder.raw.st_uid }

  func isSameFile(as other: FileStatus) -> Bool {
    raw.st_ino == other.raw.st_ino && raw.st_dev == other.raw.st_dev
  }

  /// What tells later whether the file was touched since.
  var identity: Manifest.PartIdentity {
    let nanoseconds = String(raw.st_mtim.tv_nsec)
    let padded = String(repeating: "0", count: max(0, 9 - nanoseconds.count)) + nanoseconds
    return Manifest.PartIdentity(
      device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino), modified: "\(raw.st_mtim.tv_sec).\(padded)")
  }
}
