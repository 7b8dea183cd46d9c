/// Keeps secrets out of what is shown.
package enum Redactor {
  /// Pieces of names under which secrets travel: Authorization, Cookie, X-Api-Key, X-Amz-Security-Token and so on.
  private static let pieces = [
    "auth", "cookie", "token", "secret", "key", "session", "password", "passwd", "credential", "signature", "jwt",
  ]
  /// Fields whose values are addresses, which may be signed.
  private static let addresses = ["location", "content-location", "referer", "link", "refresh"]

  /// Whether the value of a field of this name is nobody's business.
  package static func isSecretHeader(_ name: String) -> Bool {
    let folded = name.lowercased()
    return pieces.contains { folded.contains($0) }
  }

  /// `Name: value` as shown: sanitised, a secret value blanked, and of an address neither user info nor query
  /// nor fragment.
  package static func header(_ field: HeaderField) -> String {
    let name = Sanitiser.line(field.name, limit: 80)
    guard !isSecretHeader(field.name) else { return "\(name): ***" }
    let isAddress = addresses.contains { $0.equalsIgnoringCase(field.name) }
    return "\(name): \(Sanitiser.line(isAddress ? address(field.value) : field.value))"
  }

  /// An address, perhaps a malformed one, with neither user info nor query nor fragment. Not sanitised.
  package static func address(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.endIndex
    let rest = end < bytes.endIndex ? String(latin1: [bytes[end]]) + "***" : ""
    var shown = bytes[..<end]
    if let sign = shown.lastIndex(of: UInt8(ascii: "@")) {
      shown.replaceSubrange(authorityStart(shown[..<sign])..<sign, with: "***".utf8)
    }
    return String(decoding: shown, as: UTF8.self) + rest
  }

  /// Behind the `//` that a scheme, or nothing, comes before; where there is none, everything may be user info.
  private static func authorityStart(_ bytes: ArraySlice<UInt8>) -> Int {
    let scheme = bytes.prefix { $0.isTokenByte }
    let colon = bytes[scheme.endIndex...].first == UInt8(ascii: ":") ? 1 : 0
    guard scheme.isEmpty == (colon == 0) else { return bytes.startIndex }
    let rest = bytes[(scheme.endIndex + colon)...]
    return rest.starts(with: "//".utf8) ? rest.startIndex + 2 : bytes.startIndex
  }

  /// A text of a library's, or of a file that anybody can write, without the user info of the URLs in it. Blanks and
  /// quotes do not end an authority: a password may hold them. Code points count, not characters: a `@` with an accent
  /// is one for libcurl.
  package static func text(_ text: String) -> String {
    var rest = text.unicodeScalars[...]
    var clean = String.UnicodeScalarView()
    while let scheme = rest.firstRange(of: "://".unicodeScalars) {
      clean += rest[..<scheme.upperBound]
      rest = rest[scheme.upperBound...]
      let authority = rest.prefix { !"/?#".unicodeScalars.contains($0) }
      guard let at = authority.lastIndex(of: "@") else { continue }
      clean += "***".unicodeScalars
      rest = rest[at...]
    }
    return String(clean + rest)
  }
}
