import DownloadCore

/// Fetches what is missing: polls, drains, tells the scheduler, and performs its actions.
final class TransferLoop {
  let pool: TransferPool
  let session: FetchSession
  let onEvent: (DownloadEvent) -> Void
  var job: DownloadRequest { pool.job }
  let sources: SourceList
  /// What mirrors are compared by.
  var blocks: [ByteRange] = []
  /// When they were last compared, and when this loop began, in the pool's seconds.
  var comparedAt = -Double.infinity
  let beganAt: Double

  /// The version that is being fetched.
  var resource: Resource
  var scheduler: RangeScheduler
  var trust = ServerTrust()
  var budget: ProgressBudget
  var digester: PrefixDigester
  /// Compares the file's pieces with their digests; nil where none are known.
  let pieces: PieceChecker?
  /// When it was last told what is here, in the pool's seconds.
  var lastPieceLook = -Double.infinity
  var algorithms: [DigestAlgorithm]
  let meter: ProgressReporter

  /// Where ranges are asked for; the URL as typed again when a signed address has expired.
  var currentURL: RemoteURL
  /// A ranged answer was accepted, or a whole one: from then on its head is what the others are compared with.
  var hasAnswer: Bool
  /// One uninterrupted response from 0 is being fetched, whatever its validators are: the last resort.
  var takesOneResponse = false
  /// The length that was announced was wrong: the body's own end is believed.
  var takesAnyLength = false
  /// HEAD alone may be wrong about it; parts of the file have come that told it, too.
  var lengthIsProved = false
  /// What went wrong last, for the message if nothing helps.
  var lastTrouble: (reason: String, failure: Failure, range: ByteRange)?
  private(set) var retries = 0
  /// What ended the main source.
  var mainError: DownloadError?
  /// What too many failures of it in a row were.
  var mainFailedBy: (reason: String, failure: Failure)?
  private(set) var triesWithoutProgress = 0
  /// Something failed when there was no time left for it.
  private var hasFailedAtTheEnd = false
  /// Requests that were held back on purpose have their chance until then, in the pool's seconds.
  private var patientUntil = -Double.infinity
  var mostConnections = 0
  /// How many connections were said to be allowed at once.
  var tracedLimit: Int?
  /// Nothing but the connection's end marked the file's end.
  private(set) var lengthIsUnverified = false
  private var lastCheckpoint: Double
  /// When the loop last looked at what the limit on the rate holds back, in the pool's seconds.
  var lastLook: Double
  private var hasWarnedOfManifest = false
  var prefix: Int64
  /// So much of it an earlier run left: digests come to that as fast as the disk gives it, whatever the network does.
  var inherited: Int64
  /// Where a body of unknown end ended before the file's announced end.
  var lastEarlyEnd: Int64?
  /// Since when the first response waits at the end of its share, and how long it may, in seconds.
  var heldSince: Double?
  let longestHold: Double

  /// Between two checkpoints, in seconds. A kill costs this and the time that the disk takes for one: together they
  /// are to be no more than two seconds.
  private static let checkpointInterval = 1.0

