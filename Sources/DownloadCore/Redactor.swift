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

  /// `Name: value` as shown: sanitised, a secret value blanked, and of an address neither user info nor query.
  package static func header(_ field: HeaderField) -> String {
    let name = Sanitiser.line(field.name, limit: 80)
    guard !isSecretHeader(field.name) else { return "\(name): ***" }
    let isAddress = addresses.contains { $0.equalsIgnoringCase(field.name) }
    return "\(name): \(Sanitiser.line(isAddress ? address(field.value) : field.value))"
  }

  private static func address(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
    var shown = bytes[..<end]
    let authority = shown.prefix { $0 != UInt8(ascii: "#") }
    if let sign = authority.lastIndex(of: UInt8(ascii: "@")) {
      let start = authority[..<sign].firstIndex(of: UInt8(ascii: "/")).map { $0 + 2 } ?? 0
      if start <= sign { shown.replaceSubrange(start..<sign, with: "***".utf8) }
    }
    return String(decoding: shown, as: UTF8.self) + (end < bytes.endIndex ? "?***" : "")
  }
}
