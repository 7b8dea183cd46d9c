import DownloadCore
import Glibc
import Synchronization

/// An open folder: what is done in it is done there, wherever its name may lead later.
final class Folder: Sendable {
  /// As typed.
  let path: String
  private let file: FileDescriptor
  /// The folders on the way to it that were made by `open`, the outermost first.
  private let made: [String]
  /// Those above them, whose entries are not durable yet.
  private let unsynced: Mutex<[String]>

  var system: any FileSystem { file.system }

  private init(path: String, file: consuming FileDescriptor, made: [String]) {
    self.path = path
    self.file = file
    self.made = made
    unsynced = Mutex(made.map(Self.above))
  }

  /// The folder that a path's last part is in.
  private static func above(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Opens a folder that files can be made in, and makes it and what is above it where they are missing.
  static func open(
    _ path: String, creating: Bool = true, in system: any FileSystem = LinuxFileSystem()
  ) throws(DownloadError) -> Folder {
    let made = creating ? try make(path, system) : []
    do {
      let raw = try openRaw(path, system)
      let folder = Folder(path: path, file: FileDescriptor(raw, of: system), made: made)
      if creating { try retrying { () throws(Errno) in try system.checkAccess(to: raw) } }
      return folder
    } catch {
      throw .local(creating ? "write into" : "open", path, error)
    }
  }

  private static func openRaw(_ path: String, _ system: any FileSystem) throws(Errno) -> Int32 {
    try retrying { () throws(Errno) in
      try system.open(path, in: FileDescriptor.workingFolder, O_RDONLY | O_DIRECTORY, mode: 0)
    }
  }

  /// Opens a folder to look into it only; nil where there is none.
  static func openIfThere(
    _ path: String, in system: any FileSystem = LinuxFileSystem()
  ) throws(DownloadError) -> Folder? {
    do throws(Errno) { _ = try status(of: path, system) } catch { if error == .notFound { return nil } }
    return try open(path, creating: false, in: system)
  }

  /// Opens a folder to look into it only, or the nearest one above it that is there.
  static func openNearest(
    _ path: String, in system: any FileSystem = LinuxFileSystem()
  ) throws(DownloadError) -> Folder {
    var path = path
    while true {
      if let folder = try openIfThere(path, in: system) { return folder }
      let next = above(path)
      // A trailing slash alone names the same folder.
      path = next == path ? "." : next
    }
  }

  /// Throws where no files can be made in it.
  func checkAccess() throws(DownloadError) {
    do throws(Errno) {
      try retrying { () throws(Errno) in try system.checkAccess(to: file.raw) }
    } catch {
      throw .local("write into", path, error)
    }
  }

  /// Bytes that are free for us on its disk; nil where that cannot be told.
  var freeSpace: Int64? { file.freeSpace }

  /// Of a path, through links.
  private static func status(of path: String, _ system: any FileSystem) throws(Errno) -> FileStatus {
    try retrying { () throws(Errno) in
      try system.status(of: path, in: FileDescriptor.workingFolder, followingLinks: true)
    }
  }

  /// Removes the folders that were made for a download of which nothing came; one that is in use stays.
  func removeIfUnused() {
    for path in made.reversed() {
      do throws(Errno) { try retrying { () throws(Errno) in try system.removeFolder(path) } } catch { return }
    }
  }

  /// Returns what had to be made.
  private static func make(_ path: String, _ system: any FileSystem) throws(DownloadError) -> [String] {
    guard (try? status(of: path, system)) == nil else { return [] }
    var new: [String] = []
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
      do throws(Errno) {
        try retrying { () throws(Errno) in try system.makeFolder(made) }
        new.append(made)
      } catch {
        guard error == .exists || (try? status(of: made, system))?.kind == .folder else {
          throw .local("make the folder", made, error)
        }
      }
    }
    return new
  }

