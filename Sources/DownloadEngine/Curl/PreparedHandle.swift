import DownloadCore

/// An easy handle whose options are set for one request. For another one that differs in nothing but its URL they need not
/// be set again: of a thousand files of a list, that is most of what asking for one takes.
final class PreparedHandle {
  private(set) var easy = EasyHandle()
  private let terms: Terms?

  /// What the options come from, but for the URL.
  private struct Terms: Hashable {
    let method: TransferRequest.Method
    let http: HTTPOptions
    let rateLimit: ByteCount?
    let connect: Double
    /// Logins are those of one server, of which libcurl keeps more than was set.
    let origin: RemoteURL.Origin?

    /// Nil where more than that counts.
    init?(_ request: TransferRequest, _ job: DownloadRequest) {
      let origin = request.url.origin
      guard request.isProbe, request.url.isWeb, request.range == nil, request.ifRange == nil, origin == job.url.origin
      else { return nil }
      method = request.method
      http = job.http
      rateLimit = job.rateLimit
      connect = job.timeouts.connect
      self.origin = job.http.credentials == nil && job.http.netrc == nil ? nil : origin
    }
  }

  /// Takes the first of those that are `spare` where that is of use, or a new one.
  static func handle(
    for request: TransferRequest, _ job: DownloadRequest, from spare: inout [PreparedHandle]
  ) -> PreparedHandle {
    let terms = Terms(request, job)
    guard let handle = spare.popLast(), terms != nil, handle.terms == terms else {
      return PreparedHandle(request, job, terms)
    }
    handle.easy.setURL(request.url)
    return handle
  }

  private init(_ request: TransferRequest, _ job: DownloadRequest, _ terms: Terms?) {
    self.terms = terms
    easy.prepare(request, job)
  }
}
