import DownloadCore

/// What mirrors fetch while their blocks are still compared: it waits in memory, and counts only once they are trusted.
extension TransferLoop {
  /// All of that together, and what one request may have of it, in bytes.
  private static var mostAhead: Int { 32 << 20 }
  private static var mostOfOne: Int { 2 << 20 }

  /// A mirror has begun to send a block: from now on it gets ranges, too. Where the main source is gone, what is here is
  /// compared at once; and of another protocol's mirror the end of a body cannot be waited for.
  func beginAhead(_ sampler: Transfer, of mirror: Source) {
    guard mirror.standing == .compared, let index = mirror.index, !mirror.isAhead, sampler.isAccepted,
      let head = sampler.head, let length = resource.length
    else { return }
    guard mirror.troublesInARow == 0, !mirror.disagrees, sources.main.isLive, mirror.url.isWeb, pool.horizon == .max
    else { return }
    mirror.validator = mirror.validator ?? Validator(head: head, length: length)
    mirror.currentURL = sampler.request.url
    mirror.isAhead = true
    scheduler.open(index, latency: mirror.latency, isUnproved: true)
  }

  /// Takes back what a mirror fetches that is not trusted.
  func stopAhead(_ mirror: Source) {
    guard mirror.isAhead, mirror.standing == .compared, let index = mirror.index else { return }
    mirror.isAhead = false
    for slot in scheduler.close(index, at: pool.now) { if let transfer = pool.transfers[slot] { pool.stop(transfer) } }
  }

  /// So much of a range waits in memory at most, in bytes: never all of it, so that none ends there.
  func mostAhead(of range: ByteRange) -> Int {
    let share = min(Self.mostOfOne, Self.mostAhead / max(1, scheduler.mostConnections))
    return min(share, Int(clamping: range.count - 1))
  }

  /// Requests that wait on purpose are not silent.
  func excuseAhead() {
    for transfer in pool.transfers.values where transfer.waitsForTrust { scheduler.heard(transfer.slot, at: pool.now) }
  }

  /// Writes what a mirror has fetched before it was trusted.
  func takeAhead(from mirror: Source) throws(DownloadError) {
    for transfer in pool.transfers.values where transfer.mirror === mirror && transfer.request.awaitsTrust {
      transfer.deliver(to: session.writer)
      if let failure = transfer.failure { throw failure }
    }
  }
}

extension Transfer {
  /// As much of it is in memory as there may be.
  fileprivate var waitsForTrust: Bool { request.awaitsTrust && isPaused }
}