  /// A file's path as shown to people: without a folder where that is the present one.
  func shown(_ name: String) -> String { Self.shown(name, in: path) }

  static func shown(_ name: String, in path: String) -> String {
    if path == "." { return name }
    return path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }
}

extension Folder {
  /// What is known of a name, without following a link; nil where there is none.
  func status(of name: String) throws(DownloadError) -> FileStatus? {
    do {
      return try retrying { () throws(Errno) in try system.status(of: name, in: file.raw, followingLinks: false) }
    } catch {
      if error == .notFound { return nil }
      throw .local("look at", shown(name), error)
    }
  }

  /// The error where a name that a file is to get is another's.
  func inTheWay(_ name: String, mismatch: (expected: Digest, got: Digest)? = nil) -> DownloadError {
    let found = (try? status(of: name)) ?? nil
    return found?.kind == .folder ? .folderExists(shown(name)) : .targetExists(shown(name), mismatch: mismatch)
  }

  /// The names in it, in no order.
  func names() throws(DownloadError) -> [String] {
    do throws(Errno) {
      return try retrying { () throws(Errno) in try system.names(in: file.raw) }
    } catch {
      throw .local("list", path, error)
    }
  }

  /// Of the folder itself.
  func status() throws(Errno) -> FileStatus { try file.status() }

  /// Opens a name without following a link; nil where there is none.
  func open(_ name: String, _ flags: Int32, mode: mode_t = 0o600) throws(Errno) -> FileDescriptor? {
    guard let raw = try openRaw(name, flags, mode: mode) else { return nil }
    return FileDescriptor(raw, of: system)
  }

  /// The same, for who cannot take an owner yet: the descriptor must get one at once.
  func openRaw(_ name: String, _ flags: Int32, mode: mode_t = 0o600) throws(Errno) -> Int32? {
    do throws(Errno) {
      return try retrying { () throws(Errno) in
        try system.open(name, in: file.raw, flags | O_NOFOLLOW | O_NONBLOCK, mode: mode)
      }
    } catch {
      if error == .notFound { return nil }
      throw error
    }
  }

  /// Gives a file another name, in place of what has it; where not `replacing`, throws EEXIST if something has.
  func rename(_ name: String, to new: String, replacing: Bool = true) throws(Errno) {
    try retrying { () throws(Errno) in try system.rename(name, to: new, in: file.raw, replacing: replacing) }
  }

  /// Gives a file a second name. Throws EEXIST where something has it.
  func link(_ name: String, as new: String) throws(Errno) {
    try retrying { () throws(Errno) in try system.link(name, as: new, in: file.raw) }
  }

  /// Removes a name; one that is not there is no failure.
  func remove(_ name: String) throws(DownloadError) {
    do {
      try retrying { () throws(Errno) in try system.remove(name, in: file.raw) }
    } catch {
      if error != .notFound { throw .local("remove", shown(name), error) }
    }
  }

  /// Makes all that was written to its disk durable. Throws ENOSYS where no call does that.
  func syncDisk() throws(Errno) { try retrying { () throws(Errno) in try system.syncAll(around: file.raw) } }

  /// Makes the folder's entries durable, and where it is new, its own name and those of what was made above it.
  func sync() throws(Errno) {
    try Self.sync(file)
    for path in unsynced.withLock({ $0 }) {
      let raw: Int32
      // Where files may be made but not listed, nothing can be synced.
      do throws(Errno) {
        raw = try Self.openRaw(path, system)
      } catch {
        guard error.code == EACCES else { throw error }
        continue
      }
      try Self.sync(FileDescriptor(raw, of: system))
    }
    unsynced.withLock { $0 = [] }
  }

  /// A file system that cannot do that says EINVAL, and has nothing to do.
  private static func sync(_ file: borrowing FileDescriptor) throws(Errno) {
    do throws(Errno) {
      try file.sync()
    } catch {
      if error.code != EINVAL && error.code != EROFS { throw error }
    }
  }
}