  /// `doubted`: segments of an earlier run that must be compared with their checksums first.
  init(
    pool: TransferPool, session: FetchSession, sources: SourceList, resource: Resource, latency: Double? = nil,
    hasAnswer: Bool,
    algorithms: [DigestAlgorithm],
    doubted: [Segment], onEvent: @escaping (DownloadEvent) -> Void
  ) throws(DownloadError) {
    self.pool = pool
    self.session = session
    self.sources = sources
    beganAt = pool.now
    self.resource = resource
    self.hasAnswer = hasAnswer
    self.algorithms = algorithms
    self.onEvent = onEvent
    currentURL = resource.url
    let job = pool.job
    // What HEAD announces counts only when GET says it, too, but it shows that there will be a digest.
    let mayHash = !algorithms.isEmpty || (job.checksServerDigest && resource.announced.strongest != nil)
    let wanted = session.manifest.range?.range
    scheduler = Plan(resource, present: session.ledger.covered, wanted: wanted, inOrder: mayHash, for: job)
      .scheduler(latency: latency)
    let total = wanted?.count ?? resource.length
    budget = ProgressBudget(patience: job.timeouts.giveUp, length: total, done: session.ledger.done, at: pool.now)
    meter = ProgressReporter(
      total: total, earlier: session.earlierMap, at: pool.now, onEvent: onEvent)
    lastCheckpoint = pool.now
    lastLook = pool.now
    prefix = session.start
    inherited = session.ledger.contiguousEnd(from: session.start) - session.start
    // Some new connections are made and answered in this time, or none is while this one is open.
    longestHold = min(max(1, 8 * (latency ?? 0)), job.timeouts.stall / 2)
    digester = try PrefixDigester(
      part: session.store, from: session.start, algorithms: algorithms, doubted: doubted, wakeup: pool.wakeup)
    pieces = Self.pieceChecker(session, pool)
    session.hasDoubts = !doubted.isEmpty
    expectLimit()
    sources.compareAnew()
    addSources()
  }

  /// Runs until nothing is missing and nothing is in doubt.
  func run(adopting body: Probe.Body?, _ early: [Probe.Body] = []) throws(DownloadError) {
    if let body { try surviving { () throws(DownloadError) in try adopt(body, early) } }
    while try isUnderWay() {
      try session.reserveMore()
      try feedSink()
      try letDigestsCatchUp()
      excuseHeldBack()
      try tendMirrors()
      heedShare()
      traceLimit()
      try perform(scheduler.next(at: pool.now))
      letGo()
      for event in try pool.wait(atMost: 0.1) where pool.isCurrent(event) {
        try surviving { () throws(DownloadError) in try handle(event) }
      }
      try leaveFailedMain()
      try takeDamage()
      try comparePieces()
      try checkpoint()
      advance()
      report()
      try checkBudget()
    }
    try takeDamage()
    takeUnaccounted()
    if !scheduler.isComplete { return try run(adopting: nil) }
    reviewSources()
    pool.stopAll()
    if resource.length == nil { settleLength() }
    advance()
  }

  /// Waits until everything in doubt was compared. False where something is missing now.
  func checkDoubts() throws(DownloadError) -> Bool {
    while digester.hasDoubts {
      try takeDamage()
      advance()
      meter.verifying(digester.progress, of: session.ledger.done, at: pool.now)
      _ = try pool.wait(atMost: 0.1)
    }
    try takeDamage()
    return session.isComplete
  }

  /// Waits for the digests of the complete file.
  func finishDigests() throws(DownloadError) -> [Digest] {
    let end = session.start + session.ledger.done
    digester.advance(to: end, end: end)
    while true {
      _ = try digester.takeDamaged()
      if let result = digester.result { return result }
      meter.verifying(digester.progress, of: session.ledger.done, at: pool.now)
      _ = try pool.wait(atMost: 0.1)
    }
  }
}

extension TransferLoop {
  private func perform(_ actions: [RangeScheduler.Action]) throws(DownloadError) {
    for action in actions {
      switch action {
      case .start(let slot, let range):
        if let mirror = mirror(of: slot) {
          start(slot, range, from: mirror, at: mirror.currentURL, redirects: 0)
        } else {
          start(slot, range)
        }
      case .shorten(let slot, let end):
        pool.transfers[slot]?.shorten(to: end, drains: scheduler.active[slot]?.drains ?? false)
        onEvent(pool.trace(slot, TraceText.bound(end)))
      case .extend(let slot, let end):
        pool.transfers[slot]?.extend(to: end, present: [])
        onEvent(pool.trace(slot, TraceText.bound(end)))
      case .stop(let slot, let reason):
        guard let transfer = pool.transfers[slot] else { continue }
        pool.stop(transfer)
        onEvent(pool.trace(slot, TraceText.end(transfer, reason)))
        guard reason == .stalled else { continue }
        if takesOneResponse { throw changedAgain("the one response stalled") }
        let seconds = Int(job.timeouts.stall.rounded(.up))
        countRetry("no byte for \(seconds) s", .network, of: transfer)
        try noteStall(of: transfer)
        if resource.length == nil || (scheduler.isStream && resource.validator.isEmpty) { try beginUnknownAgain() }
      }
    }
    mostConnections = max(mostConnections, scheduler.active.count)
  }

