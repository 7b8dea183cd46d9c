import DownloadCore

/// Chance that repeats: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func bytes(upTo most: Int) -> [UInt8] {
    (0..<Int.random(in: 0...most, using: &self)).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }

  /// The seed text with a few bytes replaced, removed, added or repeated.
  mutating func mutation(of text: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    for _ in 0..<Int.random(in: 1...4, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let byte = Array("\"\\;,=*/- %'0919\r\n\0\u{7F}é\u{202E}🎉".utf8).randomElement(using: &self) ?? 0
      switch Int.random(in: 0..<4, using: &self) {
      case 0 where place < bytes.count: bytes[place] = byte
      case 1 where place < bytes.count: bytes.remove(at: place)
      case 2: bytes.insert(contentsOf: bytes.prefix(place), at: place)
      default: bytes.insert(byte, at: place)
      }
    }
    return bytes
  }

  mutating func mutatedText(of text: String) -> String { String(decoding: mutation(of: text), as: UTF8.self) }
}

/// A head with these fields, `Name: value` each.
func head(_ status: Int, _ fields: String...) -> ResponseHead {
  ResponseHead(
    status: HTTPStatus(rawValue: status),
    fields: fields.map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return HeaderField(String(parts[0]), String(parts[1].withoutBlanks))
    })
}
