/// Small files, of which a list may have many: one request each, and no plan. What is not as simple as that is handed to
/// the full pipeline, which knows what to do about it.
package enum SmallFileRule {
  /// The longest file that is kept in memory until it is written, in bytes.
  package static let mostBytes: Int64 = 1 << 20

  /// What to do with the answer, by its head alone.
  package enum Step: Hashable, Sendable {
    /// The body is the file; its length where the head tells it.
    case take(length: Int64?)
    /// It lies elsewhere.
    case follow
    /// There is no such file, or not for us: another request would be answered the same.
    case refuse(HTTPStatus)
    /// More than one request is wanted, or more patience.
    case handOver
  }

  /// Whether one request may be all that a job takes.
  package static func mayTry(_ request: DownloadRequest) -> Bool {
    guard !request.isDryRun, !request.restarts, !request.acceptsNewURL, !request.staysWithVersion,
      !request.keepsManifest
    else { return false }
    guard request.mirrors.isEmpty, request.pieces == nil, request.range == nil, request.outputOffset == nil else {
      return false
    }
    guard request.target.sink == nil, ["http", "https"].contains(request.url.scheme) else { return false }
    return request.knownLength ?? 0 <= mostBytes
  }

  /// What follows from the head of an answer to a plain GET.
  package static func step(_ head: ResponseHead, for request: DownloadRequest) -> Step {
    switch ResponseCheck.judge(head, ResponseCheck.Expectation(length: request.knownLength)) {
    case .whole(let length):
      // Where nothing but the connection's end tells the file's end, and of what is coded, more is to be looked at.
      let endsItself = length != nil || head.transferCoding == .chunked
      guard endsItself, !head.isContentEncoded, length ?? 0 <= mostBytes else { return .handOver }
      return .take(length: length)
    case .redirect: return .follow
    case .refused(let status): return .refuse(status)
    default: return .handOver
    }
  }

  /// What an answer to HEAD tells of a file that may be here already; nil: not enough.
  package static func resource(ofHEAD head: ResponseHead, _ url: RemoteURL) -> Resource? {
    guard head.status == .ok, !head.isContentEncoded, head.transferCoding == .none,
      let length = head.contentLength.count, length > 0
    else { return nil }
    return Resource(url: url, head: head, length: length)
  }

  /// The digests to compare a file with: those demanded, and what the server announces where that is stronger. Nil where
  /// it contradicts itself. `linked`: what the redirects on the way announced; `offered`: what can be computed here.
  package static func digests(
    _ request: DownloadRequest, _ head: ResponseHead, linked: AnnouncedDigests, offered: (DigestAlgorithm) -> Bool
  ) -> [Digest]? {
    guard request.checksServerDigest else { return request.digests }
    let answered = AnnouncedDigests(head: head, isWhole: true)
    let all = [linked, answered].map { $0.stronger(than: request.digests, offered: offered) }
    guard all.allSatisfy({ $0.contradiction == nil }) else { return nil }
    let announced = all.compactMap(\.strongest).first.map { [$0.digest] } ?? []
    return AnnouncedDigests.toCompare(demanded: request.digests, announced: announced)
  }
}
