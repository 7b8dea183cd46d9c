internal import DownloadCore

/// Turns what a download told into the characters that go to standard error.
struct Screen: Sendable {
  private let style: ProgressStyle
  private var cadence: PlainCadence?
  private var drawn: Progress?
  private var lineIsOpen = false

  private static let eraseToEnd = "\u{1B}[K"

  init(style: ProgressStyle) { self.style = style }

  /// The characters for new items and the present state. `columns` is the window's width, nil where nothing may be
  /// drawn now; `now` in seconds.
  mutating func update(
    _ items: [Inbox.Item], _ progress: Progress?, columns: Int?, at now: Double
  ) -> String {
    var out = ""
    for item in items {
      switch item {
      case .line(let line): out += closed() + line + "\n"
      case .began(let progress):
        cadence = PlainCadence(from: progress, at: now)
        drawn = nil
      case .wiped: out += closed()
      case .ended(let progress): out += show(progress, columns, now) + settled()
      }
    }
    if let progress { out += show(progress, columns, now) }
    return out
  }

  private mutating func show(_ progress: Progress, _ columns: Int?, _ now: Double) -> String {
    switch style {
    case .bar: return draw(progress, columns)
    case .plain:
      let isDue = cadence?.isDue(progress, at: now) ?? false
      return isDue ? Diagnostics.note(PlainLine.text(progress)) + "\n" : ""
    case .none: return ""
    }
  }

  private mutating func draw(_ progress: Progress, _ columns: Int?) -> String {
    guard let columns, progress != drawn || !lineIsOpen else { return "" }
    drawn = progress
    lineIsOpen = true
    // The last column stays free: a terminal may wrap as soon as it is written.
    return "\r" + ProgressLine(progress).text(width: columns - 1) + Self.eraseToEnd
  }

  /// Wipes the line that is drawn over, so that another can take its place.
  private mutating func closed() -> String {
    defer { lineIsOpen = false }
    return lineIsOpen ? "\r" + Self.eraseToEnd : ""
  }

  /// Leaves the line where it is and goes on below.
  private mutating func settled() -> String {
    defer { lineIsOpen = false }
    return lineIsOpen ? "\n" : ""
  }
}
