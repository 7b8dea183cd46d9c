import Ccurl
import DownloadCore

extension EasyHandle {
  /// Sets everything that all requests have in common, and what this one asks for.
  ///
  /// Headers, cookies and credentials that the user gave go to the origin they were given for, and to no other.
  mutating func prepare(_ request: TransferRequest, _ job: DownloadRequest) {
    setURL(request.url)
    setScheme(request)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_NOSIGNAL, true)
    // A name that is still being resolved has a thread that nothing stops: it is left to its own end, not waited for.
    set(CURLOPT_QUICK_EXIT, true)
    set(CURLOPT_NOPROGRESS, true)
    set(CURLOPT_FOLLOWLOCATION, false)
    set(CURLOPT_TCP_KEEPALIVE, true)
    set(CURLOPT_BUFFERSIZE, bufferSize(request, job))
    if let size = TokenBucket.socketBuffer(at: job.rateLimit) { setSocketBuffer(size) }
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(job.timeouts.connect * 1000))
    set(CURLOPT_NOBODY, request.method == .head)
    set(CURLOPT_USERAGENT, job.http.userAgent ?? Self.defaultUserAgent)
    setConnection(job.http)
    setRoute(job.http)
    // Only such a body can end with its connection; watching costs every connection a look at all certificates.
    if request.url.isWeb, request.isProbe || request.range == nil { CloseNotify.listen(on: raw) }
    setHeaders(headerLines(request, job))
    guard request.url.origin == job.url.origin else { return }
    setCertificate(job.http)
    set(CURLOPT_REFERER, job.http.referer)
    set(CURLOPT_COOKIE, job.http.cookie)
    setLogin(job.http)
  }

  func setURL(_ url: RemoteURL) { set(CURLOPT_URL, url.absolute) }

  /// A login that was typed counts before that of a netrc file.
  private func setLogin(_ http: HTTPOptions) {
    set(CURLOPT_HTTPAUTH, Self.basic)
    if let credentials = http.credentials {
      set(CURLOPT_USERNAME, credentials.user)
      set(CURLOPT_PASSWORD, credentials.password ?? "")
    } else if let netrc = http.netrc {
      set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
      set(CURLOPT_NETRC_FILE, netrc)
    }
  }

  /// Bytes that are read from a socket at once. libcurl reads up to a hundred times before it lets go: of a probe all of
  /// that has to be kept in memory, and digests that follow the file are told of it only then.
  ///
  /// Of an FTP server's data it reads once before it lets go.
  private func bufferSize(_ request: TransferRequest, _ job: DownloadRequest) -> Int {
    guard !request.url.isFTP else { return TokenBucket.piece(at: job.rateLimit, most: 512 << 10) }
    return TokenBucket.piece(
      at: job.rateLimit, most: request.isProbe ? 32 << 10 : job.digests.isEmpty ? 128 << 10 : 48 << 10)
  }
  /// CURLAUTH_BASIC; the macro does not reach Swift.
  private static var basic: Int { 1 << 0 }
  static var defaultUserAgent: String { "swoop/\(Version.current)" }

  /// The user's own certificate.
  private func setCertificate(_ http: HTTPOptions) {
    set(CURLOPT_SSLCERT, http.certificate)
    set(CURLOPT_SSLKEY, http.key)
    // Nobody is asked for a passphrase: OpenSSL would do so on the terminal, deaf to every signal.
    if http.key != nil || http.certificate != nil { set(CURLOPT_KEYPASSWD, "") }
  }

  /// Which way the packets go.
  private mutating func setRoute(_ http: HTTPOptions) {
    set(CURLOPT_INTERFACE, http.interface)
    setResolutions(http.resolutions)
    switch http.addressFamily {
    case .ipv4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .ipv6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    case nil: break
    }
  }

  private func setConnection(_ http: HTTPOptions) {
    set(CURLOPT_PROXY, http.proxy)
    set(CURLOPT_NOPROXY, http.noProxy)
    set(CURLOPT_CAINFO, http.authorities)
    if http.isInsecure {
      set(CURLOPT_SSL_VERIFYPEER, false)
      set(CURLOPT_SSL_VERIFYHOST, false)
    }
  }

  /// `Name;` is libcurl's way to send a header without a value, `Name:` that to send none (CURLOPT_HTTPHEADER(3)).
  private func headerLines(_ request: TransferRequest, _ job: DownloadRequest) -> [String] {
    var lines = ["Accept-Encoding: identity"]
    if let ifRange = request.ifRange { lines.append("If-Range: \(ifRange)") }
    guard request.url.origin == job.url.origin else { return lines }
    lines += job.http.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    return lines + job.http.suppressedHeaders.map { "\($0):" }
  }
}
