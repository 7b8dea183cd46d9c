import DownloadCore
import Glibc

/// Follows the file's contiguous prefix on a thread of its own and computes digests of it, from the page cache; and
/// reads back what an earlier run left behind, where that must be compared with its checksums first.
///
/// Both are one pass where they meet: a segment of the prefix that is in doubt is compared and hashed from one reading.
final class PrefixDigester {
  /// What the thread and its owner share.
  private struct State: Sendable {
    /// The prefix is here up to this.
    var available: Int64
    /// Segments that must be compared before anybody may rely on them, ascending.
    var doubted: [Segment] = []
    /// Segments that differ, since the last look.
    var damaged: [Segment] = []
    /// The prefix went into the digests up to this.
    var hashed: Int64
    var compared: Int64 = 0
    /// The end of what is wanted: after it the digests are finished.
    var end: Int64?
    var result: [Digest]?
    var error: DownloadError?
    var isCancelled = false

    init(start: Int64, doubted: [Segment]) {
      available = start
      hashed = start
      self.doubted = doubted
    }
  }

  private let shared: Monitor<State>
  private let start: Int64
  private let wakeup: Wakeup
  private var worker: Worker?
  private let hashes: Bool

  /// Throws `usage` where an algorithm is not to be had. `doubted` is ascending; the prefix begins at `start`.
  init(
    part: any ByteStore, from start: Int64 = 0, algorithms: [DigestAlgorithm], doubted: [Segment], wakeup: Wakeup
  ) throws(DownloadError) {
    let shared = Monitor(State(start: start, doubted: doubted))
    self.shared = shared
    self.start = start
    self.wakeup = wakeup
    hashes = !algorithms.isEmpty
    guard hashes || !doubted.isEmpty else { return }
    _ = try MessageDigests(algorithms)
    do throws(Errno) {
      worker = try Worker { PrefixReader(part: part, algorithms: algorithms, wakeup: wakeup).run(shared) }
    } catch {
      throw .local("start a thread to read", part.shownName, error)
    }
  }

  deinit { cancel() }

  /// Stops the thread and waits for it.
  func cancel() {
    guard let worker = worker.take() else { return }
    shared.withLock { $0.isCancelled = true }
    worker.join()
  }

  /// Stops the thread, and returns the segments about which nothing was said yet.
  func cancelled() -> [Segment] {
    cancel()
    return shared.withLock { ($0.doubted + $0.damaged).sorted { $0.range.start < $1.range.start } }
  }

  /// The prefix has grown; `end` once all is here.
  func advance(to available: Int64, end: Int64? = nil) {
    guard worker != nil else { return }
    shared.withLock {
      $0.available = available
      $0.end = end ?? $0.end
    }
  }

  /// What the thread found since the last look. Throws what it failed with.
  func takeDamaged() throws(DownloadError) -> [Segment] {
    guard worker != nil else { return [] }
    let (damaged, error) = shared.withLock { state in
      defer { state.damaged = [] }
      // The owner may have called `advance` before it knew of the damage.
      for segment in state.damaged { state.available = min(state.available, segment.range.start) }
      return (state.damaged, state.error)
    }
    if let error { throw error }
    return damaged
  }

  /// Whether segments still wait to be compared.
  var hasDoubts: Bool { worker != nil && shared.withLock { !$0.doubted.isEmpty } }

  /// The digests of the whole file, once they are finished.
  var result: [Digest]? { hashes ? shared.withLock { $0.result } : [] }

  /// Bytes hashed, or compared where nothing is hashed.
  var progress: Int64 { shared.withLock { hashes ? $0.hashed - start : $0.compared } }

  /// The thread's side.
  private struct PrefixReader {
    let part: any ByteStore
    let algorithms: [DigestAlgorithm]
    let wakeup: Wakeup

    private enum Job {
      case compare(Segment, hashing: Bool)
      case hash(ByteRange)
      case finish
      case stop
    }

    func run(_ shared: Monitor<State>) {
      do throws(DownloadError) {
        var digests = try MessageDigests(algorithms)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
          switch shared.wait(for: { next(&$0) }) {
          case .stop: return
          case .finish:
            let result = digests.finish()
            shared.withLock { $0.result = result }
            wakeup.signal()
            return
          case .hash(let range):
            _ = try read(range, into: buffer, shared) { digests.update($0) }
            shared.withLock { $0.hashed = range.end }
          case .compare(let segment, let hashing):
            let before = digests.copy()
            if try !compare(segment, into: buffer, shared, { if hashing { digests.update($0) } }) { digests = before }
            wakeup.signal()
          }
        }
      } catch {
        shared.withLock { $0.error = error }
        wakeup.signal()
      }
    }

    /// What to do next; nil: nothing yet.
    private func next(_ state: inout State) -> Job? {
      if state.isCancelled { return .stop }
      let doubt = state.doubted.first
      if let doubt, doubt.range.start == state.hashed || algorithms.isEmpty {
        return .compare(doubt, hashing: doubt.range.start == state.hashed)
      }
      let damage = state.damaged.map(\.range.start).min() ?? Int64.max
      let end = min(state.available, doubt?.range.start ?? Int64.max, damage)
      if !algorithms.isEmpty, end > state.hashed {
        return .hash(ByteRange(state.hashed, min(end, state.hashed + 1 << 20)))
      }
      if let doubt { return .compare(doubt, hashing: false) }
      return state.end == state.hashed && !algorithms.isEmpty ? .finish : nil
    }

    /// Compares a segment with its checksum; false where it differs.
    private func compare(
      _ segment: Segment, into buffer: UnsafeMutableRawBufferPointer, _ shared: Monitor<State>,
      _ hash: (UnsafeRawBufferPointer) -> Void
    ) throws(DownloadError) -> Bool {
      var crc: UInt32 = 0
      let isWhole = try read(segment.range, into: buffer, shared) {
        crc = CRC32.update(crc, $0)
        hash($0)
      }
      let isRight = isWhole && crc == segment.crc32
      shared.withLock { state in
        guard !state.isCancelled else { return }
        state.doubted.removeFirst()
        state.compared += segment.range.count
        if isRight, segment.range.start == state.hashed { state.hashed = segment.range.end }
        if !isRight {
          state.damaged.append(segment)
          state.available = min(state.available, segment.range.start)
        }
      }
      return isRight
    }

    /// Reads a range piece by piece. False where the file ends before it, or it was cancelled.
    private func read(
      _ range: ByteRange, into buffer: UnsafeMutableRawBufferPointer, _ shared: Monitor<State>,
      _ use: (UnsafeRawBufferPointer) -> Void
    ) throws(DownloadError) -> Bool {
      var offset = range.start
      while offset < range.end {
        if shared.withLock({ $0.isCancelled }) { return false }
        let wanted = min(Int64(buffer.count), range.end - offset)
        let count = try part.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(wanted)]), at: offset)
        use(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        guard count == Int(wanted) else { return false }
        offset += wanted
      }
      return true
    }
  }
}
