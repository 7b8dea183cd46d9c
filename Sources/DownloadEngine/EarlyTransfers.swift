import DownloadCore

/// Requests for ranges that are guessed, sent beside the first GET where its answer takes its time.
///
/// None goes out before the first GET has. Where that turns out to be refused, or to be all there is, they are dropped.
final class EarlyTransfers {
  private let pool: TransferPool
  private let ranges: [ByteRange]
  private var first: Transfer?
  private var beganAt = 0.0
  private var bodies: [Probe.Body] = []
  private let onEvent: (DownloadEvent) -> Void

  /// Bytes of a body that are kept in memory, where there is no file yet.
  private static let mostKept = 1 << 20

  /// Asks for nothing where `isWanted` is false, and for nothing outside `wanted`.
  init(_ pool: TransferPool, isWanted: Bool, in wanted: ByteRange, onEvent: @escaping (DownloadEvent) -> Void) {
    self.pool = pool
    self.onEvent = onEvent
    ranges =
      isWanted ? EarlyRanges.ranges(EarlyRanges.most, minimumSplit: pool.job.minimumSplit.bytes, in: wanted) : []
  }

  /// The first GET has begun.
  func follow(_ first: Transfer) {
    self.first = first
    beganAt = pool.now
  }

  /// Asks for what is due, as long as the first GET is still without a connection.
  func advance() {
    guard let first, !first.wasAsked else { return }
    let wanted = EarlyRanges.count(
      pool.connections, besideSources: pool.job.mirrors.count, after: pool.now - beganAt)
    let due = min(ranges.count, wanted)
    while bodies.count < due {
      let range = ranges[bodies.count]
      var request = TransferRequest(isProbe: true, url: first.request.url, range: range, wanted: range)
      request.isGuess = true
      request.awaitsLength = true
      let slot = bodies.count + 1
      onEvent(pool.trace(slot, TraceText.request(request)))
      let transfer = pool.start(request, slot: slot)
      transfer.follows = first
      transfer.mostEarly = Self.mostKept
      bodies.append(Probe.Body(transfer: transfer))
    }
  }

  /// Seconds until `advance` may have something to do.
  var patience: Double { first.map { $0.wasAsked ? 0.1 : 0.005 } ?? 0.1 }

  /// Drops them all.
  func stop() {
    first = nil
    for body in bodies { pool.stop(body.transfer) }
    bodies = []
  }

  /// Hands them over, ascending: those under way, and those that have ended with an answer.
  func take() -> [Probe.Body] {
    defer { bodies = [] }
    first = nil
    return bodies.filter { $0.code == nil || $0.transfer.verdict != nil }
  }
}
