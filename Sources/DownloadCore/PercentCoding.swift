/// Percent-encoding (RFC 3986, section 2.1).
package enum PercentCoding {
  /// Each `%XX` as its byte; a `%` without two hexadecimal digits stays.
  package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let byte = escapedByte(bytes, at: index)
      decoded.append(byte ?? bytes[index])
      index += byte == nil ? 1 : 3
    }
    return decoded
  }

  /// Each run of `%XX` as the UTF-8 text that its bytes are; sequences whose bytes are none stay as they are.
  package static func decodedText(_ text: some StringProtocol) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard let scalar = escapedScalar(bytes, at: index) else {
        decoded.append(bytes[index])
        index += 1
        continue
      }
      decoded += scalar
      index += 3 * scalar.count
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  private static func escapedByte(_ bytes: [UInt8], at index: Int) -> UInt8? {
    guard index + 2 < bytes.count, bytes[index] == UInt8(ascii: "%") else { return nil }
    guard let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue else { return nil }
    return high << 4 | low
  }

  /// The bytes of one whole code point that begins at `index`, every one of them escaped.
  private static func escapedScalar(_ bytes: [UInt8], at index: Int) -> [UInt8]? {
    guard let first = escapedByte(bytes, at: index) else { return nil }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    var scalar = [first]
    while scalar.count < length {
      guard let next = escapedByte(bytes, at: index + 3 * scalar.count) else { return nil }
      scalar.append(next)
    }
    return String(validating: scalar, as: UTF8.self) == nil ? nil : scalar
  }
}
