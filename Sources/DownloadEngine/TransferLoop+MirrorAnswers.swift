import DownloadCore

/// What mirrors answer. A mirror only ever serves ranges of the known length: whatever else it says is its own trouble,
/// and never the download's.
extension TransferLoop {
  func start(_ slot: RangeScheduler.Slot, _ range: ByteRange, from mirror: Source, at url: RemoteURL, redirects: Int) {
    var request = request(for: range, from: mirror, at: url)
    onEvent(pool.trace(slot, TraceText.request(request)))
    guard mirror.standing == .trusted else {
      request.awaitsTrust = true
      request.mostKept = mostAhead(of: range)
      pool.start(request, slot: slot, redirects: redirects, mirror: mirror)
      return
    }
    pool.start(request, slot: slot, redirects: redirects, writer: session.writer, mirror: mirror)
  }

  func take(_ news: Transfer.News, of transfer: Transfer, from mirror: Source) {
    let (slot, now) = (transfer.slot, pool.now)
    guard !transfer.isSample else {
      if news.isRequested { transfer.requestedAt = now }
      if news.isAnswered, let asked = transfer.requestedAt { mirror.latency = now - asked }
      mirror.heardAt = now
      if news.isAnswered { beginAhead(transfer, of: mirror) }
      return
    }
    if news.isRequested { scheduler.requested(slot, at: now) }
    if news.isHeard { scheduler.heard(slot, at: now) }
    if news.isAnswered, transfer.isAccepted {
      if let head = transfer.head { onEvent(pool.trace(slot, TraceText.head(head))) }
      scheduler.answered(slot, end: transfer.end, at: now)
      mirror.currentURL = transfer.request.url
    }
    if news.ahead > 0 { scheduler.receivedAhead(slot, news.ahead, at: now) }
    guard news.received > 0 else { return }
    scheduler.received(slot, news.received, at: now)
    noteBrought(news.received, by: transfer)
  }

  /// Bytes of the file were written.
  func noteBrought(_ count: Int64, by transfer: Transfer) {
    meter.received(count)
    (transfer.mirror ?? sources.main).broughtAt = pool.now
    sources.note(
      ByteRange(max(0, transfer.position - count), transfer.position), from: transfer.mirror ?? sources.main)
    noteProgress()
  }

  /// What is to be done about the end of a mirror's transfer.
  private enum Outcome {
    case complete
    case elsewhere(RemoteURL)
    /// It may pass.
    case trouble(String, RangeScheduler.Trouble)
    /// It will not.
    case end(String, Failure)
  }

  func ended(_ transfer: Transfer, _ code: CurlCode, from mirror: Source) throws(DownloadError) {
    let isSample = transfer.isSample
    if isSample {
      mirror.samplers[transfer.request.wanted] = nil
      scheduler.release(transfer.slot, isWarm: transfer.isComplete)
    }
    // This machine's own failures are no mirror's.
    if let failure = transfer.failure, failure.failure == .local { throw failure }
    // What came after the end of the source is nobody's business.
    guard mirror.isLive else { return }
    onEvent(pool.trace(transfer.slot, TraceText.end(transfer)))
    switch outcome(of: transfer, code, isSample: isSample) {
    case .complete:
      if isSample { try took(transfer, of: mirror) } else { scheduler.finished(transfer.slot, at: pool.now) }
    case .elsewhere(let url):
      let (range, redirects) = (transfer.request.wanted, transfer.redirects + 1)
      guard !isSample else { return sample(range, of: mirror, in: transfer.slot, at: url, redirects: redirects) }
      // The range may have been shortened since it was asked for.
      let rest = ByteRange(min(transfer.position, transfer.end), transfer.end)
      start(transfer.slot, rest, from: mirror, at: url, redirects: redirects)
    case .trouble(let why, let trouble): try note(why, trouble, of: transfer, from: mirror, isSample: isSample)
    case .end(let why, let failure): try drop(mirror, why, failure)
    }
  }

