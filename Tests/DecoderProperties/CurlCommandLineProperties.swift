internal import DownloadCore

/// A pasted curl line that is accepted has one URL and nothing that names a file, and says the same when it is quoted
/// anew.
enum CurlCommandLineProperties {
  static func check(_ text: String) throws(BrokenProperty) {
    guard let line = try? CurlCommandLine(text) else { return }
    try require(line.values.count { $0.part == .url } == 1 && !line.url.isEmpty, "its URL: \(line.values)")
    let count = line.values.reduce(0) { $0 + $1.text.utf8.count }
    try require(count <= text.utf8.count, "\(count) bytes of \(text.utf8.count)")
    for value in line.values { try checkValue(value) }
    try checkQuoted(line)
  }

  private static func checkValue(_ value: CurlCommandLine.Value) throws(BrokenProperty) {
    try require(!value.text.utf8.contains(0), "a NUL in \(value)")
    guard value.part == .header || value.part == .cookie else { return }
    try require(value.text.utf8.first != UInt8(ascii: "@"), "a file: \(value)")
    try require(value.part != .cookie || value.text.utf8.contains(UInt8(ascii: "=")), "a file: \(value)")
  }

  /// In single quotes everything is text; `-g` keeps the brackets of the URL.
  private static func checkQuoted(_ line: CurlCommandLine) throws(BrokenProperty) {
    var words = ["curl", "-g"] + (line.isInsecure ? ["-k"] : [])
    for value in line.values { words += [option(value.part), value.text] }
    let text = words.map { "'" + escaped($0, ["'": "'\\''"]) + "'" }.joined(separator: " ")
    guard let again = try? CurlCommandLine(text), let split = try? CurlCommandLine(words: words) else {
      throw BrokenProperty("refused when quoted: \(text)")
    }
    try require(parts(again) == parts(line) && again.isInsecure == line.isInsecure, "another when quoted: \(text)")
    try require(split == again, "words and text differ: \(text)")
  }

  private static func option(_ part: CurlCommandLine.Part) -> String {
    switch part {
    case .url: "--url"
    case .header: "-H"
    case .cookie: "-b"
    case .userAgent: "-A"
    case .referer: "-e"
    case .user: "-u"
    }
  }

  private struct Part: Hashable {
    var part: CurlCommandLine.Part
    var bytes: [UInt8]
  }

  private static func parts(_ line: CurlCommandLine) -> [Part] {
    line.values.map { Part(part: $0.part, bytes: Array($0.text.utf8)) }
  }
}
