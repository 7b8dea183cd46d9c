extension FileName {
  /// The name in a Content-Disposition (RFC 6266): `filename*` if it can be decoded (RFC 8187), else `filename`, whose
  /// percent signs mean nothing. Whatever the type: `inline` names a file as well. Nil where it holds no usable name.
  package static func fromContentDisposition(_ value: String) -> String? {
    let parameters = parameters(Array(value.utf8))
    for parameter in parameters where parameter.name.equalsIgnoringCase("filename*") {
      if let name = extendedValue(parameter.value).flatMap({ sanitised($0) }) { return name }
    }
    for parameter in parameters where parameter.name.equalsIgnoringCase("filename") {
      if let name = sanitised(parameter.value) { return name }
    }
    return nil
  }

  private struct Parameter {
    var name: String
    var value: String
  }

  /// The `name=value` pairs between semicolons; a type in front of them is none.
  private static func parameters(_ bytes: [UInt8]) -> [Parameter] {
    pieces(bytes).compactMap { piece in
      guard let sign = piece.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let name = String(decoding: piece[..<sign], as: UTF8.self).withoutBlanks
      let value = String(decoding: piece[(sign + 1)...], as: UTF8.self).withoutBlanks
      return Parameter(name: String(name), value: unquoted(value))
    }
  }

  /// Splits at the semicolons that are not in quotes.
  private static func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var (start, isQuoted, isEscaped) = (0, false, false)
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
      isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
      guard byte == UInt8(ascii: ";"), !isQuoted else { continue }
      pieces.append(bytes[start..<index])
      start = index + 1
    }
    return pieces + [bytes[start...]]
  }

  /// The text of a quoted string, whatever follows it; any other text as it is. A backslash escapes a quote or a
  /// backslash alone: before anything else it is one of a path that was not escaped.
  private static func unquoted(_ text: Substring) -> String {
    guard text.utf8.first == UInt8(ascii: "\"") else { return String(text) }
    var bytes: [UInt8] = []
    var rest = text.utf8.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      let isEscape = byte == UInt8(ascii: "\\")
      if isEscape, let next = rest.first, next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") {
        rest = rest.dropFirst()
        bytes.append(next)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `UTF-8'en'na%C3%AFve.txt` or ISO-8859-1; nil for other charsets and for bytes that are not of the charset.
  private static func extendedValue(_ text: String) -> String? {
    let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let bytes = PercentCoding.decodedBytes(parts[2])
    if parts[0].equalsIgnoringCase("UTF-8") { return String(validating: bytes, as: UTF8.self) }
    return parts[0].equalsIgnoringCase("ISO-8859-1") ? String(latin1: bytes) : nil
  }
}
