package import DownloadCore

/// Fetches one file: request, probe, plan, transfers, part file, verifier, finished file.
package struct Download {
  private let request: DownloadRequest
  private let signals: SignalSource
  private let onEvent: (DownloadEvent) -> Void

  private let files: any FileSystem

  private let limiter: RateLimiter?
  /// What it shares with the downloads beside it; nil where it is alone.
  private let company: Company?

  /// What downloads that run side by side have in common.
  struct Company: Sendable {
    /// The names that it may give to its file.
    let claim: NameClaim
    /// The connections that it may have.
    let lease: ConnectionLease
  }

  /// `limiter` is what `request.rateLimit` demands, shared with the downloads that it holds for as well.
  package init(
    _ request: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil,
    onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.init(request, signals: signals, limiter: limiter, files: LinuxFileSystem(), onEvent: onEvent)
  }

  init(
    _ request: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil, files: any FileSystem,
    company: Company? = nil, onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.request = request
    self.signals = signals
    self.limiter = limiter
    self.files = files
    self.company = company
    self.onEvent = onEvent
  }

  /// Runs until the file is complete and verified. Throws what ended it, with the part and its manifest saved.
  package func run() throws(DownloadError) -> DownloadReport {
    let began = MonotonicClock.seconds()
    let request = fittingRequest
    let pool = TransferPool(job: request, signals: signals, limiter: limiter, lease: company?.lease)
    let pipeline = Pipeline(
      request: request, pool: pool, files: files, claim: company?.claim, onEvent: onEvent, sources: SourceList(request))
    var report = try pipeline.run()
    report.seconds = MonotonicClock.seconds() - began
    return report
  }
}

extension Download {
  /// The request, with no more connections than the process has descriptors for.
  private var fittingRequest: DownloadRequest {
    var fitting = request
    // What is announced is the digest of the whole file.
    if request.range != nil { fitting.checksServerDigest = false }
    guard !request.url.isFile else {
      // A disk gives nobody more for asking twice.
      fitting.connections = .fixed(1)
      return fitting
    }
    if request.target.sink != nil {
      fitting.connections = request.connections.atMost(request.connectionsInWindow)
      note(fitting.connections, of: request.connections, because: "--window")
    }
    // Of several downloads all are counted together.
    guard company == nil else { return fitting }
    let wanted = fitting.connections
    fitting.connections = DescriptorLimit.fitting(wanted, descriptorsEach: request.url.isFTP ? 2 : 1)
    note(fitting.connections, of: wanted, because: "the limit on open files (ulimit -n)")
    return fitting
  }

  private func note(_ fitting: ConnectionLimit, of wanted: ConnectionLimit, because cause: String) {
    guard case .fixed(let most) = fitting, case .fixed(let count) = wanted, most < count else { return }
    onEvent(.message("\(cause) leaves room for \(most) of \(count) connections"))
  }
}

/// The steps of a download, each handing its result to the next.
struct Pipeline {
  let request: DownloadRequest
  let pool: TransferPool
  let files: any FileSystem
  /// Nil where no other download could want its name.
  let claim: NameClaim?
  let onEvent: (DownloadEvent) -> Void
  let refuted = Refuted()
  let sources: SourceList

  /// A file of the final name that does not have the digests.
  final class Refuted {
    var status: FileStatus?
    var mismatch: (expected: Digest, got: Digest)?
    /// The part is of an address that is not asked any more; its length and digest say that it is this file's.
    var isPartOfOther = false
  }

  func run() throws(DownloadError) -> DownloadReport {
    if let sink = request.target.sink { return try send(to: sink) }
    guard !request.isDryRun else { return try rehearse() }
    let folder = try Folder.open(request.target.folder, in: files)
    do throws(DownloadError) {
      return try withAnySource { () throws(DownloadError) in try run(in: folder) }
    } catch {
      folder.removeIfUnused()
      if sources.areSeveral { onEvent(.sources(sources.reportOfFailure())) }
      throw error
    }
  }

