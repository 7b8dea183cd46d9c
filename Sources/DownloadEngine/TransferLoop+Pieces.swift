import DownloadCore

/// Pieces of which the digests are known: each is compared as soon as it is here, and fetched again, alone, where it is
/// wrong.
extension TransferLoop {
  /// A piece is fetched again so often; what is wrong then is not the network's doing.
  private static var mostTries: Int { 3 }
  /// So far the comparisons may lag behind, in bytes; and how long they are waited for at once, in seconds.
  private static var mostPending: Int64 { 64 << 20 }
  private static var longestRest: Double { 0.5 }
  /// Between two looks at what has come, in seconds.
  private static var pause: Double { 0.05 }

  /// What compares them; nil where none are known.
  static func pieceChecker(_ session: PartSession, _ pool: TransferPool) -> PieceChecker? {
    guard pool.job.range == nil, let pieces = pool.job.pieces, let total = pool.job.knownLength, pieces.cover(total)
    else { return nil }
    return PieceChecker(part: session.part, pieces, total: total, wakeup: pool.wakeup)
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
    let brought = sources(ofBytesIn: wrong.range)
    let addresses = brought.map { $0 === sources.main ? currentURL : $0.url }
    for transfer in pool.transfers.values { transfer.commit() }
    for range in try session.writer.forget(exactly: wrong.range) {
      pieces?.forget(range)
      scheduler.lost(range)
    }
    prefix = min(prefix, wrong.range.start)
    budget.lost(leaving: done)
    let failures = pieces?.ledger.failures(of: wrong.piece) ?? 0
    guard failures < Self.mostTries, pieces?.ledger.isHopeless != true else {
      throw .wrongPiece(wrong, of: addresses, tries: failures, part: session.part.shownName)
    }
    let names = addresses.map(\.redacted).joined(separator: " and ")
    onEvent(
      .warning(
        "\(wrong.range) from \(names) do not match the \(wrong.digest.algorithm.rawValue) in the metalink: fetching "
          + "them again"))
    if brought.count == 1 { leave(wrong.range, toOthersThan: brought[0]) }
  }

  /// One wrong piece may be an accident, two are a habit: where there are others, they have the pieces.
  private func leave(_ range: ByteRange, toOthersThan source: Source) {
    source.wrongPieces += 1
    guard source.isLive, canGoOn(without: source) else { return }
    guard source.wrongPieces < 2 else { return lose(source, "its bytes do not match the digests of the pieces") }
    if let index = source.index { scheduler.bar(index, from: range) }
  }
}
