internal import DownloadCore
internal import Glibc

/// The bytes of a config file, and who may read them.
struct ConfigurationFile {
  let bytes: [UInt8]
  /// Nobody but its owner may read or write it.
  let isPrivate: Bool

  private static let largest = 64 << 10

  /// Reads a file; `-` is standard input. Nil where it is missing and need not be there.
  ///
  /// Throws `usage` where it is missing, and `local` where it cannot be read.
  init?(_ path: String, mustBeThere: Bool) throws(DownloadError) {
    guard path != "-" else {
      bytes = try FileLook.bytes(of: path, for: "--config")
      isPrivate = true
      return
    }
    // A FIFO without a writer must not be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      guard mustBeThere || !Self.isMissing(path, code) else { return nil }
      throw Self.unreadable(path, code, code == ENOENT ? .usage : .local)
    }
    defer { close(descriptor) }
    var status = stat()
    fstat(descriptor, &status)
    // A shell's `<(...)` has a writer.
    let isPipe = status.st_mode & S_IFMT == S_IFIFO && path.hasPrefix("/dev/fd/")
    guard status.st_mode & S_IFMT == S_IFREG || isPipe else {
      throw DownloadError(.local, "cannot read the config file \(path): it is no regular file")
    }
    _ = fcntl(descriptor, F_SETFL, 0)
    isPrivate = status.st_mode & 0o077 == 0
    bytes = try Self.read(path, descriptor)
  }

  /// Of a folder that may not be searched nobody can tell whether there is such a file.
  private static func isMissing(_ path: String, _ code: Int32) -> Bool {
    var status = stat()
    return code == ENOENT || code == ENOTDIR || (code == EACCES && stat(path, &status) != 0)
  }

  /// What is behind the limit is not read.
  private static func read(_ path: String, _ descriptor: Int32) throws(DownloadError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= largest {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path, errno, .local) }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
    throw .usage("the config file \(path) is larger than 64 KiB")
  }

  private static func unreadable(_ path: String, _ code: Int32, _ failure: Failure) -> DownloadError {
    DownloadError(failure, "cannot read the config file \(Redactor.address(path)): \(String(cString: strerror(code)))")
  }
}
