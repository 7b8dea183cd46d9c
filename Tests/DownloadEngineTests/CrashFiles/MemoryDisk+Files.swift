import DownloadCore
import Glibc
import TestSupport

@testable import DownloadEngine

/// Calls about open files.
extension MemoryDisk {
  private func inode(of file: Int32) throws(Errno) -> Int {
    guard let open = files[file] else { throw Errno(EBADF) }
    return open.inode
  }

  /// Throws `code` where the file was not opened to be written.
  private func writable(_ file: Int32, otherwise code: Int32 = EBADF) throws(Errno) -> Int {
    let id = try inode(of: file)
    guard files[file]?.isWritable == true else { throw Errno(code) }
    return id
  }

  mutating func close(_ file: Int32) throws(Errno) {
    let id = try inode(of: file)
    files[file] = nil
    inodes[id]?.opens -= 1
    for kind in LockKind.ofAll where inodes[id]?.locks[kind] == file { inodes[id]?.locks[kind] = nil }
  }

  func status(of file: Int32) throws(Errno) -> FileStatus { try status(inode: inode(of: file)) }

  func status(of path: String, in folder: Int32, followingLinks: Bool) throws(Errno) -> FileStatus {
    guard let id = try find(path, in: folder).inode else { throw .notFound }
    return try status(inode: followingLinks ? follow(id).0 : id)
  }

  private func status(inode id: Int) throws(Errno) -> FileStatus {
    guard let inode = inodes[id] else { throw .notFound }
    var status = stat()
    status.st_dev = 1
    status.st_ino = ino_t(inode.number)
    status.st_nlink = nlink_t(inode.links)
    status.st_uid = inode.owner
    switch inode.kind {
    case .regular: status.st_mode = S_IFREG | inode.attributes.mode
    case .folder: status.st_mode = S_IFDIR | inode.attributes.mode
    case .link: status.st_mode = S_IFLNK | inode.attributes.mode
    }
    status.st_size = Int(inode.data.length)
    if case .link(let target) = inode.kind { status.st_size = target.utf8.count }
    status.st_blocks = inode.data.blocks.count * SparseBytes.blockLength / 512
    status.st_mtim.tv_sec = Int(inode.attributes.modified / 1_000_000_000)
    status.st_mtim.tv_nsec = Int(inode.attributes.modified % 1_000_000_000)
    return FileStatus(status)
  }

  func checkAccess(to folder: Int32) throws(Errno) { _ = try self.folder(folder) }

  func freeSpace(around file: Int32) throws(Errno) -> Int64 {
    _ = try inode(of: file)
    return Int64(max(0, room) * SparseBytes.blockLength)
  }

  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    let id = try inode(of: file)
    guard files[file]?.isReadable == true else { throw Errno(EBADF) }
    guard let inode = inodes[id], inode.kind != .folder else { throw Errno(EISDIR) }
    return inode.data.read(into: buffer, at: offset)
  }

  mutating func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    let (id, room) = (try writable(file), max(0, room))
    let count = inodes[id]?.write(bytes, at: offset, room: room) ?? 0
    guard count > 0 || bytes.isEmpty else { throw .noSpace }
    if count > 0 { touch(id) }
    return count
  }

  mutating func truncate(_ file: Int32, to length: Int64) throws(Errno) {
    let id = try writable(file, otherwise: EINVAL)
    guard length >= 0 else { throw Errno(EINVAL) }
    inodes[id]?.truncate(to: length)
    touch(id)
  }

  mutating func allocate(_ file: Int32, _ range: ByteRange, keepingLength: Bool) throws(Errno) {
    guard !range.isEmpty else { throw Errno(EINVAL) }
    let (id, room) = (try writable(file), max(0, room))
    guard allocates else { throw Errno(EOPNOTSUPP) }
    let fits = inodes[id]?.allocate(range.start..<range.end, room: room, keepingLength: keepingLength)
    guard fits == true else { throw .noSpace }
    touch(id)
  }

  mutating func release(_ file: Int32, _ range: ByteRange) throws(Errno) {
    guard !range.isEmpty else { throw Errno(EINVAL) }
    let id = try writable(file)
    guard allocates else { throw Errno(EOPNOTSUPP) }
    inodes[id]?.release(range.start..<range.end)
    touch(id)
  }

  mutating func sync(_ file: Int32, dataOnly: Bool) throws(Errno) {
    let id = try inode(of: file)
    inodes[id]?.sync(dataOnly: dataOnly)
  }

  /// A sync that fails has its effect all the same.
  /// The data of all files, and no names: whoever counts on more has to sync folders.
  mutating func syncAll(around file: Int32) throws(Errno) {
    _ = try inode(of: file)
    for id in inodes.keys where inodes[id]?.kind == .regular { inodes[id]?.sync(dataOnly: false) }
  }

  mutating func failSync(_ file: Int32, using random: inout SplitMix64) throws(Errno) {
    let id = try inode(of: file)
    inodes[id]?.failSync(using: &random)
  }

  mutating func lock(_ file: Int32, _ kind: LockKind) throws(Errno) {
    let id = try kind == .whole ? inode(of: file) : writable(file)
    guard (inodes[id]?.locks[kind] ?? file) == file else { throw Errno(EWOULDBLOCK) }
    inodes[id]?.locks[kind] = file
  }

  mutating func setMode(_ file: Int32, _ mode: mode_t) throws(Errno) {
    let id = try inode(of: file)
    inodes[id]?.attributes.mode = mode
  }

  mutating func setModified(_ file: Int32, _ seconds: Int64) throws(Errno) {
    let id = try inode(of: file)
    inodes[id]?.attributes.modified = seconds * 1_000_000_000
  }
}
