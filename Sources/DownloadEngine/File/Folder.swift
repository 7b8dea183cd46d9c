import Clinux
import DownloadCore
import Glibc

/// An open folder: what is done in it is done there, wherever its name may lead later.
final class Folder: Sendable {
  /// As typed.
  let path: String
  let descriptor: Int32
  /// The folders on the way to it that were made by `open`, the outermost first.
  private let made: [String]

  private init(path: String, descriptor: Int32, made: [String]) {
    self.path = path
    self.descriptor = descriptor
    self.made = made
  }

  deinit { Glibc.close(descriptor) }

  /// Opens a folder that files can be made in, and makes it and what is above it where they are missing.
  static func open(_ path: String, creating: Bool = true) throws(DownloadError) -> Folder {
    let made = creating ? try make(path) : []
    do {
      let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
      let descriptor = try retrying { swoop_openat(AT_FDCWD, path, flags, 0) }
      let folder = Folder(path: path, descriptor: descriptor, made: made)
      if creating { try retrying { faccessat(descriptor, ".", W_OK | X_OK, AT_EACCESS) } }
      return folder
    } catch {
      throw .local(creating ? "write into" : "open", path, error)
    }
  }

  /// Opens a folder to look into it only; nil where there is none.
  static func openIfThere(_ path: String) throws(DownloadError) -> Folder? {
    do throws(Errno) { _ = try FileStatus(path: path) } catch { if error == .notFound { return nil } }
    return try open(path, creating: false)
  }

  /// Removes the folders that were made for a download of which nothing came; one that is in use stays.
  func removeIfUnused() {
    for path in made.reversed() where rmdir(path) != 0 { return }
  }

  /// Returns what had to be made.
  private static func make(_ path: String) throws(DownloadError) -> [String] {
    guard (try? FileStatus(path: path)) == nil else { return [] }
    var new: [String] = []
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
      guard mkdir(made, 0o777) != 0 else {
        new.append(made)
        continue
      }
      let error = Errno.last
      guard error == .exists || (try? FileStatus(path: made))?.kind == .folder else {
        throw .local("make the folder", made, error)
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

  /// A file's path, to open it by.
  func joined(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// What is known of a name, without following a link; nil where there is none.
  func status(of name: String) throws(DownloadError) -> FileStatus? {
    do {
      return try FileStatus(name: name, in: descriptor)
    } catch {
      if error == .notFound { return nil }
      throw .local("look at", shown(name), error)
    }
  }

  /// Of the folder itself.
  func status() throws(Errno) -> FileStatus { try FileStatus(descriptor: descriptor) }

  /// Opens a name without following a link; nil where there is none.
  func open(_ name: String, _ flags: Int32, mode: mode_t = 0o600) throws(Errno) -> Int32? {
    do throws(Errno) {
      return try retrying { swoop_openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode) }
    } catch {
      if error == .notFound { return nil }
      throw error
    }
  }

  /// Removes a name; one that is not there is no failure.
  func remove(_ name: String) throws(DownloadError) {
    do {
      try retrying { unlinkat(descriptor, name, 0) }
    } catch {
      if error != .notFound { throw .local("remove", shown(name), error) }
    }
  }

  /// Makes the folder's entries durable. A file system that cannot do that says EINVAL, and has nothing to do.
  func sync() throws(Errno) {
    do throws(Errno) {
      try retrying { fsync(descriptor) }
    } catch {
      if error.code != EINVAL && error.code != EROFS { throw error }
    }
  }
}
