import DownloadCore

/// Pieces of which the digests are known: each is compared as soon as it is here, and fetched again, alone, where it is
/// wrong.
extension TransferLoop {
  /// A piece is fetched again so often; what is wrong then is not the network's doing.
  private static var mostTries: Int { 3 }
  /// So many of them one source may bring where there are others.
  private static var mostWrongPieces: Int { 3 }
  /// So far the comparisons may lag behind, in bytes; and how long they are waited for at once, in seconds.
  private static var mostPending: Int64 { 64 << 20 }
  private static var longestRest: Double { 0.5 }
  /// Between two looks at what has come, in seconds.
  private static var pause: Double { 0.05 }

  /// What compares them; nil where none are known.
  static func pieceChecker(_ session: FetchSession, _ pool: TransferPool) -> PieceChecker? {
    guard pool.job.range == nil, let pieces = pool.job.pieces, let total = pool.job.knownLength, pieces.cover(total)
    else { return nil }
    // Nothing goes to a sink before its piece was compared: the window must hold some.
    guard session.sink == nil || pieces.length <= pool.job.window.bytes / 4 else { return nil }
    return PieceChecker(part: session.store, pieces, total: total, wakeup: pool.wakeup)
  }

  /// The file can be hashed up to here: not beyond a piece that may yet be fetched again.
  var hashableEnd: Int64 { min(prefix, pieces?.ledger.rightEnd ?? prefix) }

  /// Lets what has come be compared, and has wrong pieces fetched again. Where the comparisons cannot keep up, nothing is
  /// read for a while.
  ///
  /// Throws `digestMismatch` for a piece that stays wrong.
  func comparePieces() throws(DownloadError) {
    guard let pieces else { return }
    for wrong in try pieces.takeWrong() { try fetchAgain(wrong) }
    guard pool.now - lastPieceLook >= Self.pause else { return }
    lastPieceLook = pool.now
    try pieces.compare(here)
    let end = pool.now + Self.longestRest
    while pieces.ledger.pending > Self.mostPending, pool.now < end {
      try pool.rest(milliseconds: 10)
      for wrong in try pieces.takeWrong() { try fetchAgain(wrong) }
    }
  }

  /// Whether anything is missing, in doubt, or not compared yet.
  func isUnderWay() throws(DownloadError) -> Bool {
    if !scheduler.isComplete || digester.hasDoubts { return true }
    return try awaitsPieces()
  }

  /// Whether all has come and some of it is still to be compared.
  func awaitsPieces() throws(DownloadError) -> Bool {
    guard let pieces, scheduler.isComplete else { return false }
    try pieces.compare(here)
    return pieces.ledger.pending > 0
  }

  /// Waits until every piece of a complete part was compared. False where some of it is missing now.
  func checkPieces() throws(DownloadError) -> Bool {
    while try awaitsPieces() {
      meter.verifying(session.ledger.done - (pieces?.ledger.pending ?? 0), of: session.ledger.done, at: pool.now)
      _ = try pool.wait(atMost: 0.1)
      for wrong in try pieces?.takeWrong() ?? [] { try fetchAgain(wrong) }
    }
    return session.isComplete
  }

  /// All bytes that are in the part.
  private var here: ByteRangeSet {
    var here = session.ledger.covered
    for transfer in pool.transfers.values { here.insert(transfer.uncommitted) }
    return here
  }

  private func fetchAgain(_ wrong: PieceLedger.Comparison) throws(DownloadError) {
    let guilty = sources(ofBytesIn: wrong.range)
    for transfer in pool.transfers.values { transfer.commit() }
    for range in try session.writer.forget(exactly: wrong.range) {
      pieces?.forget(range)
      scheduler.lost(range)
    }
    prefix = min(prefix, wrong.range.start)
    budget.lost(leaving: done)
    let names = guilty.map(\.url.redacted).joined(separator: " and ")
    guard mayBeTried(wrong, from: guilty) else {
      let tries = pieces?.ledger.failures(of: wrong.piece) ?? 0
      throw .wrongPiece(wrong, of: names, tries: tries, part: done > 0 ? session.store.shownName : nil)
    }
    let text =
      "\(wrong.range) from \(names) do not match the \(wrong.digest.algorithm.rawValue) in the metalink: fetching them "
      + "again"
    // Of a source that is known to be wrong nobody needs to hear more.
    let isNews = guilty.isEmpty || guilty.contains(where: \.isLive)
    onEvent(isNews ? .warning(text) : pool.trace("* \(text)"))
    if guilty.count == 1 { try punish(guilty[0], for: wrong) }
    assign(wrong)
  }

  /// One source alone is to bring the piece, so that it shows who is wrong: of those that have not brought it wrong the
  /// one that has brought most.
  private func assign(_ wrong: PieceLedger.Comparison) {
    let working = sources.all.filter { $0.standing == .trusted && $0.index != nil }
    let open = working.filter { !$0.wrongPieces.contains(wrong.piece) }
    guard let next = open.max(by: { $0.brought.count < $1.brought.count }) else { return }
    for source in working {
      if source === next {
        scheduler.admit(source.index!, to: wrong.range)
      } else {
        scheduler.bar(source.index!, from: wrong.range)
      }
    }
  }

  /// Where there is one source, that is tried again some times; where there are more, each of them.
  private func mayBeTried(_ wrong: PieceLedger.Comparison, from guilty: [Source]) -> Bool {
    guard let ledger = pieces?.ledger else { return false }
    guard ledger.failures(of: wrong.piece) < max(Self.mostTries, sources.all.count + 1) else { return false }
    return !ledger.isHopeless || guilty.contains { canGoOn(without: $0) }
  }

  /// Another source is to bring the piece, if there is one; who brings wrong ones again and again is asked no more.
  private func punish(_ source: Source, for wrong: PieceLedger.Comparison) throws(DownloadError) {
    guard source.isLive else { return }
    let isStubborn = source.wrongPieces.contains(wrong.piece) || source.wrongPieces.count + 1 >= Self.mostWrongPieces
    source.wrongPieces.insert(wrong.piece)
    if isStubborn, canGoOn(without: source) {
      try drop(source, "it serves pieces that are not the file's", .digestMismatch)
    }
  }
}
