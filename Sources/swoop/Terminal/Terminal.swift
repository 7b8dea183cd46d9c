internal import Glibc

/// The size of a terminal's window, in characters.
struct Window: Hashable, Sendable {
  var columns: Int
  var rows: Int
}

/// What standard error is drawn on.
enum Terminal {
  private static let usual = Window(columns: 80, rows: 24)

  static var isThere: Bool { isatty(STDERR_FILENO) == 1 }

  /// The kind of terminal, `TERM`.
  static var kind: String? { Environment.value("TERM") }

  /// The window, asked anew each time; nil while we are in the background of the terminal.
  static var windowToDrawOn: Window? {
    guard isThere else { return fallback }
    let group = tcgetpgrp(STDERR_FILENO)
    guard group < 0 || group == getpgrp() else { return nil }
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return fallback }
    return Window(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : usual.rows)
  }

  /// Of a terminal that does not tell, such as a serial line.
  private static var fallback: Window {
    Window(columns: number("COLUMNS") ?? usual.columns, rows: number("LINES") ?? usual.rows)
  }

  private static func number(_ name: String) -> Int? {
    Environment.value(name).flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether a window that gets narrower breaks the lines that are in it, so that they take more rows. Nearly all do;
  /// xterm, the console and GNU screen cut them off.
  static func reflows(_ environment: (String) -> String?) -> Bool {
    if environment("TMUX") != nil { return true }
    return environment("XTERM_VERSION") == nil && environment("STY") == nil && environment("TERM") != "linux"
  }
}
