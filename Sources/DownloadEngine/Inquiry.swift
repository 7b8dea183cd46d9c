package import DownloadCore

/// Asks a server about a file, and fetches none of it.
package struct Inquiry {
  private let job: DownloadRequest
  private let pool: TransferPool
  private let onEvent: (DownloadEvent) -> Void

  /// `job` names the address, and what goes along to its origin.
  package init(
    _ job: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil,
    onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.job = job
    pool = TransferPool(job: job, signals: signals, limiter: limiter)
    self.onEvent = onEvent
  }

  /// What the server says of the file: by a GET for its first byte, which proves that it gives ranges, and whose version
  /// counts where HEAD's differs.
  ///
  /// Throws what any download throws that gets no answer.
  package func run() throws(DownloadError) -> Resource {
    let probe = Probe(pool, gap: ByteRange(0, 1), mayGoAhead: false, onEvent: onEvent)
    probe.question = .range
    defer { pool.stopAll() }
    let answer = try probe.run()
    var resource = answer.resource
    // Whatever it says of itself: what it has sent counts.
    resource.offersRanges = answer.body?.transfer.isPart ?? false
    return resource
  }
}
