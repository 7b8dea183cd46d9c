/// The name of a version of a file (RFC 9110, section 8.8.3).
package struct EntityTag: Hashable, Sendable {
  /// Whether equal tags promise less than equal bytes; also true of a tag that breaks the grammar.
  package var isWeak: Bool
  /// The tag with its quotes and without `W/`.
  package var opaque: String
  /// As received, without the blanks around it.
  package var raw: String

  /// The most bytes that a tag may have.
  package static let longest = 1024

  /// Reads `"x"` and `W/"x"`. A value without quotes, or with a quote inside, is kept as text and is weak, so that it
  /// is never sent. Nil for control bytes, more than 1024 bytes, and the empty tag, which names nothing.
  package init?(_ text: String) {
    let raw = String(text.withoutBlanks)
    guard raw.utf8.count <= Self.longest, !raw.unicodeScalars.contains(where: \.isHidden) else { return nil }
    let hasMark = raw.beginsIgnoringCase("W/")
    let opaque = hasMark ? String(raw.dropFirst(2)) : raw
    guard !opaque.isEmpty, opaque != "\"\"" else { return nil }
    self.raw = raw
    self.opaque = opaque
    isWeak = hasMark || !Self.isQuoted(opaque)
  }

  private static func isQuoted(_ text: String) -> Bool {
    let bytes = text.utf8
    let quote = UInt8(ascii: "\"")
    guard bytes.count > 2, bytes.first == quote, bytes.last == quote else { return false }
    return !bytes.dropFirst().dropLast().contains(quote)
  }
}
