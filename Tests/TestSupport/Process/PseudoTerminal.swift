internal import Cprocess
internal import Glibc

/// The master side of a new pseudo-terminal, pty(7); whoever makes it closes it.
struct PseudoTerminal {
  let master: Int32
  /// The path of the slave side.
  let path: String

  init(columns: UInt16, rows: UInt16) throws {
    let master = try checked("posix_openpt") { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) }
    do {
      self.path = try Self.unlock(master)
      self.master = master
      Self.resize(master, columns: columns, rows: rows)
    } catch {
      close(master)
      throw error
    }
  }

  /// Makes the slave side ready to be opened, and returns its path.
  private static func unlock(_ master: Int32) throws -> String {
    try checked("grantpt") { grantpt(master) }
    try checked("unlockpt") { unlockpt(master) }
    var name = [CChar](repeating: 0, count: 64)
    let result = ptsname_r(master, &name, name.count)
    guard result == 0 else { throw SystemCallFailure("ptsname_r", code: result) }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Gives the window another size; its foreground processes get SIGWINCH.
  static func resize(_ master: Int32, columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }
}
