import DownloadCore

/// What the probe has begun.
extension TransferLoop {
  /// Goes on with the response that answered the probe: its first bytes are here already; and with those that were asked
  /// for beside it.
  func adopt(_ body: Probe.Body, _ early: [Probe.Body]) throws(DownloadError) {
    let transfer = body.transfer
    let start = transfer.position
    guard resource.length == nil || session.missing.contains(start) || resource.canBeSplit == false else {
      return pool.stop(transfer)
    }
    let gap = session.missing.ranges.first { $0.contains(start) }
    let reach = min(transfer.end, gap?.end ?? unknownEnd)
    if resource.canBeSplit {
      transfer.shorten(to: min(reach, early.first?.transfer.position ?? unknownEnd))
    } else {
      transfer.extend(to: resource.length ?? unknownEnd, present: session.ledger.covered.ranges)
    }
    // The body may be of less than what was asked for.
    scheduler.adopt(transfer.slot, range: ByteRange(start, transfer.end), reach: reach, at: pool.now)
    hasAnswer = true
    let epoch = pool.epoch
    try deliver(body)
    for body in early where pool.epoch == epoch { try adoptEarly(body) }
  }

  private func adoptEarly(_ body: Probe.Body) throws(DownloadError) {
    let transfer = body.transfer
    let length = resource.length ?? 0
    let start = transfer.position
    transfer.shorten(to: max(length, start))
    scheduler.adopt(
      transfer.slot, range: ByteRange(start, transfer.end), isAsked: transfer.wasAsked, isAnswered: transfer.isAccepted,
      at: pool.now)
    let epoch = pool.epoch
    if transfer.isAccepted { try answered(transfer) }
    guard pool.epoch == epoch else { return }
    try deliver(body)
  }

  /// Writes what is here of a body, and sees to its end where that has come.
  private func deliver(_ body: Probe.Body) throws(DownloadError) {
    let transfer = body.transfer
    let before = transfer.position
    transfer.deliver(to: session.writer)
    _ = transfer.takeNews()
    if let failure = transfer.failure { throw failure }
    scheduler.received(transfer.slot, transfer.position - before, at: pool.now)
    if let code = body.code {
      transfer.commit()
      try ended(transfer, code)
    } else if transfer.isFull {
      pool.stop(transfer)
      try ended(transfer, .ok)
    }
  }
}
