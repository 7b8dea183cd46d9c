internal import DownloadCore
internal import DownloadEngine

/// How far `verify` is, over all files. Its line is wiped before a result is printed, which may go to the same terminal.
struct VerifyDisplay {
  private let style: ProgressStyle
  private let isQuiet: Bool
  private let hasSeveralFiles: Bool
  /// There is one while a line may be on the screen.
  private var printer: ProgressPrinter?
  /// When the screen was last free of it, in seconds.
  private var wiped = MonotonicClock.seconds()
  private var speed = SpeedMeter()

  /// Files that take less than this need no line, in seconds.
  private static let delay = 0.2

  init(_ style: ProgressStyle, _ arguments: Arguments, files: Int) {
    self.style = style
    hasSeveralFiles = files > 1
    isQuiet = arguments.isQuiet
  }

  /// Bytes that were read, and how many there are.
  mutating func show(_ done: Int64, of total: Int64) {
    guard style != .none, !isQuiet else { return }
    let now = MonotonicClock.seconds()
    speed.add(total: done, at: now)
    if printer == nil {
      guard now - wiped >= Self.delay else { return }
      printer = ProgressPrinter(style, isQuiet: false, isVerbose: false, isOfAll: hasSeveralFiles)
    }
    printer?.receive(
      .progress(
        Progress(activity: .verifying, done: done, total: total, rate: speed.rate(at: now), connections: 0)))
  }

  /// Takes the line from the screen, before something else is printed.
  mutating func wipe() {
    printer?.finishWiping()
    printer = nil
    wiped = MonotonicClock.seconds()
  }
}
