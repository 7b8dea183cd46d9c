internal import DownloadCore

/// A text that decodes is what its bytes are written as, but for bits behind the last byte that mean nothing (RFC 4648,
/// section 3.5); and whatever is written decodes.
enum Base64Properties {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

  static func check(_ text: String) throws(BrokenProperty) {
    let bytes = Array(text.utf8)
    let isDecoded = bytes.isEmpty || Base64.decode(encode(bytes)) == bytes
    try require(isDecoded, "\(encode(bytes)) is not \(bytes)")
    guard let decoded = Base64.decode(text) else { return }
    let (written, unused) = (encode(decoded), text.hasSuffix("=") ? 1 : 0)
    let (digits, typed) = (written.filter { $0 != "=" }, text.filter { $0 != "=" })
    try require(written.count == text.count && digits.count == typed.count, "\(text) is not \(written)")
    try require(digits.dropLast(unused) == typed.dropLast(unused), "\(text) is not \(written)")
  }

  /// Three bytes are four digits.
  static func encode(_ bytes: [UInt8]) -> String {
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for digit in 0..<4 { text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : "=") }
    }
    return text
  }
}
