internal import DownloadCore
internal import DownloadEngine
internal import Glibc
internal import Synchronization

/// Prints what downloads tell, on a thread of its own: whoever tells it only stores the newest state under a mutex, and
/// a terminal that stands still holds nobody up.
final class ProgressPrinter: Sendable {
  private let inbox: Mutex<Inbox>
  private let style: ProgressStyle
  /// Closed at one end by `finish`, to wake the thread.
  private let wake: Pipe
  /// Closed at one end by the thread, when all is printed.
  private let done: Pipe

  /// At most ten drawings a second.
  private static let pause: Int32 = 100

  /// Begins to print to standard error.
  init(_ style: ProgressStyle, isQuiet: Bool, isVerbose: Bool) {
    self.style = isQuiet ? .none : style
    inbox = Mutex(Inbox(isQuiet: isQuiet, isVerbose: isVerbose))
    wake = Pipe()
    done = Pipe()
    // Drawing from the background would otherwise stop the whole process where the terminal has `tostop` set.
    signal(SIGTTOU, SIG_IGN)
    start()
  }

  func receive(_ event: DownloadEvent) {
    let now = MonotonicClock.seconds()
    inbox.withLock { $0.receive(event, at: now) }
  }

  /// The last line of a download that brought all `bytes`; `-q` leaves it out.
  func conclude(_ line: String, bytes: Int64) {
    inbox.withLock {
      $0.end(complete: bytes)
      $0.say(line)
    }
  }

  /// An error, printed with `-q` too; the progress line is left as it last was.
  func complain(_ line: String) {
    inbox.withLock {
      $0.end()
      $0.complain(line)
    }
  }

  /// Prints all that is left and ends the thread; waits no longer than `limit` milliseconds, where there is one.
  func finish(limit: Int32? = nil) {
    inbox.withLock { $0.end() }
    wake.hangUp()
    guard done.waitForHangUp(milliseconds: limit ?? -1) else { return }
    // Only where there was no thread, or no pipe to wake it, is anything left.
    var screen = Screen(style: .none)
    print(on: &screen)
  }

  /// The same, and the progress line does not stay.
  func finishWiping() {
    inbox.withLock { $0.wipe() }
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
    var screen = Screen(style: style)
    var isFinished = false
    while !isFinished {
      isFinished = wake.waitForHangUp(milliseconds: Self.pause)
      print(on: &screen)
    }
  }

  private func print(on screen: inout Screen) {
    let (items, progress) = inbox.withLock { $0.take() }
    let columns = style == .bar ? Terminal.columnsToDrawOn : nil
    let text = screen.update(items, progress, columns: columns, at: MonotonicClock.seconds())
    // A reader that went away must not end a download.
    if !text.isEmpty { _ = Output.write(text, to: STDERR_FILENO) }
  }
}
