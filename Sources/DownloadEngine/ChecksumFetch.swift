package import DownloadCore

/// Fetches a list of digests into memory, with the patience and the rules of any download.
package struct ChecksumFetch {
  private let job: DownloadRequest
  private let pool: TransferPool
  private let onEvent: (DownloadEvent) -> Void

  /// `job` names the list's address, and what goes along to its origin.
  package init(
    _ job: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil,
    onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.job = job
    pool = TransferPool(job: job, signals: signals, limiter: limiter)
    self.onEvent = onEvent
  }

  /// The list's bytes. It has `--give-up-after` for all of it, and the time for which a limit on the rate holds it back.
  ///
  /// Throws what ended it, `digestMismatch` where it does not have the digests of its job, and `usage` for a list that is larger than any may be: of that only the beginning is read.
  package func run() throws(DownloadError) -> [UInt8] {
    var deadline = pool.now + job.timeouts.giveUp
    var tries = 0
    while true {
      tries += 1
      let reason: String
      switch try fetch(until: &deadline) {
      case .list(let bytes):
        try check(bytes)
        return bytes
      case .trouble(let what): reason = what
      }
      let next = pool.now + BackOff.delay(attempt: tries, random: Double.random(in: 0..<1))
      guard next < deadline else { throw .gaveUp(job.url, reason, tries: tries) }
      onEvent(.retry("\(job.url.redacted): \(reason); trying again"))
      while pool.now < next { _ = try pool.wait(atMost: min(0.1, next - pool.now)) }
    }
  }

  /// The list itself may have to have a digest.
  private func check(_ bytes: [UInt8]) throws(DownloadError) {
    let digests = try MessageDigests(job.digests.map(\.algorithm))
    bytes.withUnsafeBytes { digests.update($0) }
    for (expected, got) in zip(job.digests, digests.finish()) where expected != got {
      let text = DownloadError.mismatch(job.url.redacted, expected: expected, got: got)
      throw DownloadError(.digestMismatch, text + "; nothing was checked with it")
    }
  }

  private enum Outcome {
    case list([UInt8])
    case trouble(String)
  }

  private func fetch(until deadline: inout Double) throws(DownloadError) -> Outcome {
    let probe = Probe(pool, mayGoAhead: false, onEvent: onEvent)
    probe.question = .whole
    let answer = try probe.run()
    // An answer without a body is that of an empty file.
    guard let transfer = answer.body?.transfer else { return .list([]) }
    defer { pool.stop(transfer) }
    if let length = answer.resource.length, length > Int64(ChecksumFile.mostBytes) { throw tooLarge }
    guard transfer.head?.isContentEncoded == false else {
      throw .cannotUnderstand(transfer.request.url, "it is compressed, and nobody asked for that")
    }
    if let silence = try drain(transfer, until: &deadline) { return .trouble(silence) }
    if let failure = transfer.failure { throw failure }
    guard let code = transfer.code, transfer.body.count <= ChecksumFile.mostBytes else { throw tooLarge }
    guard code.isOK else {
      if let fatal = TransferFailure.fatal(transfer, code) { throw fatal }
      return .trouble(transfer.reason(code))
    }
    let isCut = transfer.endsWithConnection && transfer.mayBeCut
    return isCut ? .trouble("the end of the connection may have been a cut") : .list(transfer.body)
  }

  /// Waits until the body is here, or more of it than there may be. What was wrong, where that takes too long.
  private func drain(_ transfer: Transfer, until deadline: inout Double) throws(DownloadError) -> String? {
    var heardAt = pool.now
    var lookedAt = pool.now
    while transfer.code == nil, transfer.body.count <= ChecksumFile.mostBytes {
      for case .news(let heard, let news) in try pool.wait(atMost: 0.1) where heard === transfer && news.isHeard {
        heardAt = pool.now
      }
      let now = pool.now
      if pool.isHeldBack(transfer) {
        heardAt = now
        deadline += now - lookedAt
      }
      lookedAt = now
      guard now - heardAt < job.timeouts.stall else {
        return "no byte for \(Int(job.timeouts.stall.rounded(.up))) s"
      }
      guard now < deadline else { return "it takes too long" }
    }
    return nil
  }

  private var tooLarge: DownloadError { .checksumFile(job.url.redacted, .tooLarge) }
}
