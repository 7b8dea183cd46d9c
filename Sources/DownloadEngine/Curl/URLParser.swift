import Ccurl
package import DownloadCore

/// libcurl's URL parser (libcurl-url(3)), the only one there is here.
package enum URLParser {
  /// Which schemes a URL may have.
  package enum Schemes: Sendable {
    /// http and https: for whatever a file, a server or a web page names.
    case web
    /// ftp, ftps and file, too: for what users have typed themselves.
    case all

    fileprivate var names: [String] { self == .web ? ["http", "https"] : ["http", "https", "ftp", "ftps", "file"] }
    fileprivate var text: String { names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")" }
  }

  /// Reads a URL as typed: a missing scheme is http, bytes that need it are escaped, escaped ones are left alone.
  /// Throws `usage` where it is none, or not of the schemes that are `allowed`.
  package static func parse(typed text: String, allowing allowed: Schemes = .web) throws(DownloadError) -> RemoteURL {
    try CurlLibrary.check()
    guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw .notAURL(text)
    }
    let scheme = scheme(of: text)
    // No host is meant, whatever it would be without its colon.
    guard scheme != nil || !text.lowercased().hasPrefix("file:/") else { throw .notAURL(text, threeSlashes) }
    if let scheme {
      guard allowed.names.contains(scheme) else { throw .scheme(scheme, allowed: allowed.text) }
    }
    guard scheme != "file" else { return try file(text) }
    // libcurl would take what follows more slashes for the host, and what is before an `@` there for a login.
    guard text.utf8.dropFirst(scheme.map { $0.utf8.count + 3 } ?? 0).first != UInt8(ascii: "/") else {
      throw .notAURL(text, "no host")
    }
    let url = try read(scheme == nil ? "http://" + text : text, relativeTo: nil)
    guard allowed.names.contains(url.scheme) else { throw .scheme(url.scheme, allowed: allowed.text) }
    return url.isFTP ? try ftp(url, text) : url
  }

  /// What libcurl would leave out of the path, or do otherwise than ask for the file's bytes, is refused (RFC 1738,
  /// section 3.2.2): `;type=`, and a `?`, which begins no query there.
  private static func ftp(_ url: RemoteURL, _ text: String) throws(DownloadError) -> RemoteURL {
    var url = url
    let binary = ";type=i"
    if url.path.lowercased().hasSuffix(binary) { url.path.removeLast(binary.count) }
    guard !url.path.lowercased().contains(";type=") else {
      throw .notAURL(text, "only ;type=i can be fetched; write a ';' that belongs to a name as %3B")
    }
    return try checkPath(of: url, text)
  }

  /// A path that is not absolute has no `/` where a host would end (RFC 8089).
  private static func file(_ text: String) throws(DownloadError) -> RemoteURL {
    // Code points, as above.
    var path = text.unicodeScalars.dropFirst("file://".count)
    let host = "localhost"
    if String(path.prefix(host.count)).lowercased() == host { path = path.dropFirst(host.count) }
    guard path.first == "/", path.dropFirst().first != "/" else { throw .notAURL(text, threeSlashes) }
    return try checkPath(of: read("file://" + String(path), relativeTo: nil), text)
  }

  private static var threeSlashes: String { "a file is file:///PATH, with three slashes" }

  private static func checkPath(of url: RemoteURL, _ text: String) throws(DownloadError) -> RemoteURL {
    guard url.query == nil else { throw .notAURL(text, "write a '?' that belongs to the name as %3F") }
    guard !PercentCoding.decodedBytes(url.path).contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw .notAURL(text, "a control character in the path")
    }
    guard !url.lastPathPart.isEmpty else { throw .folder(url) }
    return url
  }

  /// What stands before `://`, in lower case, if it can be a scheme (RFC 3986, 3.1): a URL without one may well hold
  /// another URL in its query. Code points count, as for libcurl: an accent makes a slash no other character.
  private static func scheme(of text: String) -> String? {
    guard let end = colon(in: text) else { return nil }
    let scheme = text[..<end].lowercased()
    let isScheme =
      !scheme.isEmpty
      && scheme.utf8.allSatisfy {
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e].contains($0)
      }
    return isScheme ? scheme : nil
  }

  /// The first one with two slashes behind it.
  private static func colon(in text: String) -> String.Index? {
    var rest = text.utf8[...]
    while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
      rest = rest[rest.index(after: colon)...]
      if rest.starts(with: "//".utf8) { return colon }
    }
    return nil
  }

  /// Follows a Location (RFC 9110, 10.2.2), which may be relative. Nil where it leads nowhere that may be asked: not
  /// http or https, from https to http, with user info, or no URL at all.
  package static func follow(_ location: String, from base: RemoteURL) -> RemoteURL? {
    guard !location.isEmpty, location.utf8.count <= 1 << 14,
      !location.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }),
      let url = try? read(location, relativeTo: base.absolute)
    else { return nil }
    guard url.scheme == "https" || (url.scheme == "http" && base.scheme == "http"), url.userInfo == nil else {
      return nil
    }
    return url
  }

  /// Resolves an address that a metalink or a Link field gives; a relative one needs a base. Nil where it is none that may
  /// be asked: not http or https, or with user info. Its fragment means nothing.
  package static func linked(_ address: String, from base: RemoteURL?) -> RemoteURL? {
    guard !address.isEmpty, address.utf8.count <= 1 << 14,
      !address.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }),
      var url = try? read(address, relativeTo: base?.absolute)
    else { return nil }
    guard ["http", "https"].contains(url.scheme), url.userInfo == nil else { return nil }
    url.fragment = nil
    return url
  }

  private static func read(_ text: String, relativeTo base: String?) throws(DownloadError) -> RemoteURL {
    CurlLibrary.prepare()
    let handle = curl_url()
    defer { curl_url_cleanup(handle) }
    let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
    if let base { _ = curl_url_set(handle, CURLUPART_URL, base, 0) }
    let code = curl_url_set(handle, CURLUPART_URL, text, flags)
    guard code == CURLUE_OK, let scheme = part(handle, CURLUPART_SCHEME)?.lowercased(),
      let host = part(handle, CURLUPART_HOST) ?? (scheme == "file" ? "" : nil)
    else {
      throw .notAURL(text, reason(code))
    }
    let hasHost = ["http", "https", "ftp", "ftps"].contains(scheme)
    let port = part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT)).flatMap { Int($0) }
    // libcurl has decoded what could be, and with it what must not be shown; an address in brackets may name an
    // interface behind a `%`.
    let isHost =
      !host.isEmpty && (host.hasPrefix("[") || !host.contains("%")) && !host.unicodeScalars.contains(where: \.isHidden)
    guard !hasHost || (port != nil && port != 0 && isHost) else {
      throw .notAURL(text, "bad host or port")
    }
    // The interface of a link-local address (RFC 6874) is a part of its own.
    let zoned =
      part(handle, CURLUPART_ZONEID).map { host.dropLast() + "%25\($0)]" }
      ?? (text.utf8.contains(UInt8(ascii: "%")) ? address(host) : host)
    return RemoteURL(
      scheme: scheme, host: zoned, port: port ?? 0, path: part(handle, CURLUPART_PATH) ?? "/",
      query: part(handle, CURLUPART_QUERY), userInfo: userInfo(handle), fragment: part(handle, CURLUPART_FRAGMENT))
  }

  /// libcurl brings an IPv4 address into its usual form before it decodes escapes: one that was escaped is not in it yet.
  private static func address(_ host: String) -> String {
    let handle = curl_url()
    defer { curl_url_cleanup(handle) }
    guard curl_url_set(handle, CURLUPART_URL, "http://\(host)/", 0) == CURLUE_OK else { return host }
    return part(handle, CURLUPART_HOST) ?? host
  }

  private static func userInfo(_ handle: OpaquePointer?) -> RemoteURL.UserInfo? {
    let decode = UInt32(CURLU_URLDECODE)
    let user = part(handle, CURLUPART_USER, decode)
    let password = part(handle, CURLUPART_PASSWORD, decode)
    guard user != nil || password != nil else { return nil }
    return RemoteURL.UserInfo(user: user ?? "", password: password)
  }

  private static func part(_ handle: OpaquePointer?, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(validatingCString: text)
  }

  private static func reason(_ code: CURLUcode) -> String {
    code == CURLUE_OK ? "no host" : String(cString: curl_url_strerror(code)).lowercased()
  }
}
