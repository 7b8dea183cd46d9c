package import DownloadCore

/// Finds out what stands behind a URL that was typed with `--metalink`: a metalink, or a file of which its server's
/// headers tell more (RFC 6249).
package struct MetalinkFetch {
  /// What was found.
  package enum Found: Sendable {
    case metalink(Metalink)
    case file(Description)
  }

  /// What the headers tell of a file, and the metalink that they name.
  package struct Description: Sendable {
    /// Other places of it, the best first.
    package var mirrors: [Mirror] = []
    /// What the metalink tells; nil where there is none that can be used.
    package var entry: Metalink.File?
    /// The digest that the server itself announces.
    package var announced: Digest?
    /// All came over https.
    package var isAuthenticated: Bool
  }

  private let job: DownloadRequest
  private let signals: SignalSource
  private let limiter: RateLimiter?
  private let onEvent: (DownloadEvent) -> Void

  /// For so long a metalink that a header names is asked for, in seconds: the file can be fetched without it.
  private static let patience = 15.0

  /// `job` names the URL, and what goes along to its origin. Its digests are those of a metalink there.
  package init(
    _ job: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil,
    onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.job = job
    self.signals = signals
    self.limiter = limiter
    self.onEvent = onEvent
  }

  /// Throws what ended it, and `refused` for a metalink that cannot be used.
  package func run() throws(DownloadError) -> Found {
    if job.url.path.endsIgnoringCase(Metalink.ending) { return .metalink(try fetch(job)) }
    let pool = TransferPool(job: job, signals: signals, limiter: limiter)
    let answer = try Probe(pool, mayGoAhead: false, onEvent: onEvent).run()
    pool.stopAll()
    if let type = answer.heads.last?.head.first("Content-Type"), Self.isMetalink(type) {
      return .metalink(try fetch(job))
    }
    return .file(try describe(answer))
  }

  /// Version 3 has a type of its own: it is read as far as it takes to say so.
  private static func isMetalink(_ type: String) -> Bool {
    let name = type.prefix { $0 != ";" }.withoutBlanks
    return name.equalsIgnoringCase(Metalink.mediaType) || name.equalsIgnoringCase("application/metalink+xml")
  }

  private func fetch(_ job: DownloadRequest) throws(DownloadError) -> Metalink {
    let bytes = try DocumentFetch(.metalink, job, signals: signals, limiter: limiter, onEvent: onEvent).run()
    do throws(MetalinkProblem) {
      return try MetalinkParser.parse(bytes)
    } catch {
      throw .metalink(job.url.redacted, error, isRemote: true)
    }
  }
}

/// What the headers tell.
extension MetalinkFetch {
  private func describe(_ answer: Probe.Answer) throws(DownloadError) -> Description {
    var description = Description(isAuthenticated: job.url.scheme == "https")
    var (duplicates, metalinks): ([LinkField], [LinkField]) = ([], [])
    var bases: [String: RemoteURL] = [:]
    for (url, head) in answer.heads where head.status.isRedirect || head.status.isSuccess {
      let links = LinkField.all(in: head)
      for link in links where bases[link.target] == nil { bases[link.target] = url }
      duplicates += links.filter { !duplicates.contains($0) }
      metalinks += links.filter { !metalinks.contains($0) }
    }
    let addresses = { (links: [LinkField]) in
      links.compactMap { link in
        URLParser.linked(link.target, from: bases[link.target])
          .map { Mirror(url: $0, priority: link.priority, isTyped: false) }
      }
    }
    description.mirrors = addresses(LinkField.duplicates(among: duplicates))
    for metalink in addresses(LinkField.metalinks(among: metalinks)) where description.entry == nil {
      description.entry = try entry(of: metalink.url, length: answer.resource.length)
      if description.entry != nil, metalink.url.scheme != "https" { description.isAuthenticated = false }
    }
    if !description.mirrors.isEmpty { description.announced = answer.resource.announced.strongest?.digest }
    return try complete(description)
  }

  /// Adds the metalink's addresses, each once, and without the one that was typed.
  private func complete(_ found: Description) throws(DownloadError) -> Description {
    var description = found
    for mirror in found.entry?.mirrors(from: nil).usable ?? [] { description.mirrors.append(mirror) }
    var seen: Set<String> = [job.url.absolute]
    description.mirrors.removeAll { !seen.insert($0.url.absolute).inserted }
    // What is preferred and what is nearer is in their order, not in their priorities alone.
    for index in description.mirrors.indices { description.mirrors[index].priority = index + 1 }
    return description
  }

  /// The file in a metalink that a header names. Nil, and said, where that cannot be had or is of another file: what it
  /// would have told is of help, and no more.
  private func entry(of url: RemoteURL, length: Int64?) throws(DownloadError) -> Metalink.File? {
    let metalink: Metalink
    do throws(DownloadError) {
      metalink = try fetch(jobElsewhere(url))
    } catch {
      if case .interrupted = error.failure { throw error }
      onEvent(.warning("\(error.message); going on without it"))
      return nil
    }
    let name = FileName.fromURLPath(job.url.lastPathPart)
    let named = metalink.files.first { $0.name == name } ?? (metalink.files.count == 1 ? metalink.files[0] : nil)
    guard let file = named, length == nil || file.size == nil || file.size == length else {
      onEvent(.warning("the metalink \(url.redacted) is of another file than \(job.url.redacted): not used"))
      return nil
    }
    return file
  }

  /// What the user gave for one origin stays there.
  private func jobElsewhere(_ url: RemoteURL) -> DownloadRequest {
    var request = DownloadRequest(url: url)
    request.http = url.origin == job.url.origin ? job.http : job.http.forAnyOrigin
    request.timeouts = job.timeouts
    request.timeouts.giveUp = min(job.timeouts.giveUp, Self.patience)
    request.rateLimit = job.rateLimit
    return request
  }
}
