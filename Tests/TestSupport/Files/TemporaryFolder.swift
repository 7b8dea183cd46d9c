internal import Glibc

/// A new, empty folder under TMPDIR or /tmp, removed with everything in it when it is let go of.
package final class TemporaryFolder: Sendable {
  /// The absolute path, without a slash at the end.
  package let path: String

  /// Makes a folder, mode 0700.
  package init() throws {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/swoop-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemCallFailure("mkdtemp in \(parent)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    FileTree.remove(path)
  }

  /// The path of a name in the folder.
  package func path(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// The names in the folder, or in one of its subfolders, sorted, without `.` and `..`.
  package func names(in subfolder: String = "") throws -> [String] {
    try FileTree.names(in: subfolder.isEmpty ? path : path(subfolder)).sorted()
  }

  /// Whether a name is there, be it a dangling link.
  package func contains(_ name: String) -> Bool {
    (try? status(name)) != nil
  }

  /// The length of a file in bytes, a link's own.
  package func size(_ name: String) throws -> Int64 {
    Int64(try status(name).st_size)
  }

  /// The bytes that a file takes up on the disk.
  package func allocatedSize(_ name: String) throws -> Int64 {
    Int64(try status(name).st_blocks) * 512
  }

  /// The permission bits.
  package func mode(_ name: String) throws -> UInt32 {
    try status(name).st_mode & 0o7777
  }

  /// The time of the last change of a file's bytes, in seconds since the beginning of 1970.
  package func modificationTime(_ name: String) throws -> Int64 {
    Int64(try status(name).st_mtim.tv_sec)
  }

  /// Every byte of a file.
  package func bytes(_ name: String) throws -> [UInt8] {
    let content = try Content.file(path(name))
    return try content.bytes(in: 0..<content.length)
  }

  /// A file as text.
  package func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  /// Makes a file, or empties it, and fills it.
  package func write(_ content: Content, to name: String, mode: UInt32 = 0o644) throws {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let file = try checked("open \(name)") { open(path(name), flags, mode) }
    defer { close(file) }
    var offset: Int64 = 0
    while offset < content.length {
      try content.withPiece(at: offset, upTo: 256 << 10) { piece in
        try FileWriter.write(piece, to: file)
        offset += Int64(piece.count)
      }
    }
  }

  /// Makes a file with this text.
  package func write(_ text: String, to name: String, mode: UInt32 = 0o644) throws {
    try write(.text(text), to: name, mode: mode)
  }

  /// Makes a subfolder, and returns its path.
  @discardableResult
  package func makeFolder(_ name: String, mode: UInt32 = 0o755) throws -> String {
    try checked("mkdir \(name)") { mkdir(path(name), mode) }
    return path(name)
  }

  /// Makes a symbolic link.
  package func link(_ name: String, to target: String) throws {
    try checked("symlink \(name)") { symlink(target, path(name)) }
  }

  /// Removes a file, or a folder with everything in it.
  package func remove(_ name: String) {
    FileTree.remove(path(name))
  }

  /// Sets the permission bits.
  package func setMode(_ mode: UInt32, of name: String) throws {
    try checked("chmod \(name)") { chmod(path(name), mode) }
  }

  /// Cuts a file, or lengthens it with zeros.
  package func truncate(_ name: String, to length: Int64) throws {
    try checked("truncate \(name)") { Glibc.truncate(path(name), off_t(length)) }
  }

  /// Inverts every bit of one byte of a file.
  package func flipByte(of name: String, at offset: Int64) throws {
    let file = try checked("open \(name)") { open(path(name), O_RDWR | O_CLOEXEC) }
    defer { close(file) }
    var byte: UInt8 = 0
    guard try checked("pread", { pread(file, &byte, 1, off_t(offset)) }) == 1 else {
      throw SystemCallFailure("no byte at \(offset) of \(name)", code: EINVAL)
    }
    byte = ~byte
    try checked("pwrite") { pwrite(file, &byte, 1, off_t(offset)) }
  }

  /// Where a file first differs from a content, the end of either counting too; nil if they are the same.
  package func firstDifference(of name: String, from content: Content) throws -> Int64? {
    let file = try Content.file(path(name))
    let common = min(file.length, content.length)
    return try file.firstDifference(from: content, in: 0..<common) ?? (file.length == content.length ? nil : common)
  }

  /// Whether a file has the bytes of a content and no others.
  package func holds(_ content: Content, in name: String) throws -> Bool {
    try firstDifference(of: name, from: content) == nil
  }

  private func status(_ name: String) throws -> stat {
    var status = stat()
    try checked("lstat \(name)") { lstat(path(name), &status) }
    return status
  }
}
