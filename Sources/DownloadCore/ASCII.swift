/// Classes of bytes in HTTP's grammar (RFC 9110, section 5.6).
extension UInt8 {
  /// 0 to 9.
  package var isDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }

  /// A space or a tab: optional whitespace.
  package var isBlank: Bool { self == 0x20 || self == 0x09 }

  /// C0 or DEL.
  package var isControl: Bool { self < 0x20 || self == 0x7F }

  /// A to Z and a to z.
  package var isLetter: Bool { UInt8(ascii: "a") <= self | 0x20 && self | 0x20 <= UInt8(ascii: "z") }

  /// May stand in a token, such as a field's name.
  package var isTokenByte: Bool {
    if isDigit || isLetter { return true }
    return switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// `A` to `Z` as `a` to `z`; every other byte as it is.
  package var asciiLowercased: UInt8 {
    UInt8(ascii: "A") <= self && self <= UInt8(ascii: "Z") ? self | 0x20 : self
  }

  /// The value of a hexadecimal digit.
  package var hexValue: UInt8? {
    switch asciiLowercased {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): asciiLowercased - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension StringProtocol {
  /// Compares as HTTP compares names: bytes, but for the case of A to Z.
  package func equalsIgnoringCase(_ other: some StringProtocol) -> Bool {
    // Of many names that are looked for, most are of another length.
    utf8.count == other.utf8.count && Self.isSame(utf8, other.utf8)
  }

  /// Whether it begins with `other`, whatever the case of A to Z.
  package func beginsIgnoringCase(_ other: String) -> Bool {
    utf8.lazy.map(\.asciiLowercased).starts(with: other.utf8.lazy.map(\.asciiLowercased))
  }

  /// Whether it ends in `other`, whatever the case of A to Z.
  package func endsIgnoringCase(_ other: String) -> Bool {
    let (bytes, ending) = (utf8, other.utf8)
    return bytes.count >= ending.count && Self.isSame(bytes.suffix(ending.count), ending)
  }

  /// Of two of one length.
  private static func isSame(_ bytes: some Collection<UInt8>, _ others: some Collection<UInt8>) -> Bool {
    let quick = bytes.withContiguousStorageIfAvailable { bytes in
      others.withContiguousStorageIfAvailable { others in
        for index in 0..<bytes.count where bytes[index].asciiLowercased != others[index].asciiLowercased {
          return false
        }
        return true
      }
    }
    if case let same?? = quick { return same }
    return bytes.lazy.map(\.asciiLowercased).elementsEqual(others.lazy.map(\.asciiLowercased))
  }

  /// Byte for byte the same; `==` also takes canonically equivalent texts for equal.
  package func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }

  /// Without the spaces and tabs at its ends.
  package var withoutBlanks: SubSequence {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.isBlank }), let last = scalars.lastIndex(where: { !$0.isBlank })
    else { return self[endIndex...] }
    return self[first..<scalars.index(after: last)]
  }

  /// Digits and nothing else, not even a sign; nil also where they do not fit in 63 bits.
  package var plainDecimal: Int64? { isDigits ? Int64(self) : nil }

  /// At least one character, and only 0 to 9.
  package var isDigits: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }
}
