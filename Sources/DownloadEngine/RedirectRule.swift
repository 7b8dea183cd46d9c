import DownloadCore

/// Redirects are followed by us: libcurl would carry a user's own headers to another origin.
enum RedirectRule {
  /// In a row.
  static let most = 10

  /// Where a redirect leads. Throws `refused` where that is nowhere that may be asked.
  static func next(_ head: ResponseHead, from url: RemoteURL) throws(DownloadError) -> RemoteURL {
    guard let location = head.location, let next = URLParser.follow(location, from: url) else {
      let target = head.location.flatMap { $0.isEmpty ? nil : shown($0) } ?? "nowhere"
      throw .badRedirect(url, to: target)
    }
    return next
  }

  /// A refused target without what might be secret in it.
  private static func shown(_ location: String) -> String {
    let bare = location.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
    guard let at = bare.lastIndex(of: "@") else { return Sanitiser.line(String(bare)) }
    return "***" + Sanitiser.line(String(bare[at...]))
  }

  static func tooMany(_ url: RemoteURL) -> DownloadError {
    .tooManyRedirects(url, most: most)
  }
}
