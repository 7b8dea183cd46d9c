import DownloadCore

/// A download that goes, in order, to a sink: no folder, no part, no manifest, no lock.
extension Pipeline {
  func send(to sink: Sink) throws(DownloadError) -> DownloadReport {
    guard !request.isDryRun else { return try rehearse(sending: sink) }
    let output = try open(sink)
    if sources.areSeveral {
      onEvent(.message("\(sink.shown) gets the bytes of one source: no mirror of \(request.url.redacted) is asked"))
    }
    let window = try SinkWindow(in: files)
    // Often enough that the horizon moves on before the transfers come to it.
    let step = max(1, min(request.window.bytes / 8, 1 << 20))
    let writer = try SinkWriter(output, window: window, step: step, wakeup: pool.wakeup)
    defer { writer.cancel() }
    pool.checkElsewhere = { () throws(DownloadError) in try writer.check() }
    pool.horizon = request.firstGap.start.addingClamped(request.window.bytes)
    return try send(to: writer, window)
  }

  /// Waits for a reader, where the sink is a FIFO.
  private func open(_ sink: Sink) throws(DownloadError) -> SinkOutput {
    var hasSaidSo = false
    while true {
      if let output = try SinkOutput.open(sink, in: files) { return output }
      if !hasSaidSo { onEvent(.message("waiting for somebody to read \(sink.shown)")) }
      hasSaidSo = true
      try pool.rest(milliseconds: 20)
    }
  }

  private func send(to writer: SinkWriter, _ window: SinkWindow) throws(DownloadError) -> DownloadReport {
    // What is guessed lies within the window.
    let farthest = EarlyRanges.ranges(EarlyRanges.most, minimumSplit: request.minimumSplit.bytes).last?.end ?? 0
    let mayGuess = request.rateLimit == nil && farthest <= request.window.bytes && request.range == nil
    let answer = try Probe(
      pool, gap: request.firstGap, mayGoAhead: request.connections != .fixed(1), mayGuess: mayGuess, onEvent: onEvent
    ).run()
    try request.checkSize(of: answer.resource)
    let session = try SinkSession(writer, window: window, request: request, resource: answer.resource)
    do throws(DownloadError) {
      return try SinkFetch(request: request, pool: pool, session: session, onEvent: onEvent).run(answer)
    } catch {
      pool.stopAll()
      onEvent(.progress(session.progress))
      throw error
    }
  }

  /// What a dry run would send: the sink is not touched.
  private func rehearse(sending sink: Sink) throws(DownloadError) -> DownloadReport {
    let resource = try Probe(pool, gap: request.firstGap, mayGoAhead: false, onEvent: onEvent).run().resource
    pool.stopAll()
    try request.checkSize(of: resource)
    let wanted = try request.wantedRange(in: resource.length, of: resource.url)
    let length = wanted?.count ?? resource.length
    var report = DownloadReport(outcome: .planned, path: sink.path, bytes: length ?? 0)
    report.lengthIsKnown = length != nil
    report.plan = Plan(resource, present: ByteRangeSet(), wanted: wanted, for: request)
      .summary(from: resource.url, mirrors: 0, to: sink.shown)
    return report
  }
}
