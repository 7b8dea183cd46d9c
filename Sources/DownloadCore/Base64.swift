/// Base64 as digests travel in header fields (RFC 4648, section 4).
package enum Base64 {
  /// The bytes of a text with its padding; nil for anything else, were it only a blank or a missing `=`.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.count % 4 == 0 else { return nil }
    let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2 else { return nil }
    var decoded: [UInt8] = []
    var bits: UInt32 = 0
    for (index, byte) in bytes.dropLast(padding).enumerated() {
      guard let value = value(of: byte) else { return nil }
      bits = bits << 6 | value
      guard index % 4 > 0 else { continue }
      decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(6 - 2 * (index % 4))))
    }
    return decoded
  }

  private static func value(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
