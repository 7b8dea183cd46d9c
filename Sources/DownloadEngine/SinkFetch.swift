import DownloadCore

/// Fetches a file for a sink, and proves what that got.
struct SinkFetch {
  let request: DownloadRequest
  let pool: TransferPool
  let session: SinkSession
  let onEvent: (DownloadEvent) -> Void

  /// Bytes of one source: a mirror is compared by what is here, and what was sent is not.
  private var sources: SourceList {
    var alone = request
    alone.mirrors = []
    return SourceList(alone)
  }

  private var sink: Sink { session.output.sink }

  func run(_ answer: Probe.Answer) throws(DownloadError) -> DownloadReport {
    if request.checksServerDigest { try session.note(answer) }
    begin(answer.resource)
    var resource = answer.resource
    // A server that does not begin where it is told to (REST) is found out too late: what a reader has is not taken back.
    if resource.url.isFTP { resource.offersRanges = false }
    let loop = try TransferLoop(
      pool: pool, session: session, sources: sources, resource: resource, latency: answer.latency,
      hasAnswer: answer.body != nil, algorithms: expected.map(\.algorithm), doubted: [], onEvent: onEvent)
    try loop.run(adopting: answer.body, answer.early)
    onEvent(.progress(session.progress))
    try loop.drainSink()
    let computed = expected.isEmpty ? [] : try loop.finishDigests()
    try compare(computed)
    // Whatever went wrong with the count: a file with a hole is not called whole.
    guard session.isComplete else { throw .unforeseen(request.url, "not all of it came") }
    if request.range == nil { try request.checkSize(session.ledger.done, of: request.url) }
    return report(loop, computed)
  }

  private func begin(_ resource: Resource) {
    var here = session.progress
    here.total = session.manifest.wanted?.count ?? resource.length
    onEvent(.started(url: request.url.redacted, path: sink.path, here))
    if let note = session.noteOnDigests(resource.url) { onEvent(.message(note)) }
    if resource.validator.isWeakOnly { onEvent(.message("the server names the version by a weak ETag only")) }
  }

  /// What the file is compared with, in this order.
  private var expected: [Digest] { session.manifest.digestsToCompare }

  /// Throws `digestMismatch`. There is nothing to read back: what a disk may have done is the reader's own business.
  private func compare(_ found: [Digest]) throws(DownloadError) {
    guard let (wrong, right) = zip(found, expected).first(where: { $0 != $1 }) else { return }
    let isAnnounced = !session.manifest.demandedDigests.contains(right)
    if isAnnounced, let first = session.announcement?.member, let second = session.announcement?.other {
      throw .contradiction(request.url, first, second)
    }
    throw .sentMismatch(request.url, to: sink, expected: right, got: wrong, isAnnounced: isAnnounced)
  }

  private func report(_ loop: TransferLoop, _ computed: [Digest]) -> DownloadReport {
    var report = DownloadReport(outcome: .sent(sink), path: sink.path, bytes: session.ledger.done)
    report.computed = computed
    report.connections = loop.mostConnections
    report.retries = loop.retries
    report.verified = expected.map(\.algorithm)
    if expected.isEmpty, let pieces = request.pieces, loop.pieces != nil { report.verified = [pieces.algorithm] }
    if expected.isEmpty {
      if loop.lengthIsUnverified { report.caveats.append(.lengthUnverified) }
    } else if session.manifest.digestsUnauthenticated == true {
      report.caveats.append(.digestNotAuthenticated)
    }
    return report
  }
}
