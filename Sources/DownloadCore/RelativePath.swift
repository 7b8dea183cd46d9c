/// A path below a folder that the user has chosen, from what somebody else wrote: it never leads out of it, each of its
/// parts is a name that can do no harm, and what it hides or escapes is refused rather than guessed at.
package struct RelativePath: Hashable, Sendable {
  /// The folders on the way, the outermost first; mostly none.
  package let folders: [String]
  /// The file's own name.
  package let name: String

  /// Why a path is refused, as one clause.
  package struct Problem: Error, Hashable, Sendable {
    /// In which nothing moves a cursor.
    package let clause: String
  }

  /// Linux takes no longer path (PATH_MAX), in bytes.
  private static let longest = 4095

  /// Reads a path whose parts are separated by `/`.
  package init(_ text: String) throws(Problem) {
    if let clause = Self.problem(of: text) { throw Problem(clause: clause) }
    var parts: [String] = []
    for part in text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false) {
      parts.append(try Self.part(String(part)))
    }
    name = parts.removeLast()
    folders = parts
  }

  private static func problem(of text: String) -> String? {
    let scalars = text.unicodeScalars
    if scalars.isEmpty { return "it is empty" }
    if scalars.first == "/" { return "it is no relative path" }
    if scalars.contains("\\") { return "it has a backslash in it" }
    if scalars.contains(where: \.isHidden) { return "it has characters in it that cannot be seen" }
    if text.utf8.count > longest { return "it is longer than any path" }
    return nil
  }

  /// A name that is made harmless: no leading dot or dash, and none of the endings of ours.
  private static func part(_ text: String) throws(Problem) -> String {
    guard !text.isEmpty else { throw Problem(clause: "a part of it is empty") }
    guard text != ".", text != ".." else { throw Problem(clause: "it has '\(text)' in it") }
    let scalars = text.unicodeScalars
    if let letter = scalars.first, letter.properties.isAlphabetic, scalars.dropFirst().first == ":" {
      throw Problem(clause: "it names a drive")
    }
    guard let name = FileName.sanitised(text) else { throw Problem(clause: "a part of it is no name") }
    return name
  }
}
