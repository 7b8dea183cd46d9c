internal import DownloadCore

/// The lines of a config file: `long-name=value`, or `long-name` alone for a switch. `#` begins a comment line; blanks
/// around names and values do not count.
struct ConfigurationText: Hashable {
  /// A line that names an option.
  struct Line: Hashable {
    /// The first line has 1.
    var number: Int
    var name: String
    /// Nil where there is no `=`.
    var value: String?
  }

  /// A line that is no text.
  struct Malformed: Error, Hashable {
    var line: Int
  }

  let lines: [Line]

  /// Takes UTF-8, with a byte order mark or without, and with any ends of lines but CR alone.
  init(_ bytes: [UInt8]) throws(Malformed) {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    var lines: [Line] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let words = String(validating: line, as: UTF8.self), Text.isOneLine(words) else {
        throw Malformed(line: index + 1)
      }
      if let line = Self.line(words.withoutBlanks, number: index + 1) { lines.append(line) }
    }
    self.lines = lines
  }

  private static func line(_ text: Substring, number: Int) -> Line? {
    guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
    guard let sign = text.firstIndex(of: "=") else { return Line(number: number, name: String(text)) }
    let value = text[text.index(after: sign)...]
    return Line(number: number, name: String(text[..<sign].withoutBlanks), value: String(value.withoutBlanks))
  }
}
