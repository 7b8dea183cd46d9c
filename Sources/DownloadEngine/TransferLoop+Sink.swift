import DownloadCore

/// A file that goes to a sink while it is fetched: what the sink has cannot be taken back, and nothing is fetched farther
/// ahead of it than the window.
extension TransferLoop {
  /// Hands on what is here without a gap, and lets the transfers go as far ahead as the window allows.
  func feedSink() throws(DownloadError) {
    guard let sink = session.sink else { return }
    let digested = algorithms.isEmpty ? nil : session.start + digester.progress
    let passed = try sink.pass(hashableEnd, digested: digested)
    scheduler.readerPassed(passed, of: prefix)
    pool.horizon = passed.addingClamped(job.window.bytes)
  }

  /// Waits until the sink has all of the complete file.
  func drainSink() throws(DownloadError) {
    guard let sink = session.sink else { return }
    let end = session.start + session.ledger.done
    sink.output.finish(at: end)
    if !algorithms.isEmpty { digester.advance(to: end) }
    while !sink.output.isDone {
      try feedSink()
      _ = try pool.wait(atMost: 0.1)
    }
  }

  /// What is here from `offset` on turned out to be none of the file, or cannot be shown to be. Throws where a sink has
  /// some of it, with a failure of this kind.
  func takeBack(from offset: Int64, because reason: String, _ failure: Failure = .remoteChanged) throws(DownloadError) {
    guard let sink = session.sink else { return }
    // Digests that have gone farther begin again where all of it is still there.
    let isHashed = !algorithms.isEmpty && session.start + digester.progress > offset && sink.hasReleased
    guard !isHashed, sink.output.takeBack(from: offset) else {
      let sent = sink.output.begun - session.start
      throw .cannotGoOn(resource.url, after: sent, to: sink.output.sink, reason, failure)
    }
    prefix = min(prefix, max(session.start, offset))
  }

  /// A sink has passed on bytes that cannot be read again.
  var isPassedOn: Bool { session.sink?.hasReleased ?? false }

  /// A body that has to begin again is gone on with: some of it went to a sink, and the next one is of the very same
  /// bytes (RFC 9110, section 8.8.1), of which those that are here are left out.
  var isContinued: Bool {
    guard let sink = session.sink else { return false }
    return resource.validator.isStrong && sink.output.begun > session.start
  }
}
