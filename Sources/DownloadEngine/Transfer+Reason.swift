import DownloadCore

/// Why a transfer failed, in words.
extension Transfer {
  /// libcurl's own words about the failure, or those for its code.
  func reason(_ code: CurlCode) -> String {
    let said = handle.errorText
    let text = namingProxy(said.isEmpty ? code.text : said.asClause)
    // "failed to connect to HOST port N after 0 ms: Couldn't connect to server": the system knows better why.
    guard code.isConnectFailure, handle.systemError != 0, let words = text.firstRange(of: " after ") else {
      return Redactor.text(Sanitiser.line(text))
    }
    return Redactor.text(Sanitiser.line("\(text[..<words.lowerBound]): \(Errno(Int32(handle.systemError)).text)"))
  }

  /// A connection to another host or port than the URL's was to be one to a proxy: that is said.
  private func namingProxy(_ text: String) -> String {
    let lead = "failed to connect to "
    // FTP's data come from a port of their own.
    guard !request.url.isFTP else { return text }
    guard text.hasPrefix(lead), let end = text.firstRange(of: " after ")?.lowerBound else { return text }
    let peer = text[..<end].dropFirst(lead.count)
    let host = request.url.host.filter { $0 != "[" && $0 != "]" }
    guard !peer.equalsIgnoringCase("\(host) port \(request.url.port)") else { return text }
    return lead + "the proxy " + text.dropFirst(lead.count)
  }

  /// The status of a proxy's answer to CONNECT; 0 where there was none.
  var proxyStatus: Int { handle.proxyStatus }
  /// A handshake failed because the network cut it.
  var wasCutInHandshake: Bool { handle.wasCutInHandshake }
}

/// libcurl's side of it.
extension Transfer {
  func join(_ multi: borrowing MultiHandle) { multi.add(handle) }
  func leave(_ multi: borrowing MultiHandle) { multi.remove(handle) }
  func owns(_ easy: UnsafeMutableRawPointer) -> Bool { handle.raw == easy }
}

extension Transfer {
  /// What happened since the pool last looked.
  struct News {
    var isRequested = false
    var isHeard = false
    var isAnswered = false
    var received: Int64 = 0
    /// Bytes that are kept in memory, and count once they are written.
    var ahead: Int64 = 0
  }

  static func refusal(_ error: MalformedHead, _ url: RemoteURL) -> DownloadError {
    switch error {
    case .tooLarge: .headTooLarge(url)
    case .malformed(let what): .cannotUnderstand(url, what)
    }
  }
}