  private func outcome(of transfer: Transfer, _ code: CurlCode, isSample: Bool) -> Outcome {
    if let failure = transfer.failure { return .end(failure.message, failure.failure) }
    guard let verdict = transfer.verdict, let head = transfer.head else {
      let kind = TransferFailure.kind(transfer, code)
      if let fatal = TransferFailure.fatal(transfer, code) { return .end(transfer.reason(code), fatal.failure) }
      let isUnreachable = code.meaning == .unreachable
      return .trouble(
        transfer.reason(code), isUnreachable && kind == .network ? .slowDown(retryAfter: nil) : .transient)
    }
    switch verdict {
    case .partial, .whole:
      if isSample ? transfer.isComplete : transfer.hasAll { return .complete }
      return .trouble(code.isOK ? "the body ended early" : transfer.reason(code), .transient)
    case .redirect: return redirected(transfer, head)
    case .transient(let status, let retryAfter):
      let trouble = RangeScheduler.Trouble.slowDown(retryAfter: retryAfter)
      return .trouble("the server answered \(status.rawValue)", status.asksToSlowDown ? trouble : .transient)
    case .refused(let status):
      let why = "the server answered \(status.rawValue)"
      // A signed address that has expired: the mirror's own is asked once more.
      guard transfer.redirects > 0 || transfer.request.url == transfer.mirror?.url else {
        return .trouble(why, .transient)
      }
      return .end(why, .refused)
    case .changed(let how): return .end("it has another file: \(how)", .remoteChanged)
    case .rangeIgnored(let how), .wrongRange(let how), .malformed(let how): return .end(how, .refused)
    case .unsatisfiable: return .end("the server says there is no such range (416)", .refused)
    }
  }

  private func redirected(_ transfer: Transfer, _ head: ResponseHead) -> Outcome {
    guard transfer.redirects < RedirectRule.most else { return .end("it redirects too often", .refused) }
    do throws(DownloadError) {
      return .elsewhere(try RedirectRule.next(head, from: transfer.request.url))
    } catch {
      return .end("it redirects to where nothing may be asked", .refused)
    }
  }

  private func note(
    _ why: String, _ trouble: RangeScheduler.Trouble, of transfer: Transfer, from mirror: Source, isSample: Bool
  ) throws(DownloadError) {
    mirror.currentURL = mirror.url
    if isSample {
      stopAhead(mirror)
      var asked: Double?
      if case .slowDown(let retryAfter) = trouble { asked = retryAfter }
      let attempt = mirror.troublesInARow + 1
      mirror.notBefore = pool.now + (asked ?? BackOff.delay(attempt: attempt, random: Double.random(in: 0..<1)))
    } else {
      countRetry(why, .network, of: transfer)
      fail(transfer, trouble)
    }
    // On the way to the first byte, more tries are no use.
    let weight = isSample ? 2 : 1
    guard mirror.noteTrouble(why, begun: transfer.startedAt, weight: weight, at: pool.now) else { return }
    try giveUp(mirror, why, .network)
  }

  /// A connection to a source was silent for too long, and is gone.
  func noteStall(of transfer: Transfer) throws(DownloadError) {
    let source = transfer.mirror ?? sources.main
    let why = "no byte for \(Int(job.timeouts.stall.rounded(.up))) s"
    guard source.noteTrouble(why, begun: transfer.startedAt, weight: 2, at: pool.now) else { return }
    try giveUp(source, why, .network)
  }

  /// A source has failed again and again: that ends it where others work. The last one is tried as long as there is
  /// patience.
  func giveUp(_ source: Source, _ why: String, _ failure: Failure) throws(DownloadError) {
    guard source.isLive, canGoOn(without: source) else { return }
    if source === sources.main, !sources.hasTrustedMirror { return }
    try drop(source, why, failure)
  }
}

