internal import DownloadCore
internal import DownloadEngine

/// Asks what stands behind the URLs that were typed with `--metalink`, before any file is fetched: how many files there
/// are must be known by then.
struct MetalinkExpansion {
  let arguments: Arguments
  let signals: SignalSource
  let limiter: RateLimiter?
  let style: ProgressStyle

  /// The jobs, with those of metalinks in the place of the metalinks'. What fails does so alone, in its place.
  func expanded(_ jobs: [QueuedDownload]) -> [QueuedDownload] {
    guard jobs.contains(where: \.mayBeMetalink) else { return jobs }
    let printer = ProgressPrinter(style, isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose)
    defer { printer.finish(limit: 300) }
    var all: [QueuedDownload] = []
    for job in jobs {
      guard job.mayBeMetalink, case .success(let request) = job.request else {
        all.append(job)
        continue
      }
      do throws(DownloadError) {
        all += try found(request) { printer.receive($0, of: nil) }
      } catch {
        all.append(QueuedDownload(path: job.path, url: request.url.redacted, request: .failure(error)))
        if case .interrupted = error.failure { return all }
      }
    }
    return all
  }

  private func found(
    _ request: DownloadRequest, _ onEvent: @escaping (DownloadEvent) -> Void
  ) throws(DownloadError) -> [QueuedDownload] {
    var job = request
    // In the fragment is a digest of what the URL names, with options one of the file.
    job.digests = try Number.digests(inFragmentOf: request.url)
    switch try MetalinkFetch(job, signals: signals, limiter: limiter, onEvent: onEvent).run() {
    case .metalink(let metalink):
      return try MetalinkSource(metalink, by: job).jobs(arguments)
    case .file(let description): return [try described(request, description)]
    }
  }

  /// The file that was typed, with what its server's headers tell of it.
  private func described(
    _ request: DownloadRequest, _ description: MetalinkFetch.Description
  ) throws(DownloadError) -> QueuedDownload {
    var request = request
    request.mirrors += description.mirrors
    let shown = request.url.redacted
    var file = description.entry ?? Metalink.File(name: request.url.redacted)
    if file.proof == nil, let announced = description.announced, request.checksServerDigest {
      file.digests.append(announced)
    }
    try request.demand(file, of: shown, isAuthenticated: description.isAuthenticated)
    var job = QueuedDownload(request: .success(request))
    job.notes = MetalinkSource.notes(file, request, [], in: shown)
    return job
  }
}

extension Arguments {
  /// Whether an operand is a metalink that is here: by its name, or because it was said that operands are metalinks.
  func isMetalinkFile(_ operand: String) -> Bool {
    guard usesMetalinks || TypedURL.isMetalinkName(operand) else { return false }
    return !operand.contains("://") && FileLook.kind(operand) == .file
  }
}
