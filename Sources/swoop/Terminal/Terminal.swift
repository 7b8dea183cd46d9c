internal import Glibc

/// What standard error is drawn on.
enum Terminal {
  private static let usualColumns = 80

  static var isThere: Bool { isatty(STDERR_FILENO) == 1 }

  /// The kind of terminal, `TERM`.
  static var kind: String? { Environment.value("TERM") }

  /// The window's width, asked anew each time; nil while we are in the background of the terminal.
  static var columnsToDrawOn: Int? {
    guard isThere else { return fallbackColumns }
    let group = tcgetpgrp(STDERR_FILENO)
    guard group < 0 || group == getpgrp() else { return nil }
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return fallbackColumns }
    return Int(size.ws_col)
  }

  private static var fallbackColumns: Int {
    Environment.value("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? usualColumns
  }
}
