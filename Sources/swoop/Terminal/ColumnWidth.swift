/// How many columns a terminal takes for a text: never more than is said here.
///
/// Terminals and the C library's wcwidth(3) disagree about new emoji and about sequences of them. So what is not known
/// to be narrow counts as wide, and what combines with the character before counts as if it stood alone: a line may end
/// early by that, but never wraps.
enum ColumnWidth {
  /// Of one code point: 1 or 2.
  static func of(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    // All before Hangul; Latin and Greek with accents; punctuation; the pieces that bars are made of.
    case ..<0x1100, 0x1E00...0x1FFF, 0x2010...0x2027, 0x2030...0x205E, 0x2580...0x259F: 1
    default: 2
    }
  }

  static func of(_ text: some StringProtocol) -> Int { text.unicodeScalars.reduce(0) { $0 + of($1) } }

  /// A name in exactly so many columns as they are counted here: cut at its end, or filled up with blanks. Where only
  /// ASCII may be used, `?` stands for all else.
  static func fit(_ name: String, to columns: Int, isUnicode: Bool) -> String {
    let text = isUnicode ? name : String(name.map { $0.isASCII ? $0 : "?" })
    guard of(text) > columns else { return text + String(repeating: " ", count: columns - of(text)) }
    let mark = isUnicode ? "…" : "~"
    var kept = ""
    var width = of(mark)
    for character in text {
      width += of(String(character))
      guard width <= columns else { break }
      kept.append(character)
    }
    let cut = columns > 0 ? kept + mark : ""
    return cut + String(repeating: " ", count: columns - of(cut))
  }
}
