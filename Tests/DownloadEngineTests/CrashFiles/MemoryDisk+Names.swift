import Glibc

@testable import DownloadEngine

/// Calls about names.
extension MemoryDisk {
  /// Where a path leads: the folder, the name in it, and what has that name.
  struct Place {
    let folder: Int
    let name: String
    let inode: Int?
  }

  func folder(_ file: Int32) throws(Errno) -> Int {
    guard file != FileDescriptor.workingFolder else { return Self.root }
    guard let open = files[file] else { throw Errno(EBADF) }
    guard inodes[open.inode]?.kind == .folder else { throw Errno(ENOTDIR) }
    return open.inode
  }

  func find(_ path: String, in folder: Int32) throws(Errno) -> Place {
    var place = Place(folder: try self.folder(folder), name: ".", inode: try self.folder(folder))
    if path.hasPrefix("/") { place = Place(folder: Self.root, name: ".", inode: Self.root) }
    guard !path.isEmpty else { throw .notFound }
    for part in path.split(separator: "/") where part != "." {
      guard let above = place.inode else { throw .notFound }
      let (id, inode) = try follow(above)
      guard inode.kind == .folder else { throw Errno(ENOTDIR) }
      guard part.utf8.count <= 255 else { throw Errno(ENAMETOOLONG) }
      place = Place(folder: id, name: String(part), inode: inode.names[String(part)])
    }
    return place
  }

  func follow(_ id: Int) throws(Errno) -> (Int, Inode) {
    var id = id
    for _ in 0..<40 {
      guard let inode = inodes[id] else { throw .notFound }
      guard case .link(let path) = inode.kind else { return (id, inode) }
      guard let next = try find(path, in: FileDescriptor.workingFolder).inode else { throw .notFound }
      id = next
    }
    throw .isLink
  }

  private mutating func change(_ folder: Int, _ change: Inode.NameChange) throws(Errno) {
    guard inodes[folder]?.isGone == false, inodes[folder]?.links != 0 else { throw .notFound }
    inodes[folder]?.change(change)
    touch(folder)
  }

  private mutating func make(_ kind: Inode.Kind, at place: Place, mode: mode_t) throws(Errno) -> Int {
    let taken = Set(inodes.values.filter { !$0.isGone }.map(\.number))
    var number: UInt64 = 11
    while taken.contains(number) { number += 1 }
    let id = nextInode
    try change(place.folder, .set(place.name, id))
    nextInode += 1
    inodes[id] = Inode(kind, number: number, Inode.Attributes(mode: mode, modified: clock))
    inodes[id]?.links = kind == .folder ? 2 : 1
    return id
  }

  /// openat(2).
  mutating func open(_ path: String, in folder: Int32, _ flags: Int32, mode: mode_t) throws(Errno) -> Int32 {
    let place = try find(path, in: folder)
    var found = place.inode
    if let inode = found {
      guard flags & O_CREAT == 0 || flags & O_EXCL == 0 else { throw .exists }
      let isLink = if case .link = inodes[inode]?.kind { true } else { false }
      if isLink {
        guard flags & O_NOFOLLOW == 0 else { throw flags & O_DIRECTORY == 0 ? .isLink : Errno(ENOTDIR) }
        found = try follow(inode).0
      }
    } else if flags & O_CREAT != 0 {
      found = try make(.regular, at: place, mode: mode)
    }
    guard let found, let inode = inodes[found] else { throw .notFound }
    let access = flags & O_ACCMODE
    guard inode.kind == .folder || flags & O_DIRECTORY == 0 else { throw Errno(ENOTDIR) }
    guard inode.kind != .folder || (access == O_RDONLY && flags & O_CREAT == 0) else { throw Errno(EISDIR) }
    nextFile += 1
    files[nextFile] = OpenFile(inode: found, isReadable: access != O_WRONLY, isWritable: access != O_RDONLY)
    inodes[found]?.opens += 1
    return nextFile
  }

  mutating func makeLink(_ path: String, to target: String) throws(Errno) {
    let place = try find(path, in: FileDescriptor.workingFolder)
    guard place.inode == nil else { throw .exists }
    _ = try make(.link(to: target), at: place, mode: 0o777)
  }

  mutating func makeFolder(_ path: String) throws(Errno) {
    let place = try find(path, in: FileDescriptor.workingFolder)
    guard place.inode == nil else { throw .exists }
    _ = try make(.folder, at: place, mode: 0o755)
  }

  mutating func removeFolder(_ path: String) throws(Errno) {
    let place = try find(path, in: FileDescriptor.workingFolder)
    guard let id = place.inode, let inode = inodes[id] else { throw .notFound }
    guard inode.kind == .folder else { throw Errno(ENOTDIR) }
    guard inode.names.isEmpty else { throw Errno(ENOTEMPTY) }
    try change(place.folder, .clear(place.name))
    inodes[id]?.links = 0
  }

  mutating func remove(_ path: String, in folder: Int32) throws(Errno) {
    let place = try find(path, in: folder)
    guard let id = place.inode else { throw .notFound }
    guard inodes[id]?.kind != .folder else { throw Errno(EISDIR) }
    try change(place.folder, .clear(place.name))
    inodes[id]?.links -= 1
  }

  /// Of files, within a folder.
  mutating func rename(_ path: String, to new: String, in folder: Int32, replacing: Bool) throws(Errno) {
    guard replacing || renamesWithoutReplacing else { throw Errno(EINVAL) }
    let (old, target) = (try find(path, in: folder), try find(new, in: folder))
    guard let id = old.inode else { throw .notFound }
    if let replaced = target.inode {
      guard replacing else { throw .exists }
      guard replaced != id else { return }
      let (isFolder, replacesFolder) = (inodes[id]?.kind == .folder, inodes[replaced]?.kind == .folder)
      guard isFolder == replacesFolder else { throw Errno(replacesFolder ? EISDIR : ENOTDIR) }
      guard inodes[replaced]?.names.isEmpty != false else { throw Errno(ENOTEMPTY) }
      inodes[replaced]?.links -= replacesFolder ? 2 : 1
    }
    try change(old.folder, .move(from: old.name, to: target.name, id))
  }

  mutating func link(_ path: String, as new: String, in folder: Int32) throws(Errno) {
    let (old, target) = (try find(path, in: folder), try find(new, in: folder))
    guard let id = old.inode else { throw .notFound }
    guard target.inode == nil else { throw .exists }
    guard inodes[id]?.kind != .folder else { throw Errno(EPERM) }
    try change(target.folder, .set(target.name, id))
    inodes[id]?.links += 1
  }
}