// The end of a source.
extension TransferLoop {
  /// Whether the download can go on without a source.
  func canGoOn(without source: Source) -> Bool {
    sources.hasOthers(than: source) && !scheduler.isStream && !takesOneResponse && resource.canBeSplit
  }

  /// Ends a source, and with the last one the download.
  func drop(_ source: Source, _ why: String, _ failure: Failure) throws(DownloadError) {
    guard canGoOn(without: source) else {
      // What ended the server that was asked for is what counts.
      if let mainError {
        source.standing = .dropped(why)
        onEvent(.warning("mirror \(source.url.redacted): \(why); no other source is left"))
        throw mainError
      }
      let range = session.missing.first ?? ByteRange(0, 0)
      throw .refused(source.url, range: range, why, status: nil, failure: failure)
    }
    lose(source, why)
  }

  /// Goes on without a source; what it had not fetched is queued again.
  func lose(_ source: Source, _ why: String) {
    source.standing = .dropped(why)
    onEvent(.warning("\(sources.shown(source)): \(why); going on without it"))
    for sampler in source.samplers.values { pool.stop(sampler) }
    source.samplers = [:]
    guard let index = source.index else { return }
    for slot in scheduler.drop(index) { if let transfer = pool.transfers[slot] { pool.stop(transfer) } }
    source.index = nil
    addBlockOfWhatIsHere(after: source)
  }

  /// Where the main source is gone before any block can be compared, mirrors are compared with what it has left.
  private func addBlockOfWhatIsHere(after source: Source) {
    guard source === sources.main, !blocks.isEmpty else { return }
    for transfer in pool.transfers.values { transfer.commit() }
    let here = session.ledger.covered
    guard !blocks.contains(where: { MirrorSample.compared($0, in: here) >= MirrorSample.leastCompared }),
      let block = MirrorSample.block(in: here)
    else { return }
    blocks.append(block)
  }

  /// Goes on without the main source, where that has ended by this error and others may have the file. Throws it where
  /// not.
  func survive(_ error: DownloadError) throws(DownloadError) {
    let main = sources.main
    guard [.network, .refused, .tls, .remoteChanged].contains(error.failure), main.isLive, canGoOn(without: main) else {
      throw error
    }
    mainError = error
    lose(main, error.cause)
  }

  /// Ends the main source where it has failed again and again and mirrors work.
  func leaveFailedMain() throws(DownloadError) {
    guard let (reason, failure) = mainFailedBy else { return }
    mainFailedBy = nil
    try giveUp(sources.main, reason, failure)
  }

  /// Fetches bytes again that are here, from others than `source`.
  func fetchAgain(_ range: ByteRange, avoiding source: Source?) throws(DownloadError) {
    if let index = source?.index { scheduler.bar(index, from: range) }
    for transfer in pool.transfers.values { transfer.commit() }
    for range in try session.writer.forget(exactly: range) {
      pieces?.forget(range)
      scheduler.lost(range)
    }
    budget.lost(leaving: done)
    try digestAgain()
  }

  /// Those that have brought something of these bytes in this run.
  func sources(ofBytesIn range: ByteRange) -> [Source] { sources.sources(ofBytesIn: range) }

  /// Tells a new scheduler of the sources that are at work.
  func addSources() {
    guard sources.areSeveral else { return }
    for source in sources.all {
      source.index = nil
      source.samplers = [:]
      source.isAhead = false
    }
    guard !scheduler.isStream else {
      sources.resetMirrors()
      blocks = []
      return
    }
    sources.main.index = 0
    if !sources.main.isLive {
      _ = scheduler.drop(0)
      sources.main.index = nil
    }
    for mirror in sources.mirrors where mirror.isLive {
      let index = scheduler.addSource(at: pool.now)
      mirror.index = index
      if mirror.standing == .trusted { scheduler.open(index, latency: mirror.latency) }
    }
    scheduler.preferAtFirst(blocks)
  }
}
