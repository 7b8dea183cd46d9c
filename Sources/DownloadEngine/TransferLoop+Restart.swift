import DownloadCore

/// Beginning again, and going on in another way.
extension TransferLoop {
  /// Begins again from 0, with another version or in another way.
  func restart(_ resource: Resource, asStream: Bool, keepingMirrors: Bool = false) throws(DownloadError) {
    pool.stopAll()
    if !keepingMirrors {
      sources.resetMirrors()
      blocks = []
    }
    guard !job.staysWithVersion else { throw changedAgain("it is not the version that is here any more") }
    try job.checkSize(of: resource)
    try takeBack(from: session.start, because: "the file changed on the server")
    self.resource = resource
    lengthIsProved = false
    try emptyPart()
    scheduler = newScheduler(asStream: asStream)
    addSources()
    expectLimit()
    budget = ProgressBudget(patience: job.timeouts.giveUp, length: total, at: pool.now)
    try session.saveAtOnce()
  }

  /// Plans anew what is missing now.
  func newScheduler(asStream: Bool) -> RangeScheduler {
    Plan(
      resource, present: session.ledger.covered, wanted: session.manifest.range?.range, asStream: asStream,
      inOrder: !algorithms.isEmpty, for: job
    ).scheduler()
  }

  /// Bytes that are wanted; nil where nothing tells.
  private var total: Int64? { session.manifest.range?.range.count ?? resource.length }

  /// Throws away all that is here.
  private func emptyPart() throws(DownloadError) {
    digester.cancel()
    pieces?.forget(ByteRange(0, unknownEnd))
    session.isReplaced = true
    sources.forgetBrought()
    try session.begin(resource)
    // What was announced was of the version that is gone.
    algorithms = session.manifest.digestsToCompare.map(\.algorithm)
    if let total { try session.prepare(length: total, reserving: job.preallocates) }
    try digestAgain()
  }

  /// What was hashed and shown so far does not count any more.
  func digestAgain() throws(DownloadError) {
    // What a sink has passed on is not there any more, and nothing of it was taken back.
    guard !isPassedOn else { return }
    // What was in doubt and is still here is in doubt yet.
    let doubted = digester.cancelled().filter { session.ledger.covered.gaps(in: $0.range).isEmpty }
    digester = try PrefixDigester(
      part: session.store, from: session.start, algorithms: algorithms, doubted: doubted, wakeup: pool.wakeup)
    prefix = session.start
    inherited = 0
    meter.restart(total: total)
  }

  /// A body of unknown length or version cannot be gone on with: it is asked for again, after a back-off.
  func restartUnknown(_ transfer: Transfer) throws(DownloadError) {
    try beginUnknownAgain()
    fail(transfer, .transient)
  }

  /// What came of such a body does not count any more, nor as progress when it comes again.
  func beginUnknownAgain() throws(DownloadError) {
    guard !isContinued else { return }
    try takeBack(from: session.start, because: "the body was cut", .network)
    let what = resource.length == nil ? "length" : "version"
    onEvent(.restarted("the server gave no \(what): beginning again"))
    try emptyPart()
  }

  /// Fetches the whole file as one stream from now on; what is here of a version that has a name stays and is not
  /// written again. A response that is under way from 0 already goes on to the end.
  func becomeStream() throws(DownloadError) {
    let whole = pool.transfers.values.first { transfer in
      if case .whole = transfer.verdict { true } else { false }
    }
    pool.stopAll(but: whole)
    whole?.commit()
    resource.offersRanges = false
    if resource.validator.isEmpty { try forgetUnverifiable(from: whole?.position ?? 0) }
    // Those that were tried in vain do not count.
    mostConnections = 1
    scheduler = newScheduler(asStream: true)
    addSources()
    guard let whole else { return }
    let end = session.manifest.range?.end ?? resource.length ?? unknownEnd
    whole.extend(to: end, present: session.unwritten)
    scheduler.adopt(whole.slot, range: ByteRange(whole.position, end), at: pool.now)
  }

  /// What a body has brought turned out to be none of the file.
  func forget(_ transfer: Transfer) throws(DownloadError) {
    pool.stop(transfer)
    let brought = ByteRange(transfer.request.wanted.start, transfer.position)
    guard !brought.isEmpty else { return }
    try takeBack(from: brought.start, because: "an answer that was taken for the file's is none")
    for range in session.writer.forget(brought) {
      pieces?.forget(range)
      scheduler.lost(range)
    }
    budget.lost(leaving: done)
    try digestAgain()
    try session.saveAtOnce()
  }

  /// Nothing tells the version of a stream from that of what came by ranges before: of those, none counts.
  private func forgetUnverifiable(from offset: Int64) throws(DownloadError) {
    let end = resource.length ?? unknownEnd
    guard offset < end else { return }
    try takeBack(from: offset, because: "the server gives neither ranges nor a version")
    guard !session.writer.forget(ByteRange(offset, end)).isEmpty else { return }
    pieces?.forget(ByteRange(0, unknownEnd))
    onEvent(.restarted("the server gave no version: fetching again what came by ranges"))
    try digestAgain()
    try session.saveAtOnce()
  }
}
