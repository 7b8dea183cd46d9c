/// Names for the file, from what a server or an address says: a single path part that can do no harm.
package enum FileName {
  /// The name where nothing gives one.
  package static let fallback = "download"

  /// What our own files beside the target end in; the last one exists while a manifest is saved.
  package static let reservedEndings = [".part", ".part.json", ".part.json.new"]
  /// The most bytes of a name: 255, less the longest ending of ours.
  package static let longest = 255 - 14
  private static let addition = ".download"

  /// Why a typed name cannot be used; nil where it can.
  package static func typedNameProblem(_ name: String) -> String? {
    guard !name.isEmpty else { return "the name is empty" }
    guard name != ".", name != ".." else { return "\(name) is a folder" }
    guard !name.utf8.contains(0) else { return "the name has a NUL in it" }
    guard name.utf8.count <= longest else { return "the name has more than \(longest) bytes" }
    let ending = reservedEndings.first { name.endsIgnoringCase($0) }
    return ending.map { "names that end in \($0) are kept for partial downloads" }
  }

  /// The name in the last part of an address' path, percent-decoded once; nil where it holds none. Sequences that do
  /// not decode to UTF-8 stay as they are.
  package static func fromURLPath(_ lastPathPart: Substring) -> String? {
    sanitised(PercentCoding.decodedText(lastPathPart))
  }

  /// A name made harmless: what follows the last `/` or `\` and a drive's letter, without what is hidden, without
  /// blanks at its ends and dots at its end, `_` for a `.` or `-` at its beginning, no longer than `longest`. A name
  /// like those of our own files gets `.download` at its end. Nil where nothing is left.
  package static func sanitised(_ raw: String) -> String? {
    guard !isPlain(raw) else { return raw }
    let trimmed = withoutDrive(withoutEdges(baseName(raw)))
    guard let first = trimmed.first else { return nil }
    let begin: [Unicode.Scalar] = first == "." || first == "-" ? ["_"] : [first]
    let name = string(begin + trimmed.dropFirst())
    let short = cut(name, to: longest)
    guard reservedEndings.contains(where: { short.endsIgnoringCase($0) }) else { return short }
    return cut(short, to: longest - addition.utf8.count) + addition
  }

  /// Of letters, digits, `.`, `-` and `_` alone, as most names are, and in order as it is.
  private static func isPlain(_ name: String) -> Bool {
    let (bytes, dot) = (name.utf8, UInt8(ascii: "."))
    guard (1...longest).contains(bytes.count), bytes.allSatisfy(\.isPlainInName) else { return false }
    guard let first = bytes.first, first != dot, first != UInt8(ascii: "-"), bytes.last != dot else { return false }
    return !reservedEndings.contains { name.endsIgnoringCase($0) }
  }

  private static func baseName(_ raw: String) -> ArraySlice<Unicode.Scalar> {
    let scalars = Array(raw.unicodeScalars).filter { !$0.isHidden }
    let slash = scalars.lastIndex { $0 == "/" || $0 == "\\" }
    return scalars[(slash.map { $0 + 1 } ?? 0)...]
  }

  private static func withoutDrive(_ name: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
    var rest = name
    while let letter = rest.first, letter.isASCII, letter.properties.isAlphabetic, rest.dropFirst().first == ":" {
      rest = withoutEdges(rest.dropFirst(2))
    }
    return rest
  }

  private static func withoutEdges(_ name: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
    let body = name.drop(while: \.properties.isWhitespace)
    let end = body.lastIndex { !$0.properties.isWhitespace && $0 != "." }
    return end.map { body[...$0] } ?? []
  }

  private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}

/// Cutting names to a length.
extension FileName {
  /// At most `limit` bytes: whole characters of the stem, and the extension.
  private static func cut(_ name: String, to limit: Int) -> String {
    guard name.utf8.count > limit else { return name }
    let ending = fileExtension(of: name)
    let stem = prefix(of: name.dropLast(ending.count), bytes: limit - ending.utf8.count)
    return string(withoutEdges(Array((stem + ending).unicodeScalars)[...]))
  }

  /// `.iso`, `.tar.gz`; empty where there is none of at most 16 bytes.
  private static func fileExtension(of name: String) -> Substring {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "" }
    let last = name[dot...]
    guard last.utf8.count <= 16 else { return "" }
    let stem = name[..<dot]
    guard stem.endsIgnoringCase(".tar"), stem.utf8.count > 4, let inner = stem.lastIndex(of: ".") else { return last }
    return name[inner...]
  }

  /// A character that alone is longer, such as a letter under a thousand accents, is cut within.
  private static func prefix(of text: Substring, bytes limit: Int) -> String {
    var (kept, room) = ("", limit)
    for character in text {
      room -= character.utf8.count
      guard room >= 0 else { break }
      kept.append(character)
    }
    guard kept.isEmpty else { return kept }
    var (scalars, left) = ([Unicode.Scalar](), limit)
    for scalar in text.unicodeScalars {
      left -= UTF8.width(scalar)
      guard left >= 0 else { break }
      scalars.append(scalar)
    }
    return string(scalars)
  }
}

extension UInt8 {
  fileprivate var isPlainInName: Bool {
    isDigit || isLetter || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
  }
}
