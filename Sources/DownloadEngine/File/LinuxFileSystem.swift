import Clinux
import DownloadCore
import Glibc

/// The machine's own files.
struct LinuxFileSystem: FileSystem {
  /// random(4).
  var boot: String? { Self.bootIdentifier }

  private static let bootIdentifier: String? = {
    let descriptor = Glibc.open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let file = FileDescriptor(descriptor, of: LinuxFileSystem())
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { buffer in (try? file.read(into: buffer, at: 0)) ?? 0 }
    return String(decoding: bytes.prefix(count).prefix { $0 > 0x20 }, as: UTF8.self)
  }()

  func open(_ name: String, in folder: Int32, _ flags: Int32, mode: mode_t) throws(Errno) -> Int32 {
    try Errno.check(swoop_openat(folder, name, flags | O_CLOEXEC, mode))
  }

  func close(_ file: Int32) throws(Errno) { try Errno.check(Glibc.close(file)) }

  /// By closing a duplicate: neither kind of our locks goes with it.
  func flush(_ file: Int32) throws(Errno) {
    let duplicate = fcntl(file, F_DUPFD_CLOEXEC, 0)
    try Errno.check(duplicate)
    try close(duplicate)
  }

  func status(of file: Int32) throws(Errno) -> FileStatus {
    var found = stat()
    try Errno.check(fstat(file, &found))
    return FileStatus(found)
  }

  func status(of name: String, in folder: Int32, followingLinks: Bool) throws(Errno) -> FileStatus {
    var found = stat()
    try Errno.check(fstatat(folder, name, &found, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW))
    return FileStatus(found)
  }

  func checkAccess(to folder: Int32) throws(Errno) {
    try Errno.check(faccessat(folder, ".", W_OK | X_OK, AT_EACCESS))
  }

  func freeSpace(around file: Int32) throws(Errno) -> Int64 {
    var system = statvfs()
    try Errno.check(fstatvfs(file, &system))
    let (free, overflows) = Int64(clamping: system.f_bavail).multipliedReportingOverflow(by: Int64(system.f_frsize))
    return overflows ? .max : free
  }

  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    try Errno.check(pread(file, buffer.baseAddress, buffer.count, off_t(offset)))
  }

  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    try Errno.check(pwrite(file, bytes.baseAddress, bytes.count, off_t(offset)))
  }

  func append(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try Errno.check(Glibc.write(file, bytes.baseAddress, bytes.count))
  }

  func makeMemoryFile() throws(Errno) -> Int32 { try Errno.check(swoop_memory_file()) }

  func duplicate(_ file: Int32) throws(Errno) -> Int32 {
    guard try Errno.check(fcntl(file, F_GETFL)) & O_ACCMODE != O_RDONLY else { throw Errno(EBADF) }
    return try Errno.check(fcntl(file, F_DUPFD_CLOEXEC, 0))
  }

  func truncate(_ file: Int32, to length: Int64) throws(Errno) { try Errno.check(ftruncate(file, off_t(length))) }

  /// The system call: the C library's posix_fallocate(3) would write zeros.
  func allocate(_ file: Int32, _ range: ByteRange, keepingLength: Bool) throws(Errno) {
    try Errno.check(swoop_fallocate(file, range.start, range.count, keepingLength ? 1 : 0))
  }

  func release(_ file: Int32, _ range: ByteRange) throws(Errno) {
    try Errno.check(swoop_release(file, range.start, range.count))
  }

  func sync(_ file: Int32, dataOnly: Bool) throws(Errno) {
    try Errno.check(dataOnly ? fdatasync(file) : fsync(file))
  }

  func syncAll(around file: Int32) throws(Errno) { try Errno.check(swoop_sync_file_system(file)) }

  func lock(_ file: Int32, _ kind: LockKind) throws(Errno) {
    switch kind {
    case .whole: try Errno.check(flock(file, LOCK_EX | LOCK_NB))
    case .openFile: try Errno.check(swoop_lock_open_file(file, 0, 0))
    case .range(let range): try Errno.check(swoop_lock_open_file(file, range.start, range.count))
    }
  }

  func setMode(_ file: Int32, _ mode: mode_t) throws(Errno) { try Errno.check(fchmod(file, mode)) }

  func setModified(_ file: Int32, _ seconds: Int64) throws(Errno) {
    var times = [timespec(tv_sec: 0, tv_nsec: Self.omitTime), timespec(tv_sec: time_t(seconds), tv_nsec: 0)]
    try Errno.check(futimens(file, &times))
  }

  /// utimensat(2): leave this time as it is; the macro does not reach Swift.
  private static let omitTime = (1 << 30) - 2

  func makeFolder(_ path: String) throws(Errno) { try Errno.check(mkdir(path, 0o777)) }

  func removeFolder(_ path: String) throws(Errno) { try Errno.check(rmdir(path)) }

  func remove(_ name: String, in folder: Int32) throws(Errno) { try Errno.check(unlinkat(folder, name, 0)) }

  func rename(_ name: String, to new: String, in folder: Int32, replacing: Bool) throws(Errno) {
    try Errno.check(
      replacing ? renameat(folder, name, folder, new) : swoop_rename_no_replace(folder, name, new))
  }

  func link(_ name: String, as new: String, in folder: Int32) throws(Errno) {
    try Errno.check(linkat(folder, name, folder, new, 0))
  }

  /// Through a descriptor of its own: the stream closes what it is given.
  func names(in folder: Int32) throws(Errno) -> [String] {
    let raw = try open(".", in: folder, O_RDONLY | O_DIRECTORY, mode: 0)
    guard let stream = fdopendir(raw) else {
      let error = Errno.last
      try? close(raw)
      throw error
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      names.append(name)
    }
    return names
  }

  func copy(
    _ count: Int, from source: Int32, at offset: Int64, to target: Int32, at place: Int64
  ) throws(Errno) -> Int {
    try Errno.check(Int(swoop_copy_range(source, offset, target, place, count)))
  }
}