  func start(_ slot: RangeScheduler.Slot, _ range: ByteRange, at url: RemoteURL? = nil, redirects: Int = 0) {
    // A body that nobody asked a range of begins at 0, wherever the range is to be gone on with.
    let wanted = scheduler.isStream ? ByteRange(0, range.end) : range
    var request = TransferRequest(url: url ?? currentURL, wanted: wanted)
    if scheduler.isStream {
      request.present = takesOneResponse ? [] : session.unwritten
    } else {
      request.range = range
      request.ifRange = trust.usesIfRange ? resource.validator.ifRangeValue : nil
    }
    if !takesOneResponse {
      request.validator = resource.validator
      request.isBinding = hasAnswer || session.isSameVersion
      request.length = resource.length
      request.isEncoded = resource.isEncoded
    }
    request.refusesPages = resource.isNoPage
    request.refusesEmpty = takesOneResponse
    onEvent(pool.trace(slot, TraceText.request(request)))
    pool.start(request, slot: slot, redirects: redirects, writer: session.writer)
  }

  private func handle(_ event: TransferPool.Event) throws(DownloadError) {
    switch event {
    // A HEAD that the first GET has overtaken leaves nothing but its connection.
    case .news(let transfer, _), .ended(let transfer, _):
      guard transfer.slot != TransferPool.headSlot else { return }
      // What the main source said last, before it was left out, changes nothing any more.
      guard transfer.mirror != nil || sources.main.isLive else { return }
    }
    switch event {
    case .news(let transfer, let news):
      if let mirror = transfer.mirror { take(news, of: transfer, from: mirror) } else { try take(news, of: transfer) }
    case .ended(let transfer, let code):
      if let mirror = transfer.mirror { return try ended(transfer, code, from: mirror) }
      try ended(transfer, code)
    }
  }

  private func surviving(_ body: () throws(DownloadError) -> Void) throws(DownloadError) {
    do throws(DownloadError) { try body() } catch { try survive(error) }
  }

  /// Whose connection a slot has; nil: the main source's.
  private func mirror(of slot: RangeScheduler.Slot) -> Source? {
    let index = scheduler.source(of: slot)
    return index == 0 ? nil : sources.mirrors.first { $0.index == index }
  }

  private func take(_ news: Transfer.News, of transfer: Transfer) throws(DownloadError) {
    let (slot, now) = (transfer.slot, pool.now)
    if news.isRequested { scheduler.requested(slot, at: now) }
    if news.isHeard { scheduler.heard(slot, at: now) }
    let epoch = pool.epoch
    if news.isAnswered, transfer.isAccepted { try answered(transfer) }
    // Where the answer changed the plan, the new one begins behind the bytes that came with it.
    guard news.received > 0, pool.epoch == epoch else { return }
    scheduler.received(slot, news.received, at: now)
    noteBrought(news.received, by: transfer)
    trust.progressed(askedOldAddress: askedOldAddress(transfer))
  }

  func noteProgress() { triesWithoutProgress = 0 }

  /// What the loop before this one counted counts as well.
  func countOn(_ earlier: TransferLoop) {
    retries += earlier.retries
    mostConnections = max(mostConnections, earlier.mostConnections)
  }

  /// The same of the main source, which too many failures end where mirrors work.
  func noteTrouble(_ reason: String, _ failure: Failure, of transfer: Transfer) {
    countRetry(reason, failure, of: transfer)
    guard sources.hasTrustedMirror else { return }
    guard sources.main.noteTrouble(reason, begun: transfer.startedAt, at: pool.now) else { return }
    mainFailedBy = (reason, failure)
  }

