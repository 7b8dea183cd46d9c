internal import DownloadCore

/// A name for a file, whatever it was made of, is a single path part that can do no harm, and stays as it is.
enum FileNameProperties {
  /// Reads the text as a name and as the last part of an address' path.
  static func check(_ text: String) throws(BrokenProperty) {
    if let name = FileName.fromURLPath(text[...]) { try checkIsSafe(name) }
    guard let name = FileName.sanitised(text) else { return }
    try checkIsSafe(name)
    try checkSurvivesAHeader(name)
  }

  static func checkContentDisposition(_ text: String) throws(BrokenProperty) {
    guard let name = FileName.fromContentDisposition(text) else { return }
    try checkIsSafe(name)
  }

  private static func checkIsSafe(_ name: String) throws(BrokenProperty) {
    let scalars = Array(name.unicodeScalars)
    guard let first = scalars.first, let last = scalars.last else { throw BrokenProperty("an empty name") }
    try require(name.utf8.count + ".part.json.new".utf8.count <= 255, "\(name.utf8.count) bytes: \(name)")
    try require(!scalars.contains { $0 == "/" || $0 == "\\" || $0.isHidden }, "a separator or a control: \(name)")
    try require(first != "." && first != "-" && !first.properties.isWhitespace, "its beginning: \(name)")
    try require(last != "." && !last.properties.isWhitespace, "its end: \(name)")
    try require(!FileName.reservedEndings.contains { name.endsIgnoringCase($0) }, "a name of ours: \(name)")
    try require(FileName.typedNameProblem(name) == nil, "it could not be typed: \(name)")
    try require(FileName.sanitised(name)?.hasSameBytes(as: name) == true, "it changes once more: \(name)")
  }

  /// A name that is safe comes through both forms of RFC 6266 as it is.
  private static func checkSurvivesAHeader(_ name: String) throws(BrokenProperty) {
    let quoted = escaped(name, ["\\": "\\\\", "\"": "\\\""])
    let plain = FileName.fromContentDisposition("attachment; filename=\"\(quoted)\"")
    try require(plain?.hasSameBytes(as: name) == true, "\(name) came back as \(plain ?? "none")")
    let digits = name.utf8.map { "%" + ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
    let extended = FileName.fromContentDisposition("attachment; filename=x; filename*=UTF-8''\(digits)")
    try require(extended?.hasSameBytes(as: name) == true, "\(name) came back as \(extended ?? "none")")
  }
}
