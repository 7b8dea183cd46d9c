import DownloadCore

/// Where nothing is read on purpose: the server waits, as it does for a slow network, and nobody calls that a stall.
extension TransferLoop {
  /// So far the digests may lag behind, in bytes; and how long they are waited for at once, in seconds.
  private static var mostBacklog: Int64 { 48 << 20 }
  private static var longestRest: Double { 0.5 }

  /// Where the digests cannot keep up, they get the processor: nothing is read for a while. The server waits, as it does
  /// for a slow network; a connection that is not read does not stall.
  func letDigestsCatchUp() throws(DownloadError) {
    guard !algorithms.isEmpty, digester.progress >= inherited else { return }
    let end = pool.now + Self.longestRest
    while hashableEnd - session.start - digester.progress > Self.mostBacklog, pool.now < end {
      try pool.rest(milliseconds: 10)
    }
  }

  /// Where there is a limit on the rate, more connections are of no use until it has not been reached for a while.
  func expectLimit() {
    if job.rateLimit != nil { scheduler.heldBack([], by: .limit, at: pool.now) }
  }

  /// While the limit on the rate holds something back, all that it allows comes, and while a reader takes its time nothing
  /// more is wanted: that is neither a stall nor idle time. Where a reader waits for the front of the file, what is held
  /// back behind it does not stall either, but the time that the front takes counts.
  func excuseHeldBack() {
    let now = pool.now
    defer { lastLook = now }
    let hasWaited = pool.takeWaited()
    guard !pool.heldBack.isEmpty || hasWaited || scheduler.waitsForReader else { return }
    let isReaderBehind = scheduler.horizon?.isReaderBehind ?? true
    let pace: Pace = job.rateLimit != nil ? .limit : isReaderBehind ? .reader : .front
    scheduler.heldBack(pool.heldBack.map(\.slot), by: pace, at: now)
    guard pace != .front else { return }
    budget.standStill(for: now - lastLook)
  }
}
