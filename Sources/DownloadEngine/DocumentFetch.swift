package import DownloadCore

/// Fetches a document that tells of files into memory, with the patience and the rules of any download.
package struct DocumentFetch {
  /// What it is.
  package enum Kind: Sendable {
    /// A list of digests.
    case checksums
    case metalink

    /// In bytes.
    fileprivate var most: Int {
      switch self {
      case .checksums: ChecksumFile.mostBytes
      case .metalink: Metalink.mostBytes
      }
    }

    fileprivate func tooLarge(_ url: RemoteURL) -> DownloadError {
      switch self {
      case .checksums: .checksumFile(url.redacted, .tooLarge)
      case .metalink: .metalink(url.redacted, .tooLarge, isRemote: true)
      }
    }

    /// What did not happen where it does not have its own digest.
    fileprivate var consequence: String {
      switch self {
      case .checksums: "nothing was checked with it"
      case .metalink: "nothing was fetched"
      }
    }
  }

  private let kind: Kind
  private let job: DownloadRequest
  private let pool: TransferPool
  private let onEvent: (DownloadEvent) -> Void

  /// `job` names the document's address, and what goes along to its origin.
  package init(
    _ kind: Kind, _ job: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil,
    onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.kind = kind
    self.job = job
    pool = TransferPool(job: job, signals: signals, limiter: limiter)
    self.onEvent = onEvent
  }

  /// Its bytes. It has `--give-up-after` for all of it, and the time for which a limit on the rate holds it back.
  ///
  /// Throws what ended it, `digestMismatch` where it does not have the digests of its job, and `usage` or `refused` for
  /// one that is larger than any may be: of that only the beginning is read.
  package func run() throws(DownloadError) -> [UInt8] {
    var deadline = pool.now + job.timeouts.giveUp
    var tries = 0
    while true {
      tries += 1
      let reason: String
      switch try fetch(until: &deadline) {
      case .document(let bytes):
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

  /// It may have to have a digest of its own.
  private func check(_ bytes: [UInt8]) throws(DownloadError) {
    let digests = try MessageDigests(job.digests.map(\.algorithm))
    bytes.withUnsafeBytes { digests.update($0) }
    for (expected, got) in zip(job.digests, digests.finish()) where expected != got {
      let text = DownloadError.mismatch(job.url.redacted, expected: expected, got: got)
      throw DownloadError(.digestMismatch, "\(text); \(kind.consequence)")
    }
  }

  private enum Outcome {
    case document([UInt8])
    case trouble(String)
  }

  private func fetch(until deadline: inout Double) throws(DownloadError) -> Outcome {
    let probe = Probe(pool, mayGoAhead: false, onEvent: onEvent)
    probe.question = .whole
    // One piece more shows that it is too large.
    probe.mostKept = kind.most + (1 << 20)
    let answer = try probe.run()
    // An answer without a body is that of an empty file.
    guard let transfer = answer.body?.transfer else { return .document([]) }
    defer { pool.stop(transfer) }
    if let length = answer.resource.length, length > Int64(kind.most) { throw tooLarge }
    guard transfer.head?.isContentEncoded == false else {
      throw .cannotUnderstand(transfer.request.url, "it is compressed, and nobody asked for that")
    }
    if let silence = try drain(transfer, until: &deadline) { return .trouble(silence) }
    if let failure = transfer.failure { throw failure }
    guard let code = transfer.code, transfer.body.count <= kind.most else { throw tooLarge }
    guard code.isOK else {
      if let fatal = TransferFailure.fatal(transfer, code) { throw fatal }
      return .trouble(transfer.reason(code))
    }
    let isCut = transfer.endsWithConnection && transfer.mayBeCut
    return isCut ? .trouble("the end of the connection may have been a cut") : .document(transfer.body)
  }

  /// Waits until the body is here, or more of it than there may be. What was wrong, where that takes too long.
  private func drain(_ transfer: Transfer, until deadline: inout Double) throws(DownloadError) -> String? {
    var heardAt = pool.now
    var lookedAt = pool.now
    while transfer.code == nil, transfer.body.count <= kind.most {
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

  private var tooLarge: DownloadError { kind.tooLarge(job.url) }
}
