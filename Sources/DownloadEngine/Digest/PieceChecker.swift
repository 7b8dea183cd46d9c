import DownloadCore

/// Compares the pieces of a part with their digests as they come, on a thread of its own, from the page cache.
final class PieceChecker {
  /// What the thread and its owner share.
  private struct State: Sendable {
    /// In the order in which they came.
    var waiting: [PieceLedger.Comparison] = []
    /// Those that have ended since the last look, and whether the piece is right.
    var ended: [(comparison: PieceLedger.Comparison, isRight: Bool)] = []
    var error: DownloadError?
    var isCancelled = false
  }

  private let part: any ByteStore
  private let algorithm: DigestAlgorithm
  private(set) var ledger: PieceLedger
  private let shared = Monitor(State())
  private let wakeup: Wakeup
  /// There is one from the first piece on.
  private var worker: Worker?

  /// `pieces` cover a file of `total` bytes.
  init(part: any ByteStore, _ pieces: PieceDigests, total: Int64, wakeup: Wakeup) {
    self.part = part
    self.wakeup = wakeup
    algorithm = pieces.algorithm
    ledger = PieceLedger(pieces, total: total)
  }

  deinit {
    shared.withLock { $0.isCancelled = true }
    worker.take()?.join()
  }

  /// Lets those pieces be compared that are here by now.
  ///
  /// Throws `local` where the machine has no thread for it, and `usage` where the algorithm is not to be had.
  func compare(_ here: ByteRangeSet) throws(DownloadError) {
    let comparisons = ledger.comparisons(of: here)
    guard !comparisons.isEmpty else { return }
    try start()
    shared.withLock { $0.waiting += comparisons }
  }

  /// Those that were found to be wrong since the last look. Throws what the thread failed with.
  func takeWrong() throws(DownloadError) -> [PieceLedger.Comparison] {
    guard worker != nil else { return [] }
    let (ended, error) = shared.withLock { state in
      defer { state.ended = [] }
      return (state.ended, state.error)
    }
    if let error { throw error }
    return ended.filter { ledger.judge($0.comparison, isRight: $0.isRight) }.map(\.comparison)
  }

  /// The bytes of a range are gone.
  func forget(_ range: ByteRange) { ledger.forget(range) }

  private func start() throws(DownloadError) {
    guard worker == nil else { return }
    _ = try MessageDigests([algorithm])
    let reader = PieceReader(part: part, wakeup: wakeup)
    do throws(Errno) {
      worker = try Worker { [shared] in
        while let comparison = shared.wait(for: { Self.next(&$0) }) { reader.compare(comparison, shared) }
      }
    } catch {
      throw .local("start a thread to read", part.shownName, error)
    }
  }

  /// What to compare next: nil at the end, and no answer while there is nothing.
  private static func next(_ state: inout State) -> PieceLedger.Comparison?? {
    if state.isCancelled || state.error != nil { return .some(nil) }
    return state.waiting.isEmpty ? nil : .some(state.waiting.removeFirst())
  }

  /// The thread's side.
  private struct PieceReader {
    let part: any ByteStore
    let wakeup: Wakeup

    func compare(_ comparison: PieceLedger.Comparison, _ shared: Monitor<State>) {
      do throws(DownloadError) {
        let found = try PieceChecker.digest(of: comparison.range, comparison.digest.algorithm) {
          buffer, offset throws(DownloadError) in
          try part.read(into: buffer, at: offset)
        }
        shared.withLock { $0.ended.append((comparison, found == comparison.digest)) }
      } catch {
        shared.withLock { $0.error = error }
      }
      wakeup.signal()
    }
  }
}

extension PieceChecker {
  /// Reads bytes at an offset; fewer than there is room for only at the file's end.
  typealias Read = (UnsafeMutableRawBufferPointer, Int64) throws(DownloadError) -> Int

  /// Nil where the file ends before the range does.
  fileprivate static func digest(
    of range: ByteRange, _ algorithm: DigestAlgorithm, read: Read
  ) throws(DownloadError) -> Digest? {
    let digests = try MessageDigests([algorithm])
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
    defer { buffer.deallocate() }
    var offset = range.start
    while offset < range.end {
      let wanted = Int(min(Int64(buffer.count), range.end - offset))
      let count = try read(UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), offset)
      digests.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      guard count == wanted else { return nil }
      offset += Int64(wanted)
    }
    return digests.finish().first
  }
}
