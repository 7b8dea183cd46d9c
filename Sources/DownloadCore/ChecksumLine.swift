/// One line of a list of digests.
struct ChecksumLine: Hashable {
  /// Byte for byte, without a `./` before it; nil where the digest stands alone, or is that of standard input.
  var name: [UInt8]?
  /// Lower-case; a whole number of bytes.
  var hex: String
  /// The algorithm that the line names.
  var tag: DigestAlgorithm?

  /// A path of PATH_MAX, 4096 bytes, fits also where each of them is escaped.
  static let longest = 9 << 10

  /// Reads `HEX  name`, `HEX *name`, `HEX`, `SHA256 (name) = HEX` or `SHA2-256(name)= HEX`, each of them with a
  /// backslash before it where the name has escapes (sha256sum(1), openssl-dgst(1)). Nil where it is none of these.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.count <= Self.longest else { return nil }
    var rest = text.drop(while: \.isBlank)
    let isEscaped = rest.first == UInt8(ascii: "\\")
    if isEscaped { rest = rest.dropFirst() }
    guard let (raw, digits, tag) = Self.untagged(rest) ?? Self.tagged(rest), let digits = Self.hex(digits) else {
      return nil
    }
    (hex, self.tag) = (digits, tag)
    guard let raw else { return }
    guard let read = isEscaped ? Self.unescaped(raw) : Array(raw), !read.contains(0) else { return nil }
    let name = read.starts(with: "./".utf8) ? Array(read.dropFirst(2)) : read
    guard !name.isEmpty else { return nil }
    if name != Array("-".utf8) { self.name = name }
  }

  private typealias Parts = (name: ArraySlice<UInt8>?, digits: ArraySlice<UInt8>, tag: DigestAlgorithm?)

  /// After the digest a blank and a mark, a space for text or `*` for binary; BSD's `-r` leaves the mark out.
  private static func untagged(_ line: ArraySlice<UInt8>) -> Parts? {
    let digits = line.prefix { $0.hexValue != nil }
    let rest = line[digits.endIndex...]
    guard !digits.isEmpty, rest.first?.isBlank ?? true else { return nil }
    guard !rest.allSatisfy(\.isBlank) else { return (nil, digits, nil) }
    let name = rest.dropFirst()
    let isMarked = name.first == UInt8(ascii: " ") || name.first == UInt8(ascii: "*")
    return (isMarked ? name.dropFirst() : name, digits, nil)
  }

  /// The name may have parentheses of its own.
  private static func tagged(_ line: ArraySlice<UInt8>) -> Parts? {
    guard let open = line.firstIndex(of: UInt8(ascii: "(")), let close = line.lastIndex(of: UInt8(ascii: ")")),
      open < close, let tag = algorithm(line[..<open])
    else { return nil }
    let rest = line[(close + 1)...].drop(while: \.isBlank)
    guard rest.first == UInt8(ascii: "=") else { return nil }
    let digits = rest.dropFirst().drop(while: \.isBlank)
    let end = digits.lastIndex { !$0.isBlank }
    return (line[(open + 1)..<close], end.map { digits[...$0] } ?? [], tag)
  }

  /// OpenSSL calls sha256 SHA2-256.
  private static func algorithm(_ tag: ArraySlice<UInt8>) -> DigestAlgorithm? {
    guard tag.count <= 20, let text = String(validating: tag, as: UTF8.self) else { return nil }
    let name = text.withoutBlanks
    return DigestAlgorithm(typed: name.beginsIgnoringCase("SHA2-") ? "sha" + name.dropFirst(5) : String(name))
  }

  private static func hex(_ digits: ArraySlice<UInt8>) -> String? {
    guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.allSatisfy({ $0.hexValue != nil }) else { return nil }
    return String(decoding: digits.map(\.asciiLowercased), as: UTF8.self)
  }

  /// `\n`, `\r` and `\\`; nil where a backslash stands before anything else.
  private static func unescaped(_ name: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = name
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "\\"): bytes.append(byte)
      default: return nil
      }
    }
    return bytes
  }
}
