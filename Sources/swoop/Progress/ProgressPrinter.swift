internal import DownloadCore
internal import DownloadEngine
internal import Glibc
internal import Synchronization

/// Prints what downloads tell, on a thread of its own: whoever tells it only stores the newest state under a mutex, and
/// a terminal that stands still holds nobody up.
final class ProgressPrinter: Sendable {
  private let inbox: Mutex<Inbox>
  private let style: ProgressStyle
  private let isQuiet: Bool
  private let isOfAll: Bool
  /// Closed at one end by `finish`, to wake the thread.
  private let wake: Pipe
  /// Closed at one end by the thread, when all is printed.
  private let done: Pipe

  /// At most ten drawings a second.
  private static let pause: Int32 = 100

  /// Begins to print to standard error what is told of so many files, or of all of them together. To be called before other threads exist.
  /// `isOpen`: there may be more of them.
  init(
    _ style: ProgressStyle, isQuiet: Bool, isVerbose: Bool, files: Int = 1, isOpen: Bool = false, isOfAll: Bool = false
  ) {
    self.style = isQuiet && style != .json ? .none : style
    self.isQuiet = isQuiet
    self.isOfAll = isOfAll
    let audience = Inbox.Audience(
      isQuiet: isQuiet, isVerbose: isVerbose, isTerse: style == .none, isProgram: style == .json)
    inbox = Mutex(Inbox(audience, files: files, isOpen: isOpen))
    wake = Pipe()
    done = Pipe()
    // Drawing from the background would otherwise stop the whole process where the terminal has `tostop` set.
    signal(SIGTTOU, SIG_IGN)
    if style == .bar { Continuation.watch() }
    start()
  }

  /// So many files are known now; `isOpen`: there may be more.
  func expect(_ files: Int, isOpen: Bool) { inbox.withLock { $0.expect(files, isOpen: isOpen) } }

  /// Whether what is printed are events.
  var isForPrograms: Bool { style == .json }

  /// Whoever reads what is printed does not keep up.
  var isBehind: Bool { inbox.withLock { $0.isFull } }

  /// `file`: its place among the files, from 0; nil for what is of none.
  func receive(_ event: DownloadEvent, of file: Int? = 0) {
    inbox.withLock { $0.receive(event, of: file, at: MonotonicClock.seconds()) }
  }

  /// The end of a file: as it last was, or with all `bytes` of it here.
  func end(_ file: Int?, complete bytes: Int64? = nil, _ ending: Ending) {
    inbox.withLock { $0.end(file, complete: bytes, ending, at: MonotonicClock.seconds()) }
  }

  /// Prints all that is left and ends the thread; waits no longer than `limit` milliseconds, where there is one.
  func finish(limit: Int32? = nil) {
    inbox.withLock { $0.endAll(at: MonotonicClock.seconds()) }
    wake.hangUp()
    guard done.waitForHangUp(milliseconds: limit ?? -1) else { return }
    // Only where there was no thread, or no pipe to wake it, is anything left.
    var output = makeOutput(style == .json ? .json : .none)
    print(to: &output)
  }

  /// The same, and nothing that is drawn stays.
  func finishWiping() {
    inbox.withLock { $0.wipe(at: MonotonicClock.seconds()) }
    finish()
  }

  private func start() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    let code = pthread_create(&thread, nil, { ProgressPrinter.main($0) }, context)
    guard code == 0 else {
      Unmanaged<ProgressPrinter>.fromOpaque(context).release()
      return done.hangUp()
    }
    pthread_detach(thread)
  }

  private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let printer = Unmanaged<ProgressPrinter>.fromOpaque(context).takeRetainedValue()
    printer.printUntilFinished()
    printer.done.hangUp()
    return nil
  }

  private func printUntilFinished() {
    var output = makeOutput(style)
    var isFinished = false
    while !isFinished {
      isFinished = wake.waitForHangUp(milliseconds: Self.pause)
      print(to: &output)
    }
  }

  /// Who turns it into characters.
  private enum Printout {
    case people(Screen)
    case programs(EventScreen)
  }

  private func makeOutput(_ style: ProgressStyle) -> Printout {
    if style == .json { return .programs(EventScreen(log: .standardError, isQuiet: isQuiet, isOfAll: isOfAll)) }
    let palette = Palette(environment: Environment.value)
    return .people(
      Screen(style: style, isQuiet: isQuiet, palette: palette, reflows: Terminal.reflows(Environment.value)))
  }

  private func print(to output: inout Printout) {
    let (items, batch) = inbox.withLock { $0.take() }
    let now = MonotonicClock.seconds()
    switch output {
    case .people(var screen):
      if style == .bar, Continuation.hasHappened() { screen.abandon() }
      let text = screen.update(items, batch, window: style == .bar ? Terminal.windowToDrawOn : nil, at: now)
      output = .people(screen)
      // A reader that went away must not end a download.
      if !text.isEmpty { _ = Output.write(text, to: STDERR_FILENO) }
    case .programs(var screen):
      // Each in a write of its own: the lines of two processes do not mix.
      for line in screen.update(items, batch, at: now) { _ = Output.write(line, to: STDERR_FILENO) }
      output = .programs(screen)
    }
  }
}
