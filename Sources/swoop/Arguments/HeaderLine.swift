internal import DownloadCore

/// Reads `-H` as curl does: `Name: value`, `Name;` for one without a value, `Name:` for one not to send, `@FILE` for
/// one of these a line.
enum HeaderLine {
  /// Headers that hold a download together; a value of someone else's would break it.
  private static let reserved: Set = [
    "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection",
  ]

  static func source(_ text: String) throws(DownloadError) -> Arguments.HeaderSource {
    guard text.hasPrefix("@") else { return try field(text) }
    guard text.utf8.count > 1 else { throw .usage("--header needs a file's name after the @") }
    return .file(String(text.dropFirst()))
  }

  static func field(_ text: String) throws(DownloadError) -> Arguments.HeaderSource {
    guard Text.isOneLine(text) else { throw .usage("--header cannot hold line breaks or control characters") }
    guard let (name, value) = split(text) else { throw .usage("--header needs 'Name: value'" + notThat(text)) }
    guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else {
      throw .usage("--header needs a name of letters, digits and dashes before the colon")
    }
    guard !reserved.contains(name.lowercased()) else {
      throw .usage("--header cannot set \(name): swoop sets it itself")
    }
    return value.map { .field(HeaderField(String(name), String($0))) } ?? .suppression(String(name))
  }

  /// The word that was typed instead, where it looks like the name of a header: a secret may have been meant for a value.
  private static func notThat(_ text: String) -> String {
    let isName = text.utf8.count <= 40 && text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isLetter }
    return isName ? ", not '\(text)'" : ""
  }

  /// The fields of an `@FILE`; empty lines do not count.
  static func fields(ofFile text: String) throws(DownloadError) -> [Arguments.HeaderSource] {
    var fields: [Arguments.HeaderSource] = []
    for line in text.split(whereSeparator: \.isNewline) where !line.withoutBlanks.isEmpty {
      fields.append(try field(String(line)))
    }
    return fields
  }

  /// Name and value; no value where the field is not to be sent.
  private static func split(_ text: String) -> (name: Substring, value: Substring?)? {
    if let colon = text.firstIndex(of: ":") {
      let value = text[text.index(after: colon)...].withoutBlanks
      return (text[..<colon], value.isEmpty ? nil : value)
    }
    let whole = text.withoutBlanks
    return whole.hasSuffix(";") ? (whole.dropLast(), "") : nil
  }
}
