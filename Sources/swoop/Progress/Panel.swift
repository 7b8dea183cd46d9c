/// The lines at the bottom of a terminal that are drawn over again and again; all else scrolls above them.
///
/// The cursor waits on an empty line below: what the keyboard echoes and what a shell says when the process is killed
/// does not mix with them. Where a window has no row for that, one line is drawn and the cursor stays in it.
struct Panel: Sendable {
  /// Whether a window that gets narrower breaks lines; see `Terminal.reflows`.
  let reflows: Bool
  private var drawn: [DrawnLine] = []
  private var isParkedBelow = false

  private static let eraseBelow = "\u{1B}[J"
  private static let eraseToEnd = "\u{1B}[K"

  init(reflows: Bool) { self.reflows = reflows }

  var isOpen: Bool { !drawn.isEmpty }

  /// The characters that draw these lines over those that were drawn last. `lines` must be narrower than the window:
  /// a terminal may wrap as soon as the last column is written.
  mutating func draw(_ lines: [DrawnLine], in window: Window) -> String {
    guard lines != drawn else { return "" }
    let start = toStart(in: window)
    drawn = lines
    isParkedBelow = lines.count < window.rows
    if isParkedBelow {
      return start + lines.map { $0.text + Self.eraseToEnd + "\n" }.joined() + Self.eraseBelow
    }
    return start + (lines.last?.text ?? "") + Self.eraseBelow
  }

  /// The characters that wipe the lines, so that others can take their place.
  mutating func clear(in window: Window) -> String {
    guard isOpen else { return "" }
    defer { drawn = [] }
    return toStart(in: window) + Self.eraseBelow
  }

  /// The lines stay where they are, and the next ones come below: the terminal was somebody else's meanwhile.
  mutating func abandon() { drawn = [] }

  /// To the beginning of the first line, wherever the window's present width has put that.
  private func toStart(in window: Window) -> String {
    guard isOpen else { return "" }
    let rows = drawn.reduce(isParkedBelow ? 0 : -1) { $0 + rowCount($1, in: window) }
    // What has left the window at its top cannot be reached.
    let up = min(max(0, rows), window.rows - 1)
    return "\r" + (up > 0 ? "\u{1B}[\(up)A" : "")
  }

  private func rowCount(_ line: DrawnLine, in window: Window) -> Int {
    reflows ? max(1, (line.columns + window.columns - 1) / window.columns) : 1
  }
}
