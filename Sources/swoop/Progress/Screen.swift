internal import DownloadCore

/// Turns what downloads told into the characters that people get on standard error.
struct Screen: Sendable {
  private let style: ProgressStyle
  private let isQuiet: Bool
  private var palette: Palette
  private var panel: Panel
  /// Of the files that have begun.
  private var names: [Int: String] = [:]
  private var cadences: [Int: PlainCadence] = [:]
  private var timesLeft: [Int: TimeLeft] = [:]

  init(style: ProgressStyle, isQuiet: Bool = false, palette: Palette, reflows: Bool = true) {
    self.style = style
    self.isQuiet = isQuiet
    self.palette = palette
    panel = Panel(reflows: reflows)
  }

  /// The terminal was somebody else's meanwhile: what was drawn stays.
  mutating func abandon() { panel.abandon() }

  /// The characters for new items and the present state. `window` is nil where nothing may be drawn now; `now` in
  /// seconds.
  mutating func update(_ items: [Inbox.Item], _ batch: Batch, window: Window?, at now: Double) -> String {
    if window == nil { panel.abandon() }
    var out = ""
    for item in items {
      guard case .ended(let progress, let ending) = item.kind else {
        out += said(item, batch, window, now)
        continue
      }
      if let progress {
        let isOutrun = Self.isOutrun(progress, by: ending)
        out += isOutrun ? wipe(item.file ?? 0, window) : last(progress, item.file ?? 0, batch, window, now)
      }
      out += ending?.words.line(isQuiet: isQuiet).map { above($0, window) } ?? ""
      out += ending?.appendix.map { above($0, window) } ?? ""
    }
    return out + show(batch, window, now)
  }

  /// A failure came of what was read back, of which the progress has told nothing yet.
  private static func isOutrun(_ progress: Progress, by ending: Ending?) -> Bool {
    guard case .error = ending?.words else { return false }
    return progress.activity == .verifying
  }

  private mutating func said(_ item: Inbox.Item, _ batch: Batch, _ window: Window?, _ now: Double) -> String {
    if case .began(_, let path, let here) = item.kind, let file = item.file {
      names[file] = Batch.name(ofPath: path)
      cadences[file] = PlainCadence(from: here, at: now)
      timesLeft[file] = nil
    }
    if case .wiped = item.kind { return window.map { panel.clear(in: $0) } ?? "" }
    return line(item).map { above($0, window) } ?? ""
  }

  private func line(_ item: Inbox.Item) -> String? {
    switch item.kind {
    case .message(let text), .retry(let text): Diagnostics.note(text)
    case .warning(let text), .restart(let text): Diagnostics.warning(text)
    case .trace(let text): Diagnostics.trace(text)
    case .began(_, let path, let here): isQuiet ? nil : resumed(path, here)
    case .ended, .wiped: nil
    }
  }

  private func resumed(_ path: String, _ here: Progress) -> String? {
    guard here.done > 0 else { return nil }
    let whole = here.total.map { " of \(ByteCount($0))" } ?? ""
    return Diagnostics.note("resuming \(path) from \(ByteCount(here.done))\(whole)")
  }

  /// A line for good, above what is drawn again and again.
  private mutating func above(_ line: String, _ window: Window?) -> String {
    (window.map { panel.clear(in: $0) } ?? "") + line + "\n"
  }

  private mutating func forget(_ file: Int) {
    names[file] = nil
    cadences[file] = nil
    timesLeft[file] = nil
  }

  /// Nothing is to stay of what was drawn of a file.
  private mutating func wipe(_ file: Int, _ window: Window?) -> String {
    forget(file)
    return window.map { panel.clear(in: $0) } ?? ""
  }

  /// The last that is shown of a file.
  private mutating func last(
    _ progress: Progress, _ file: Int, _ batch: Batch, _ window: Window?, _ now: Double
  ) -> String {
    defer { forget(file) }
    let active = Batch.Active(file: file, name: names[file] ?? "", progress: progress)
    switch style {
    case .bar:
      guard let window else { return "" }
      let line = PanelLines(palette: palette, secondsLeft: [:]).last(active, of: batch, in: window)
      return panel.clear(in: window) + line.text + "\n"
    case .plain: return plain(active, batch, now)
    case .none, .json: return ""
    }
  }

  private mutating func show(_ batch: Batch, _ window: Window?, _ now: Double) -> String {
    switch style {
    case .bar: return draw(batch, window, now)
    case .plain: return batch.active.map { plain($0, batch, now) }.joined()
    case .none, .json: return ""
    }
  }

  private mutating func draw(_ batch: Batch, _ window: Window?, _ now: Double) -> String {
    guard let window else { return "" }
    var left: [Int: Double] = [:]
    for active in batch.active {
      left[active.file] = timesLeft[active.file, default: TimeLeft()].update(active.progress.secondsLeft, at: now)
    }
    let lines = PanelLines(palette: palette, secondsLeft: left).lines(of: batch, in: window)
    return lines.isEmpty ? panel.clear(in: window) : panel.draw(lines, in: window)
  }

  private mutating func plain(_ active: Batch.Active, _ batch: Batch, _ now: Double) -> String {
    let isDue = cadences[active.file]?.isDue(active.progress, at: now) ?? false
    guard isDue else { return "" }
    let name = batch.hasSeveral && !active.name.isEmpty ? active.name + ": " : ""
    return Diagnostics.note(name + PlainLine.text(active.progress)) + "\n"
  }
}
