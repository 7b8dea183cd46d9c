internal import Glibc

/// Folders and what is in them.
enum FileTree {
  /// The names in a folder, without `.` and `..`, in no order.
  static func names(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { throw SystemCallFailure("opendir \(folder)") }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Removes a file or a folder with everything in it, as far as that is allowed. Follows no links.
  static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    // A test may have taken the permissions away.
    chmod(path, 0o700)
    for name in (try? names(in: path)) ?? [] { remove("\(path)/\(name)") }
    rmdir(path)
  }
}
