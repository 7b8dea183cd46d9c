/// The inside of bash's `$'...'` (bash(1), QUOTING), which browsers use for what is no plain text.
enum ANSIQuotedText {
  /// Takes the text up to the closing quote, and the quote; nil where there is none.
  static func read(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "'") { return bytes }
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let letter = rest.popFirst() else { return nil }
      bytes += escaped(letter, &rest)
    }
    return nil
  }

  private static func escaped(_ letter: UInt8, _ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    if let byte = single[letter] { return [byte] }
    switch letter {
    case UInt8(ascii: "x"):
      return number(&rest, digits: 2, base: 16).map { [UInt8(truncatingIfNeeded: $0)] } ?? [UInt8(ascii: "\\"), letter]
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let digits = letter == UInt8(ascii: "u") ? 4 : 8
      return number(&rest, digits: digits, base: 16).map { scalar($0, &rest) } ?? [UInt8(ascii: "\\"), letter]
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      let more = number(&rest, digits: 2, base: 8, from: UInt32(letter - UInt8(ascii: "0")))
      return [UInt8(truncatingIfNeeded: more ?? UInt32(letter - UInt8(ascii: "0")))]
    case UInt8(ascii: "c"): return rest.popFirst().map { [$0 & 0x1F] } ?? []
    default: return [UInt8(ascii: "\\"), letter]
    }
  }

  private static let single: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 0x07, UInt8(ascii: "b"): 0x08, UInt8(ascii: "e"): 0x1B, UInt8(ascii: "E"): 0x1B,
    UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    UInt8(ascii: "v"): 0x0B, UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "'"): UInt8(ascii: "'"),
    UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "?"): UInt8(ascii: "?"),
  ]

  /// Takes up to `digits` digits; nil where there is none.
  private static func number(
    _ rest: inout ArraySlice<UInt8>, digits: Int, base: UInt32, from start: UInt32 = 0
  ) -> UInt32? {
    let taken = rest.prefix(digits).prefix { $0.hexValue.map { $0 < base } ?? false }
    rest = rest[taken.endIndex...]
    guard !taken.isEmpty else { return nil }
    return taken.reduce(start) { $0 &* base &+ UInt32($1.hexValue ?? 0) }
  }

  /// A code point in UTF-8. Browsers write one beyond U+FFFF as its two halves in UTF-16.
  private static func scalar(_ value: UInt32, _ rest: inout ArraySlice<UInt8>) -> [UInt8] {
    if let scalar = Unicode.Scalar(value) { return Array(String(scalar).utf8) }
    var after = rest
    guard (0xD800...0xDBFF).contains(value), after.starts(with: "\\u".utf8) else { return notText }
    after = after.dropFirst(2)
    guard let low = number(&after, digits: 4, base: 16), (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (value - 0xD800) << 10 + (low - 0xDC00))
    else { return notText }
    rest = after
    return Array(String(scalar).utf8)
  }

  /// A byte that no UTF-8 has.
  private static let notText: [UInt8] = [0xFF]
}
