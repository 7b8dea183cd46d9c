import DownloadCore
import Glibc

/// What the engine asks of files, one call of the system each: it may be interrupted by a signal (`Errno.interrupted`), and
/// it may write or read less than it was asked for. Files and folders are named by descriptors, and by names in folders.
///
/// Nothing else in the engine calls the system about files, so that a test can put a file system of its own here: one
/// that fails at any call, or loses what was not synced.
protocol FileSystem: Sendable {
  /// Tells one run of the kernel from the next; nil where nothing does.
  var boot: String? { get }

  /// openat(2); `folder` is an open folder, or `FileDescriptor.workingFolder`.
  func open(_ name: String, in folder: Int32, _ flags: Int32, mode: mode_t) throws(Errno) -> Int32
  /// close(2): the descriptor is gone whatever this throws.
  func close(_ file: Int32) throws(Errno)
  /// Does what a close would do and could fail at, and leaves the file open: network file systems and those in user
  /// space write, and tell what went wrong, when a descriptor is closed (close(2)).
  func flush(_ file: Int32) throws(Errno)
  /// fstat(2).
  func status(of file: Int32) throws(Errno) -> FileStatus
  /// fstatat(2), of a link itself or of what it leads to.
  func status(of name: String, in folder: Int32, followingLinks: Bool) throws(Errno) -> FileStatus
  /// Throws where no files can be made in an open folder (faccessat(2)).
  func checkAccess(to folder: Int32) throws(Errno)
  /// Bytes that are free for us where a file lies (fstatvfs(3)).
  func freeSpace(around file: Int32) throws(Errno) -> Int64

  /// pread(2).
  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int
  /// pwrite(2).
  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int
  /// write(2).
  func append(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
  /// A file that is in memory and has no name (memfd_create(2)).
  func makeMemoryFile() throws(Errno) -> Int32
  /// A second descriptor of an open file, to write by (fcntl(2), F_DUPFD_CLOEXEC). Throws EBADF where that is not open
  /// for writing.
  func duplicate(_ file: Int32) throws(Errno) -> Int32
  /// ftruncate(2).
  func truncate(_ file: Int32, to length: Int64) throws(Errno)
  /// fallocate(2); `keepingLength`, room behind the file's end does not make it longer.
  func allocate(_ file: Int32, _ range: ByteRange, keepingLength: Bool) throws(Errno)
  /// Gives the room of a range back to the disk; its bytes are zeros then (fallocate(2), FALLOC_FL_PUNCH_HOLE).
  func release(_ file: Int32, _ range: ByteRange) throws(Errno)
  /// fsync(2), of files and folders; fdatasync(2) where `dataOnly`.
  func sync(_ file: Int32, dataOnly: Bool) throws(Errno)
  /// Makes all that was written to the disk that a file or folder is on durable (syncfs(2)).
  func syncAll(around file: Int32) throws(Errno)
  /// Takes a lock that is held until the file is closed. Throws EWOULDBLOCK or EACCES where somebody else has it.
  func lock(_ file: Int32, _ kind: LockKind) throws(Errno)
  /// fchmod(2).
  func setMode(_ file: Int32, _ mode: mode_t) throws(Errno)
  /// futimens(3): seconds since 1970.
  func setModified(_ file: Int32, _ seconds: Int64) throws(Errno)

  /// mkdir(2), with all rights that the umask leaves.
  func makeFolder(_ path: String) throws(Errno)
  /// rmdir(2).
  func removeFolder(_ path: String) throws(Errno)
  /// unlinkat(2).
  func remove(_ name: String, in folder: Int32) throws(Errno)
  /// renameat(2); where not `replacing`, renameat2(2) with RENAME_NOREPLACE.
  func rename(_ name: String, to new: String, in folder: Int32, replacing: Bool) throws(Errno)
  /// linkat(2).
  func link(_ name: String, as new: String, in folder: Int32) throws(Errno)
  /// The names in an open folder, in no order (readdir(3)).
  func names(in folder: Int32) throws(Errno) -> [String]
  /// Copies up to `count` bytes from one file to another where the kernel can do that by itself, by sharing them if the
  /// file system knows how (copy_file_range(2)); fewer or none where the source ends.
  func copy(
    _ count: Int, from source: Int32, at offset: Int64, to target: Int32, at place: Int64
  ) throws(Errno) -> Int
}

extension FileSystem {
  /// For those that keep nothing back until a close.
  func flush(_ file: Int32) throws(Errno) {}

  /// For those that know no such call: each file is synced by itself then.
  func syncAll(around file: Int32) throws(Errno) { throw Errno(ENOSYS) }
  /// For those that hold no devices, and nothing without a name.
  func append(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int { throw Errno(ENOSYS) }
  func makeMemoryFile() throws(Errno) -> Int32 { throw Errno(ENOSYS) }
  func duplicate(_ file: Int32) throws(Errno) -> Int32 { throw Errno(ENOSYS) }

  /// For those that reserve nothing.
  func release(_ file: Int32, _ range: ByteRange) throws(Errno) {}

  /// For those that list nothing.
  func names(in folder: Int32) throws(Errno) -> [String] { throw Errno(ENOSYS) }

  /// For those that read and write only.
  func copy(
    _ count: Int, from source: Int32, at offset: Int64, to target: Int32, at place: Int64
  ) throws(Errno) -> Int { throw Errno(ENOSYS) }
}

/// The kinds of lock that belong to an open file. Never one of the process (plain F_SETLK): closing any descriptor of
/// the file would drop it.
enum LockKind: Hashable, Sendable {
  /// flock(2).
  case whole
  /// An open file description lock (fcntl(2)), which network file systems know, too.
  case openFile
  /// The same of these bytes alone.
  case range(ByteRange)

  /// What holds for a whole file against everybody.
  static let ofAll = [whole, openFile]
}