  private func run(in folder: Folder) throws(DownloadError) -> DownloadReport {
    let name = likelyName
    if let report = try finishedBefore(folder, name) { return report }
    if let report = try provenComplete(folder, name) { return report }
    let earlier = try earlierPart(folder, name)
    if let earlier, earlier.isComplete, let report = try finishLocally(earlier, folder) { return report }
    let answer = try ask(
      earlier, isFree: earlier == nil && request.place == nil ? try folder.status(of: name) == nil : true)
    return try fetch(answer, folder, self.name(of: answer.resource), earlier: earlier)
  }

  var likelyName: String { request.likelyName }

  func name(of resource: Resource) -> String { request.name(of: resource) }

  /// `isFree`: no file has the name yet.
  private func ask(_ earlier: PartSession?, isFree: Bool) throws(DownloadError) -> Probe.Answer {
    do throws(DownloadError) {
      return try Probe(
        pool, source: sources.main.url, hasAlternative: sources.hasOthers(than: sources.main),
        gap: firstGap(of: earlier), mayGoAhead: isFree && willCount(earlier) && pool.connections != .fixed(1),
        mayGuess: earlier == nil && request.rateLimit == nil, onEvent: onEvent
      ).run().from(sources)
    } catch {
      throw earlier.map { error.naming(part: $0.manifestFile.resumable($0.part)) } ?? error
    }
  }

  /// Up to what is here already; open where nothing is.
  private func firstGap(of earlier: PartSession?) -> ByteRange {
    guard let earlier, let gap = earlier.missing.first else { return request.firstGap }
    return gap.end == earlier.manifest.length ? ByteRange(gap.start, unknownEnd) : gap
  }

  /// Whether the next bytes of an earlier part will be of use, if they are of its version. Without a validator, or at a
  /// new address, a sample of what is here is compared first.
  private func willCount(_ earlier: PartSession?) -> Bool {
    // Where the last bytes are is not known yet.
    if let range = request.range, range.beforeLength == nil { return false }
    guard let earlier, earlier.ledger.done > 0 else { return true }
    return !earlier.isComplete && !earlier.manifest.validator.isEmpty && !isNewAddress
  }

  private func fetch(
    _ answer: Probe.Answer, _ folder: Folder, _ name: String, earlier: PartSession?
  ) throws(DownloadError) -> DownloadReport {
    var answer = answer
    if let report = try existing(folder, name, answer.resource) {
      pool.stopAll()
      return report
    }
    try request.checkSize(of: answer.resource)
    let session: PartSession
    do throws(DownloadError) {
      session = try openPart(folder, name, &answer, earlier: earlier)
    } catch {
      // Another process may have finished this very file meanwhile.
      guard error.failure == .targetExists, let report = try existing(folder, name, answer.resource) else {
        throw error
      }
      pool.stopAll()
      return report
    }
    do throws(DownloadError) {
      return try FileFetch(
        request: request, pool: pool, session: session, folder: folder, sources: sources, onEvent: onEvent
      )
      .run(answer)
    } catch {
      throw leave(session, error)
    }
  }

  /// Saves what was fetched, and returns the error to end with.
  func leave(_ session: PartSession, _ error: DownloadError) -> DownloadError {
    pool.stopAll()
    // Of a complete file the last word was how far it was verified.
    if !session.isComplete { onEvent(.progress(session.progress)) }
    do throws(DownloadError) {
      let isKept = try Departure(pool: pool, session: session).save(after: error)
      guard isKept else { return error }
      if case .interrupted = error.failure { return error.interruption(canResume: session.manifest.length != nil) }
      return error.naming(part: session.manifestFile.resumable(session.part))
    } catch {
      // The first failure is the one to report; that the manifest could not be saved as well matters to the next run.
      onEvent(.warning("the manifest could not be saved: \(error.message)"))
    }
    return error
  }
}
