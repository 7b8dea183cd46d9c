internal import DownloadCore

/// A head that is accepted is lines of tokens and values, and judged it lets nothing be written outside what was asked
/// for.
enum ResponseHeadProperties {
  /// The first two bytes choose what was expected; the lines of the head follow.
  static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
    guard bytes.count >= 2, let parser = parse(bytes.dropFirst(2)) else { return }
    try require(parser.byteCount <= 64 << 10, "a head of \(parser.byteCount) bytes")
    guard let head = parser.head else { return }
    try require(200...599 ~= head.status.rawValue, "the status \(head.status)")
    for field in head.fields { try checkField(field) }
    try ResponseVerdictProperties.check(head, expectation(bytes[0], bytes[1]))
  }

  /// Each line with its end, as libcurl gives them; nil for a malformed head.
  static func parse(_ bytes: ArraySlice<UInt8>) -> ResponseHeadParser? {
    var (parser, rest) = (ResponseHeadParser(), bytes)
    while !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0a).map { $0 + 1 } ?? rest.endIndex
      let line = rest[..<end]
      rest = rest[end...]
      let result = line.withUnsafeBufferPointer { buffer in
        Result { () throws(MalformedHead) in try parser.add(line: buffer) }
      }
      guard case .success = result else { return nil }
    }
    return parser
  }

  private static func checkField(_ field: HeaderField) throws(BrokenProperty) {
    try require(!field.name.isEmpty && field.name.utf8.allSatisfy(\.isTokenByte), "the name \(field.name)")
    let value = field.value.utf8
    try require(!value.contains { $0 == 0 || $0 == 0x0d || $0 == 0x0a }, "a line end in \(field)")
    try require(value.first?.isBlank != true && value.last?.isBlank != true, "blanks around \(field)")
    let shown = Redactor.header(field)
    try require(!shown.unicodeScalars.contains(where: \.isHidden), "shown: \(shown)")
    try require(!Redactor.isSecretHeader(field.name) || shown.hasSuffix(": ***"), "shown: \(shown)")
  }

  private static func expectation(_ first: UInt8, _ second: UInt8) -> ResponseCheck.Expectation {
    let start = Int64(first & 7) * 100
    let asked = [nil, ByteRange(start, start + 100), ByteRange(start, unknownEnd), ByteRange(0, 1)]
    let dated = Validator(lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
    let validator = [nil, Validator(etag: "\"v1\""), dated, Validator()]
    return ResponseCheck.Expectation(
      asked: asked[Int(first >> 3 & 3)], validator: validator[Int(second & 3)], sentIfRange: second & 4 != 0,
      length: second & 8 != 0 ? 1000 : nil, awaitsLength: second & 16 != 0, isBinding: second & 32 != 0)
  }
}
