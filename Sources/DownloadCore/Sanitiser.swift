extension Unicode.Scalar {
  /// Whether it moves a cursor, turns the direction of text, ends a line or cannot be seen: the controls C0, DEL and
  /// C1, the bidirectional controls (UAX 9), line and paragraph separators, what has no width, annotations and tags.
  package var isHidden: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    case 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
  }
}

/// Makes a server's text fit for a terminal or a log.
package enum Sanitiser {
  /// One line of at most `limit` code points: what is hidden is shown as `\u{1B}`, and what was cut off as `…`.
  package static func line(_ text: String, limit: Int = 200) -> String {
    // Most of what is shown; there may be ten thousand lines of it a second.
    if text.utf8.count <= limit, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return text }
    var shown = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      let piece = scalar.isHidden ? escaped(scalar) : String(scalar)
      shown.append(contentsOf: piece.unicodeScalars)
      count += piece.unicodeScalars.count
      if count > limit { return String(shown.prefix(max(0, limit - 1))) + "…" }
    }
    return String(shown)
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
  }
}
