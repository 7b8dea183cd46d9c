import DownloadCore
import Synchronization

/// Writes small files on a thread of its own, many at a time: all of a batch are made durable by one call, then they get
/// their names, and then their folders are synced. No final name is ever there before its data is durable; what is killed
/// meanwhile leaves parts, which the next run writes anew.
final class SmallFileWriter: Sendable {
  /// What became of a file.
  enum Outcome: Sendable {
    case saved
    case failed(DownloadError)
    /// The full pipeline is to fetch it.
    case handOver
  }

  private struct State {
    var files: [SmallFile] = []
    /// Of those here and of those in the batch.
    var bytes = 0
    var count = 0
    /// The batch is to be finished as soon as all that is here is in it.
    var mustFinish = false
    var isOver = false
  }

  private let state = Monitor(State())
  /// So many may be open at once.
  private let mostOpen: Int
  private let onOutcomes: @Sendable ([(SmallFile, Outcome)]) -> Void
  private let onWarning: @Sendable (SmallFile, String) -> Void
  private static let mostBytes = 64 << 20

  init(
    mostOpen: Int, onWarning: @escaping @Sendable (SmallFile, String) -> Void,
    onOutcomes: @escaping @Sendable ([(SmallFile, Outcome)]) -> Void
  ) {
    self.mostOpen = mostOpen
    self.onWarning = onWarning
    self.onOutcomes = onOutcomes
  }

  /// Begins to write. Throws where there is no thread for that.
  func start() throws(DownloadError) -> Worker {
    do throws(Errno) {
      return try Worker { [self] in work() }
    } catch {
      throw .local("start", "a thread that writes files", error)
    }
  }

  /// Takes several at once, where there are several: for each call a thread is woken.
  func add(_ files: [SmallFile]) {
    guard !files.isEmpty else { return }
    state.withLock {
      $0.files += files
      $0.bytes += files.reduce(0) { $0 + $1.length }
      $0.count += files.count
    }
  }

  /// Everything that is here gets its name soon.
  func finishBatch() { state.withLock { $0.mustFinish = true } }

  /// The same, and then the thread ends.
  func end() {
    state.withLock {
      $0.mustFinish = true
      $0.isOver = true
    }
  }

  /// Nothing is under way.
  var isIdle: Bool { state.read { $0.count == 0 } }
  /// More would only take memory.
  var isFull: Bool { state.read { $0.bytes >= Self.mostBytes || $0.count >= 2 * mostOpen + 256 } }

  private enum Task {
    case write([SmallFile])
    case finish
    case end
  }

  private func work() {
    var batch = SmallFileBatch()
    var ended: [(SmallFile, Outcome)] = []
    while true {
      switch next() {
      case .write(let files):
        for file in files {
          write(file, &batch, &ended)
          if batch.count >= mostOpen || batch.bytes >= Self.mostBytes / 2 { finish(&batch, &ended) }
        }
      case .finish: finish(&batch, &ended)
      case .end: return
      }
      tell(&ended)
    }
  }

  private func next() -> Task {
    state.wait { state in
      guard state.files.isEmpty else {
        defer { state.files = [] }
        return .write(state.files)
      }
      guard !state.mustFinish else {
        state.mustFinish = false
        return .finish
      }
      return state.isOver ? .end : nil
    }
  }

  private func write(_ file: SmallFile, _ batch: inout SmallFileBatch, _ ended: inout [(SmallFile, Outcome)]) {
    do throws(DownloadError) {
      guard try !batch.write(file) else { return }
      ended.append((file, .handOver))
    } catch {
      ended.append((file, .failed(error)))
    }
  }

  private func finish(_ batch: inout SmallFileBatch, _ ended: inout [(SmallFile, Outcome)]) {
    batch.finish(onWarning: onWarning) { file, error in
      ended.append((file, error.map { .failed($0) } ?? .saved))
      // Who may be about to leave is to know what is here by now.
      if ended.count >= Self.mostUntold { tell(&ended) }
    }
  }

  private static let mostUntold = 64

  private func tell(_ ended: inout [(SmallFile, Outcome)]) {
    guard !ended.isEmpty else { return }
    onOutcomes(ended)
    state.withLock {
      $0.bytes -= ended.reduce(0) { $0 + $1.0.length }
      $0.count -= ended.count
    }
    ended = []
  }
}
