import DownloadCore
import Glibc

/// Follows the file's contiguous prefix on a thread of its own and writes it, in order, to a sink.
///
/// The bytes are copied, by pread(2) and write(2) through a buffer that stays in the processor's cache: a pipe that was
/// given pages instead (splice(2)) would keep those of the window, and show what is written into them later.
final class SinkWriter {
  private struct State: Sendable {
    /// The prefix up to here is here.
    var available: Int64 = 0
    /// The sink has taken what is wanted up to here.
    var delivered: Int64 = 0
    /// What was begun to be written ends here: it cannot be taken back.
    var begun: Int64 = 0
    /// The file's end, once it is known that all of it is here.
    var end: Int64?
    /// The thread is in a call that may take as long as the sink likes.
    var isBusy = false
    var isDone = false
    var isCancelled = false
    var error: DownloadError?
  }

  private let shared = Monitor(State())
  /// Wakes the thread.
  private let news = Wakeup()
  private var worker: Worker?
  private let output: SinkOutput

  /// `wakeup` is signalled when the sink has taken so much more, in bytes, or all that is here.
  init(_ output: SinkOutput, window: SinkWindow, step: Int64, wakeup: Wakeup) throws(DownloadError) {
    self.output = output
    let pump = SinkPump(output: output, window: window, step: step, wakeup: wakeup, news: news)
    let shared = shared
    do throws(Errno) {
      worker = try Worker { pump.run(shared) }
    } catch {
      throw .local("start a thread to write to", output.sink.shown, error)
    }
  }

  deinit { cancel() }

  /// Ends the thread. One that is held up by the sink is not waited for.
  func cancel() {
    guard let worker = worker.take() else { return }
    let isBusy = shared.withLock { state in
      state.isCancelled = true
      return state.isBusy
    }
    news.signal()
    if isBusy { worker.detach() } else { worker.join() }
  }

  /// The first byte that is wanted has this offset. To be said before anything is there.
  func begin(at start: Int64) {
    shared.withLock { state in (state.available, state.delivered, state.begun) = (start, start, start) }
  }

  /// The prefix has grown.
  func advance(to available: Int64) {
    let isNew = shared.withLock { state in
      defer { state.available = max(state.available, available) }
      return available > state.available
    }
    if isNew { news.signal() }
  }

  /// What is here from `offset` on turned out to be none of the file. False where it is too late: then nothing changes.
  func takeBack(from offset: Int64) -> Bool {
    shared.withLock { state in
      guard state.begun <= offset else { return false }
      state.available = min(state.available, offset)
      return true
    }
  }

  /// All of the file is here.
  func finish(at end: Int64) {
    shared.withLock { state in
      state.available = end
      state.end = end
    }
    news.signal()
  }

  /// Throws what the sink failed with: `readerGone`, or `local`.
  func check() throws(DownloadError) {
    if let error = shared.withLock({ $0.error }) { throw error }
  }

  /// The sink has all, and keeps it as well as it can.
  var isDone: Bool { shared.withLock { $0.isDone } }
  /// What is wanted up to this offset has gone to the sink.
  var delivered: Int64 { shared.withLock { $0.delivered } }
  /// What is wanted up to this offset cannot be taken back.
  var begun: Int64 { shared.withLock { $0.begun } }
  /// Where it goes.
  var sink: Sink { output.sink }
}

extension SinkWriter {
  /// What the thread does.
  private struct SinkPump: Sendable {
    let output: SinkOutput
    let window: SinkWindow
    let step: Int64
    let wakeup: Wakeup
    let news: Wakeup

    private static let pieceSize = 256 << 10

    private enum Job {
      case write(ByteRange)
      case finish
      case wait
      case stop
    }

    func run(_ shared: Monitor<State>) {
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
      defer { buffer.deallocate() }
      do throws(DownloadError) {
        var told: Int64 = 0
        while true {
          switch shared.withLock({ next(&$0) }) {
          case .stop: return
          case .wait: try waitForNews()
          case .write(let range): try write(range, through: buffer, shared, &told)
          case .finish:
            try output.finish()
            shared.withLock { $0.isDone = true }
            return wakeup.signal()
          }
        }
      } catch {
        shared.withLock { $0.error = error }
        wakeup.signal()
      }
    }

    private func next(_ state: inout State) -> Job {
      state.isBusy = false
      if state.isCancelled { return .stop }
      if state.delivered < state.available {
        state.begun = min(state.available, state.delivered + Int64(Self.pieceSize))
        state.isBusy = true
        return .write(ByteRange(state.delivered, state.begun))
      }
      guard state.end == state.delivered else { return .wait }
      state.isBusy = true
      return .finish
    }

    private func write(
      _ range: ByteRange, through buffer: UnsafeMutableRawBufferPointer, _ shared: Monitor<State>, _ told: inout Int64
    ) throws(DownloadError) {
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(range.count)])
      guard try window.read(into: piece, at: range.start) == piece.count else {
        throw DownloadError(.unforeseen, "\(window.shownName) does not hold \(range)")
      }
      var written = 0
      while written < piece.count {
        guard let count = try output.write(UnsafeRawBufferPointer(rebasing: piece[written...])) else {
          guard waitForRoom(shared) else { return }
          continue
        }
        written += count
        let isAll = shared.withLock { state in
          state.delivered += Int64(count)
          return state.delivered == state.available
        }
        let delivered = range.start + Int64(written)
        guard isAll || delivered - told >= step else { continue }
        told = delivered
        wakeup.signal()
      }
    }

    /// Of a descriptor that does not block. False where nothing is to be written any more.
    private func waitForRoom(_ shared: Monitor<State>) -> Bool {
      wait(for: Int16(POLLOUT))
      return !shared.withLock { $0.isCancelled }
    }

    /// Also notices a reader that goes away while there is nothing to write.
    private func waitForNews() throws(DownloadError) {
      let found = wait(for: 0)
      if output.hasReader, found & Int16(POLLERR | POLLHUP) != 0 { throw .readerGone }
    }

    /// Waits for the output, or for news. What poll(2) says of the output.
    @discardableResult
    private func wait(for events: Int16) -> Int16 {
      // A device that says at once that it is in trouble, whatever is asked, says so when it is written to.
      let watched = output.hasReader || events != 0 ? output.descriptor : -1
      var entries = [
        pollfd(fd: watched, events: events, revents: 0),
        pollfd(fd: news.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&entries, nfds_t(entries.count), -1)
      news.clear()
      return entries[0].revents
    }
  }
}