  /// Counts a failure that will be tried again, and says so.
  func countRetry(_ reason: String, _ failure: Failure, of transfer: Transfer) {
    retries += 1
    triesWithoutProgress += 1
    hasFailedAtTheEnd = budget.isSpent(at: pool.now)
    let rest = ByteRange(min(transfer.position, transfer.end), transfer.end)
    lastTrouble = (reason, failure, rest)
    onEvent(.retry("\(rest): \(reason); trying again"))
  }
}

extension TransferLoop {
  private func settleLength() {
    resource.validator.length = session.ledger.done
    session.manifest.length = session.ledger.done
  }

  /// What an earlier run left and the disk did not keep is fetched again.
  private func takeDamage() throws(DownloadError) {
    let isCompared = !digester.hasDoubts
    for segment in try digester.takeDamaged() {
      for range in session.writer.forget(segment.range) {
        pieces?.forget(range)
        scheduler.lost(range)
      }
      prefix = min(prefix, segment.range.start)
      budget.lost(leaving: done)
      onEvent(
        .warning("\(segment.range) of \(session.store.shownName) were damaged: fetching them again"))
    }
    if isCompared { session.hasDoubts = false }
  }

  /// The ledger has the last word on what is here: a file with a hole never gets its name.
  private func takeUnaccounted() {
    guard scheduler.isComplete else { return }
    // Of one that still reads what is thrown away, the last piece is not in the ledger yet.
    for transfer in pool.transfers.values { transfer.commit() }
    guard !session.missing.isEmpty else { return }
    onEvent(.warning("not all of the file was fetched: fetching the rest"))
    pool.stopAll()
    let isStream = scheduler.isStream
    scheduler = newScheduler(asStream: isStream)
    addSources()
  }

  private func checkpoint() throws(DownloadError) {
    guard let session = session.lasting else { return }
    try session.checkpoints.check()
    if !hasWarnedOfManifest, let error = session.checkpoints.unsaved {
      hasWarnedOfManifest = true
      onEvent(.warning("the manifest could not be saved: \(error.message)"))
    }
    guard pool.now - lastCheckpoint >= Self.checkpointInterval, session.checkpoints.isIdle else { return }
    lastCheckpoint = pool.now
    for transfer in pool.transfers.values { transfer.commit() }
    if try session.hasChanged() { try session.saveInBackground() }
  }

  /// Tells the digester how far the file is here without a gap.
  private func advance() {
    guard !algorithms.isEmpty || session.sink != nil else { return }
    let pieces = pool.transfers.values.map(\.uncommitted)
    prefix = session.writer.contiguousEnd(from: prefix, pieces: pieces)
    digester.advance(to: hashableEnd)
  }

  /// Waiting on purpose is no stall, however long: what comes after it has its chance. But it ends with the first
  /// failure after the time is up.
  private func checkBudget() throws(DownloadError) {
    guard !scheduler.isComplete, budget.isSpent(at: pool.now) else { return }
    if scheduler.isWaiting(at: pool.now) { patientUntil = pool.now + 3 * job.timeouts.stall }
    guard hasFailedAtTheEnd || pool.now >= patientUntil else { return }
    let seconds = Int(job.timeouts.giveUp.rounded(.up))
    let rests = pool.transfers.values.filter { $0.slot >= 0 }.map { ByteRange(min($0.position, $0.end), $0.end) }
    let pending = rests.min { $0.start < $1.start }
    let trouble = lastTrouble ?? ("no progress for \(seconds) s", .network, pending ?? ByteRange(0, 0))
    throw .gaveUp(
      resource.url, range: trouble.range, trouble.reason, failure: trouble.failure, tries: max(1, triesWithoutProgress),
      canResume: resource.length != nil && session.lasting != nil)
  }

  /// Notes that the connection's end alone marked the file's end.
  func noteUnverifiedLength() { lengthIsUnverified = true }
}
