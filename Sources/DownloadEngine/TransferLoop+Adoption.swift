import DownloadCore

/// What the probe has begun.
extension TransferLoop {
  /// Goes on with the response that answered the probe: its first bytes are here already; and with those that were asked
  /// for beside it.
  func adopt(_ body: Probe.Body, _ early: [Probe.Body]) throws(DownloadError) {
    let transfer = body.transfer
    let start = transfer.position
    let isDone = session.manifest.range != nil && session.isComplete
    guard !isDone, resource.length == nil || session.missing.contains(start) || !resource.canBeSplit else {
      for body in [body] + early { pool.stop(body.transfer) }
      return
    }
    let early = wanted(early, beside: transfer)
    let gap = session.missing.ranges.first { $0.contains(start) }
    let reach = min(transfer.end, gap?.end ?? unknownEnd)
    if resource.canBeSplit {
      transfer.shorten(to: min(reach, early.first?.transfer.position ?? unknownEnd))
    } else {
      transfer.extend(to: end, present: session.unwritten)
    }
    // The body may be of less than what was asked for.
    scheduler.adopt(transfer.slot, range: ByteRange(start, transfer.end), reach: reach, at: pool.now)
    hasAnswer = true
    // All of them, before the first of them can fail: they were asked at one time.
    for body in early { plan(body.transfer) }
    // A small file may be here before anything else is begun.
    mostConnections = max(mostConnections, scheduler.active.count)
    if !early.contains(where: \.transfer.isAccepted) { transfer.hold() }
    let epoch = pool.epoch
    try deliver(body)
    for body in early where pool.epoch == epoch { try take(body) }
  }

  /// The end of what is wanted, as far as that is known.
  private var end: Int64 { session.manifest.range?.end ?? resource.length ?? unknownEnd }

  /// Those of the guesses that are still of use; the others are stopped.
  ///
  /// Until one is answered it may be refused: then it is better to have kept what the first response has brought already.
  private func wanted(_ early: [Probe.Body], beside first: Transfer) -> [Probe.Body] {
    let here = first.position + Int64(first.body.count)
    let isWhole = here >= end
    let rest = early.drop { isWhole || ($0.transfer.position < here && !$0.transfer.isAccepted) }
    // Behind the end is nothing to ask for; an answer that is on its way leaves its connection.
    let wanted = rest.filter { $0.transfer.wasAsked || $0.transfer.position < end }
    for body in early where !wanted.contains(where: { $0.transfer === body.transfer }) { pool.stop(body.transfer) }
    return wanted
  }

  /// The first response waits at the end of its share until another one has been accepted, or nothing else is under way:
  /// its link may be good for one request alone, and then it goes on. Not for ever: the server may answer nobody else as
  /// long as it is at work on this one.
  func letGo() {
    let others = pool.transfers.values.filter { !$0.holdsAtEnd && $0.mirror == nil }
    heldSince = pool.transfers.values.contains(where: \.waitsAtEnd) ? heldSince ?? pool.now : nil
    let isLong = heldSince.map { pool.now - $0 >= longestHold } ?? false
    guard isLong || others.isEmpty || others.contains(where: \.isAccepted) else { return }
    for transfer in pool.transfers.values { transfer.letGo() }
  }

  private func plan(_ transfer: Transfer) {
    let start = transfer.position
    transfer.expect(resource)
    transfer.shorten(to: max(end, start))
    scheduler.adopt(
      transfer.slot, range: ByteRange(start, transfer.end), isAsked: transfer.wasAsked, isAnswered: transfer.isAccepted,
      at: pool.now)
  }

  private func take(_ body: Probe.Body) throws(DownloadError) {
    let epoch = pool.epoch
    if body.transfer.isAccepted { try answered(body.transfer) }
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
    sources.note(ByteRange(before, transfer.position), from: sources.main)
    if let code = body.code {
      transfer.commit()
      try ended(transfer, code)
    } else if transfer.isFull {
      pool.stop(transfer)
      try ended(transfer, .ok)
    }
  }
}
