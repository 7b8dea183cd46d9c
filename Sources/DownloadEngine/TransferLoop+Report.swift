import DownloadCore

/// Saying how far it is, and what was decided.
extension TransferLoop {
  /// Bytes of the file that are here.
  var done: Int64 { session.writer.done }

  func report() {
    let (done, now) = (done, pool.now)
    budget.reached(done, at: now)
    if scheduler.isStream { budget.passed(pool.transfers.values.map(\.position).max() ?? 0, at: now) }
    meter.report(done: done, connections: scheduler.active.count, at: now) { add in
      session.ledger.forEachRange { add(session.shown($0)) }
      for transfer in pool.transfers.values where !transfer.uncommitted.isEmpty {
        add(session.shown(transfer.uncommitted))
      }
    }
  }

  /// Says what is to be fetched over how many connections, and later when these become more or fewer.
  func traceLimit() {
    let limit = scheduler.connectionLimit
    guard limit != tracedLimit else { return }
    let missing = tracedLimit == nil ? session.missing : nil
    tracedLimit = limit
    onEvent(pool.trace(TraceText.limit(limit, missing: resource.length == nil ? nil : missing)))
  }

  /// Names sources that were asked and of no use: what they had to fetch went to others.
  func reviewSources() {
    let all = sources.all.reduce(Int64(0)) { $0 + $1.brought.count }
    for source in sources.all where source.isLive && source.complaint == nil {
      let isMain = source === sources.main
      // Of the one that says what the file is, only that it failed is worth a word.
      guard let asked = isMain ? pool.now : source.askedAt, !isMain || sources.hasTrustedMirror else { continue }
      let review = SourceReview(
        asked: pool.now - asked, silent: pool.now - max(source.heardAt, source.broughtAt),
        isTrusted: source.standing == .trusted, brought: source.brought.count, all: all, sources: sources.live.count,
        trouble: source.lastingTrouble)
      source.complaint = review.complaint
      guard let complaint = source.complaint else { continue }
      onEvent(.warning("\(sources.shown(source)): \(complaint); the others had the file sooner"))
    }
  }
}
