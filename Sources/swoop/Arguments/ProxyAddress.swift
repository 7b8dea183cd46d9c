internal import DownloadCore

/// Checks the address of a proxy, so that a wrong one is found before anything runs.
enum ProxyAddress {
  private static let schemes: Set = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// The address as typed; an empty one means no proxy at all, as in curl.
  static func checked(_ text: String) throws(DownloadError) -> String {
    guard !text.isEmpty else { return text }
    guard !text.allSatisfy(\.isNumber) else {
      throw .usage("--proxy needs an address, not a number; did you mean -n?")
    }
    var rest = text[...]
    if let mark = text.firstRange(of: "://") {
      let scheme = text[..<mark.lowerBound].lowercased()
      // With one of these before it, the mark is part of a password.
      guard !scheme.contains(where: { ":@".contains($0) }) else { throw malformed }
      guard schemes.contains(scheme) else { throw .usage("--proxy cannot be of the kind '\(scheme)'") }
      rest = text[mark.upperBound...]
    }
    guard isAuthority(rest) else { throw malformed }
    return text
  }

  private static var malformed: DownloadError { .usage("--proxy needs [SCHEME://][USER:PASSWORD@]HOST[:PORT]") }

  private static func isAuthority(_ text: Substring) -> Bool {
    let bare = text.hasSuffix("/") ? text.dropLast() : text
    let address = bare.lastIndex(of: "@").map { bare[bare.index(after: $0)...] } ?? bare
    guard bare.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
    let (host, port) = split(address)
    guard !host.isEmpty, !host.contains(where: { "/?#@".contains($0) }) else { return false }
    guard let port else { return true }
    return port.plainDecimal.map { 1...65535 ~= $0 } ?? false
  }

  /// Host and port; the colons of an IPv6 address stand in brackets.
  private static func split(_ address: Substring) -> (host: Substring, port: Substring?) {
    if address.hasPrefix("["), let end = address.firstIndex(of: "]") {
      let rest = address[address.index(after: end)...]
      return (address[...end], rest.isEmpty ? nil : rest.hasPrefix(":") ? rest.dropFirst() : "?")
    }
    guard let colon = address.firstIndex(of: ":") else { return (address, nil) }
    return (address[..<colon], address[address.index(after: colon)...])
  }
}
