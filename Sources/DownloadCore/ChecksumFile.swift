/// A list of digests: what `sha256sum`, BSD's `sha256` and `openssl dgst` write, or the bare digest of one file.
///
/// Anybody may have written it. Its lines are taken or left one by one, in time that grows with its length; nothing in
/// it is evaluated.
package struct ChecksumFile: Hashable, Sendable {
  /// The digest of one name.
  package struct Entry: Hashable, Sendable {
    /// The file's name, byte for byte, without a `./` before it.
    package var name: [UInt8]
    /// Of the file of this name.
    package var digest: Digest

    /// The name as text; nil where it is not UTF-8.
    package var path: String? { String(validating: name, as: UTF8.self) }
  }

  /// Why a list is of no use for a file.
  package enum Problem: Error, Hashable, Sendable {
    /// More than `mostBytes`.
    case tooLarge
    /// There is not a single digest in it.
    case noDigests
    /// There is no line for the file of this name.
    case noLine(String)
    /// Two lines give the file of this name different digests.
    case contradiction(String, DigestAlgorithm)
    /// There is a digest without a name, and several files.
    case bareDigest
  }

  /// No list is larger, in bytes.
  package static let mostBytes = 1 << 20

  /// One for each line that names a file.
  package private(set) var entries: [Entry] = []
  /// The one digest of a list that names no file: it is that of whatever file it was given for.
  package private(set) var bare: Digest?
  /// Lines that are neither empty nor comments, and of no use.
  package private(set) var strayLines = 0

  /// Reads a list. `source` is the list's own name or address: `SHA3-256SUMS` or `file.b2` tells the algorithm where a
  /// digest's length fits several.
  ///
  /// Throws `tooLarge`; a list without a digest is told by `digests(of:)`.
  package init(_ bytes: [UInt8], source: String = "") throws(Problem) {
    guard bytes.count <= Self.mostBytes else { throw .tooLarge }
    let hints = Self.hints(in: source)
    var nameless: [Digest] = []
    for text in ClearSignedText(bytes).lines where !Self.isIgnored(text) {
      guard let line = ChecksumLine(text), let digest = Self.digest(line, hints) else {
        strayLines += 1
        continue
      }
      if let name = line.name { entries.append(Entry(name: name, digest: digest)) } else { nameless.append(digest) }
    }
    if entries.isEmpty, nameless.count == 1 { bare = nameless[0] } else { strayLines += nameless.count }
  }

  /// Reads a list that is text already.
  package init(_ text: String, source: String = "") throws(Problem) { try self.init(Array(text.utf8), source: source) }

  /// Empty lines and comments.
  private static func isIgnored(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first(where: { !$0.isBlank }) else { return true }
    return first == UInt8(ascii: "#")
  }
}

extension ChecksumFile {
  /// The digests of a file that goes by these names, the first of which that is in the list counts: one for each
  /// algorithm that the list has it in. A bare digest is that of any file.
  ///
  /// Throws `noDigests`, `noLine` for the first name, or `contradiction`.
  package func digests(of names: [String]) throws(Problem) -> [Digest] {
    if let bare { return [bare] }
    guard !entries.isEmpty else { throw .noDigests }
    for name in names {
      let digests = try digests(of: name)
      if !digests.isEmpty { return digests }
    }
    throw .noLine(names.first ?? "")
  }

  private func digests(of name: String) throws(Problem) -> [Digest] {
    let bytes = Array(name.utf8)
    var found: [Digest] = []
    for entry in entries where entry.name == bytes && !found.contains(entry.digest) {
      let algorithm = entry.digest.algorithm
      guard !found.contains(where: { $0.algorithm == algorithm }) else { throw .contradiction(name, algorithm) }
      found.append(entry.digest)
    }
    return found
  }
}

/// Which algorithm made a digest.
extension ChecksumFile {
  /// That of the tag, else that of the length; where several have this length, the one that the list's name tells.
  private static func digest(_ line: ChecksumLine, _ hints: Set<DigestAlgorithm>) -> Digest? {
    let fitting = DigestAlgorithm.allCases.filter { $0.length * 2 == line.hex.utf8.count }
    if let tag = line.tag { return fitting.contains(tag) ? Digest(tag, hex: line.hex) : nil }
    let told = fitting.filter(hints.contains)
    // The first of each length is the one that everybody means: md5, sha1 and the SHA-2 family.
    guard let algorithm = told.count == 1 ? told[0] : fitting.first(where: usual.contains) else { return nil }
    return Digest(algorithm, hex: line.hex)
  }

  private static let usual: Set<DigestAlgorithm> = [.md5, .sha1, .sha224, .sha256, .sha384, .sha512]

  /// The algorithms that a list's name names between its dots: `SHA3-256SUMS.txt`, `file.iso.b2`.
  private static func hints(in source: String) -> Set<DigestAlgorithm> {
    let path = source.prefix { $0 != "?" && $0 != "#" }
    let name = path.split(separator: "/").last ?? ""
    return Set(name.suffix(300).split(separator: ".").compactMap(algorithm))
  }

  private static func algorithm(named part: Substring) -> DigestAlgorithm? {
    var name = part.lowercased()[...]
    for ending in ["s", "sum"] where name.hasSuffix(ending) && !name.hasSuffix("blake2s") {
      name = name.dropLast(ending.count)
    }
    while let last = name.last, "-_".contains(last) { name.removeLast() }
    return name == "b2" ? .blake2b : DigestAlgorithm(typed: name)
  }
}
