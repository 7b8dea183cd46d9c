import DownloadCore

/// Redirects are followed by us: libcurl would carry a user's own headers to another origin.
enum RedirectRule {
  /// In a row.
  static let most = 10

  /// Where a redirect leads. Throws `refused` where that is nowhere that may be asked.
  static func next(_ head: ResponseHead, from url: RemoteURL) throws(DownloadError) -> RemoteURL {
    guard url.isWeb, let location = head.location, let next = URLParser.follow(location, from: url) else {
      let target = head.location.flatMap { $0.isEmpty ? nil : Sanitiser.line(Redactor.address($0)) } ?? "nowhere"
      throw .badRedirect(url, to: target)
    }
    return next
  }

  static func tooMany(_ url: RemoteURL) -> DownloadError {
    .tooManyRedirects(url, most: most)
  }
}
