internal import DownloadCore
internal import Glibc

/// The few looks at the disk that understanding the command line takes.
enum FileLook {
  private static let largest = 1 << 20

  static func kind(_ path: String) -> OutputName.Kind {
    var status = stat()
    guard stat(path, &status) == 0 else { return .nothing }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    default: return .stream
    }
  }

  /// Whether what goes to an output, `-` or a path, goes to a terminal.
  static func isTerminal(_ output: String) -> Bool {
    guard output != Sink.standardOutput.path else { return isatty(STDOUT_FILENO) == 1 }
    var status = stat()
    guard stat(output, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else { return false }
    let descriptor = open(output, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return isatty(descriptor) == 1
  }

  /// Whether an option's file is there and can be read. `takesStreams`: a device or FIFO will do.
  static func check(_ path: String?, for option: String, takesStreams: Bool = false) throws(DownloadError) {
    guard let path else { return }
    guard access(path, R_OK) == 0 else { throw unreadable(path, option) }
    switch kind(path) {
    case .folder: throw .usage("\(option): \(path) is a folder")
    // OpenSSL would wait for a writer, deaf to every signal; a shell's `<(...)` has one.
    case .stream where !takesStreams && !path.hasPrefix("/dev/fd/"):
      throw .usage("\(option): \(path) is no regular file")
    default: return
    }
  }

  /// The text of a small file that an option names; `-` is standard input.
  static func text(of path: String, for option: String) throws(DownloadError) -> String {
    String(decoding: try bytes(of: path, for: option), as: UTF8.self)
  }

  /// The bytes of a file that an option names, at most 1 MiB or `most` of them; `-` is standard input.
  static func bytes(
    of path: String, for option: String, most largest: Int = largest
  ) throws(DownloadError) -> [UInt8] {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path, option) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= largest {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path, option) }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
    throw .usage("\(option): \(path) is larger than \(largest >> 20) MiB")
  }

  private static func unreadable(_ path: String, _ option: String) -> DownloadError {
    let reason = String(cString: strerror(errno))
    // Where the name was forgotten its place is taken by the URL that follows, whose secrets are not repeated.
    return .usage("\(option) cannot read \(kind(path) == .nothing ? Redactor.address(path) : path): \(reason)")
  }
}
