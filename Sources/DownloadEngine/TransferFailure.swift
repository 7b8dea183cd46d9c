import DownloadCore

/// What libcurl's failures mean.
enum TransferFailure {
  /// The kind of a failure that is worth another try, if nothing helps: an answer that cannot be understood is the
  /// server's doing, on whichever connection it came.
  static func kind(_ transfer: Transfer, _ code: CurlCode) -> Failure {
    switch code.meaning {
    case .protocolError: .refused
    case .local where transfer.wasRequested: .refused
    default: .network
    }
  }

  /// The error, where another try would not help; nil for what may pass.
  static func fatal(_ transfer: Transfer, _ code: CurlCode) -> DownloadError? {
    let url = transfer.request.url
    let reason = transfer.reason(code)
    if transfer.proxyStatus >= 400, code.meaning == .transient {
      return .refused(url, "the proxy answered \(transfer.proxyStatus)")
    }
    if reason.contains("proxy syntax") || reason.contains("unsupported proxy") { return .badProxy(reason) }
    // There is no code of its own for a netrc file that cannot be parsed.
    if reason.contains("netrc") { return .badNetrc(reason) }
    switch code.meaning {
    case .tls:
      // A handshake that the network cut is no verdict on the certificate.
      guard !code.isHandshakeFailure || !transfer.wasCutInHandshake else { return nil }
      return .noSecureConnection(url, reason, isUntrusted: code.isUntrusted)
    // A kept connection may still hold what a server sent too much of the answer before.
    case .protocolError where !transfer.isOnNewConnection: return nil
    case .protocolError: return .cannotUnderstand(url, reason)
    case .memory where transfer.head == nil && transfer.wasRequested: return .headTooLarge(url)
    // Once the request is out, it is what libcurl says to a header line that it cannot read.
    case .local where transfer.wasRequested:
      return transfer.isOnNewConnection ? .cannotUnderstand(url, "a malformed header line") : nil
    case .interface: return .noSuchInterface(reason)
    case .memory, .local: return .unforeseen(url, reason)
    case .proxy: return .refused(url, reason)
    case .transient, .unreachable: return nil
    }
  }
}
