package import DownloadCore

/// libcurl's URL parser, the only one there is here.
package enum URLParser {
  /// Reads a URL as typed: a missing scheme is http, bytes that need it are escaped, escaped ones are left alone.
  package static func parse(typed text: String) throws(DownloadError) -> RemoteURL {
    throw DownloadError(.unforeseen, "not built")
  }
}
