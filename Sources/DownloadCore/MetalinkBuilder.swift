/// Makes a `Metalink` of the elements of its XML, as a parser meets them. Elements and attributes that RFC 5854 does not
/// name, or that are of no use here, are passed over with all that is in them.
package struct MetalinkBuilder: Sendable {
  /// A name as XML with namespaces has it.
  package struct Name: Hashable, Sendable {
    /// Empty where there is none.
    package var namespace: String
    /// Without a prefix.
    package var local: String

    /// Takes both as they are.
    package init(namespace: String, local: String) {
      self.namespace = namespace
      self.local = local
    }
  }

  /// The attributes of an element that have no namespace, by name.
  package typealias Attributes = [String: String]

  /// Where the parser is.
  private enum Place {
    case metalink, file, size, url
    /// Its algorithm; nil: one that is not known.
    case digest(DigestAlgorithm?)
    case pieces, piece
    case ignored
  }

  private static let namespace = "urn:ietf:params:xml:ns:metalink"
  private static let formerNamespace = "http://www.metalinker.org/"
  /// No element is nested deeper.
  package static let mostDepth = 32
  private static let mostFiles = 1 << 14
  private static let mostSources = 1 << 12
  /// In bytes, of one element.
  private static let mostText = 1 << 16

  private var places: [Place] = []
  private var files: [Metalink.File] = []
  private var sourceCount = 0
  /// What the element says whose end comes next.
  private var text: [UInt8] = []
  private var attributes: Attributes = [:]
  private var pieces = Pieces()

  /// The `pieces` element that is being read.
  private struct Pieces: Sendable {
    var length: Int64 = 0
    var algorithm: DigestAlgorithm?
    var digests: [Digest] = []
  }

  /// Nothing was met yet.
  package init() {}

  /// An element begins.
  package mutating func begin(_ name: Name, _ attributes: Attributes) throws(MetalinkProblem) {
    guard places.count < Self.mostDepth else { throw .tooDeep }
    guard let outer = places.last else { return places.append(try root(name)) }
    text = []
    self.attributes = attributes
    let place = name.namespace == Self.namespace ? place(of: name.local, in: outer) : .ignored
    switch place {
    case .file: try beginFile()
    case .pieces: try beginPieces()
    default: break
    }
    places.append(place)
  }

  /// Text, in pieces of any length.
  package mutating func add(_ bytes: some Collection<UInt8>) throws(MetalinkProblem) {
    switch places.last {
    case .size, .url, .digest, .piece: text += bytes
    default: return
    }
    guard text.count <= Self.mostText else { throw bad("has a text too long") }
  }

  /// The element that began last ends.
  package mutating func end() throws(MetalinkProblem) {
    switch places.popLast() {
    case .size: try endSize()
    case .url: try endSource()
    case .digest(let algorithm): try endDigest(algorithm)
    case .piece: try endPiece()
    case .pieces: try endPieces()
    case .file: try endFile()
    default: break
    }
    text = []
  }

  /// The metalink, when the outermost element has ended.
  package func finish() throws(MetalinkProblem) -> Metalink {
    guard !files.isEmpty else { throw .noFile }
    return Metalink(files: files)
  }
}

/// Where elements stand.
extension MetalinkBuilder {
  private func root(_ name: Name) throws(MetalinkProblem) -> Place {
    guard name.local == "metalink" else { throw .otherDocument(name.local) }
    switch name.namespace {
    case Self.namespace: return .metalink
    case Self.formerNamespace: throw .version3
    case "": throw .otherDocument("metalink, of no namespace")
    default: throw .otherDocument("metalink, of the namespace \(name.namespace)")
    }
  }

  private func place(of name: String, in outer: Place) -> Place {
    switch (outer, name) {
    case (.metalink, "file"): .file
    case (.file, "size"): .size
    case (.file, "url"): .url
    case (.file, "hash"): .digest(attributes["type"].flatMap { DigestAlgorithm(registered: $0) })
    case (.file, "pieces"): .pieces
    case (.pieces, "hash"): .piece
    default: .ignored
    }
  }

  private func bad(_ what: String) -> MetalinkProblem { .badEntry(files.last?.name ?? "", what) }
}

/// What they say.
extension MetalinkBuilder {
  /// Without the white space of XML around it.
  private var value: String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let body = text.drop(while: isSpace)
    let end = body.lastIndex { !isSpace($0) }
    return String(decoding: end.map { body[...$0] } ?? [], as: UTF8.self)
  }

  private mutating func beginFile() throws(MetalinkProblem) {
    guard files.count < Self.mostFiles else { throw .tooMany("files") }
    files.append(Metalink.File(name: attributes["name"] ?? ""))
  }

  private mutating func endFile() throws(MetalinkProblem) {
    // A sort that keeps the order of equals: the first of several is the one that is preferred.
    let ranked = files[files.count - 1].sources.enumerated().sorted {
      ($0.element.priority ?? .max, $0.offset) < ($1.element.priority ?? .max, $1.offset)
    }
    files[files.count - 1].sources = ranked.map(\.element)
    try endAllPieces()
  }

  /// Pieces of a file whose size is not told are of no use: nothing says that none is missing.
  private mutating func endAllPieces() throws(MetalinkProblem) {
    guard let size = files[files.count - 1].size else { return files[files.count - 1].pieces = [] }
    for pieces in files[files.count - 1].pieces where !pieces.cover(size) {
      throw bad("there are \(pieces.digests.count) pieces of \(pieces.length) bytes, and the size is \(size)")
    }
  }

  private mutating func endSize() throws(MetalinkProblem) {
    guard let size = value.plainDecimal, size <= Manifest.mostLength else {
      throw bad("the size is none: '\(Sanitiser.line(value, limit: 40))'")
    }
    guard files[files.count - 1].size ?? size == size else { throw bad("there are two sizes") }
    files[files.count - 1].size = size
  }

  private mutating func endSource() throws(MetalinkProblem) {
    guard !value.isEmpty else { return }
    guard files[files.count - 1].sources.count < Self.mostSources else { throw .tooMany("addresses of one file") }
    let priority = attributes["priority"]?.plainDecimal.flatMap { (1...999_999).contains($0) ? Int($0) : nil }
    files[files.count - 1].sources.append(Metalink.Source(address: value, priority: priority))
  }

  private mutating func endDigest(_ algorithm: DigestAlgorithm?) throws(MetalinkProblem) {
    guard let digest = try digest(algorithm) else { return }
    let earlier = files[files.count - 1].digests.first { $0.algorithm == digest.algorithm }
    guard earlier ?? digest == digest else { throw bad("there are two different \(digest.algorithm.rawValue) digests") }
    if earlier == nil { files[files.count - 1].digests.append(digest) }
  }

  /// Nil where the algorithm is not known.
  private mutating func digest(_ algorithm: DigestAlgorithm?) throws(MetalinkProblem) -> Digest? {
    guard let algorithm else {
      noteUnknown(attributes["type"] ?? "")
      return nil
    }
    // What a person types may have a name behind it; this has not.
    guard value.utf8.count == 2 * algorithm.length, let digest = try? Digest(algorithm, typed: value) else {
      throw bad("the \(algorithm.rawValue) digest is none: '\(Sanitiser.line(value, limit: 40))'")
    }
    return digest
  }

  private mutating func noteUnknown(_ name: String) {
    if files[files.count - 1].unknownAlgorithms.count < 16 { files[files.count - 1].unknownAlgorithms.insert(name) }
  }

  private mutating func beginPieces() throws(MetalinkProblem) {
    guard let length = attributes["length"]?.plainDecimal, (1...Manifest.mostLength).contains(length) else {
      throw bad("the length of the pieces is none: '\(Sanitiser.line(attributes["length"] ?? "", limit: 40))'")
    }
    pieces = Pieces(length: length, algorithm: attributes["type"].flatMap { DigestAlgorithm(registered: $0) })
    if pieces.algorithm == nil { noteUnknown(attributes["type"] ?? "") }
  }

  private mutating func endPiece() throws(MetalinkProblem) {
    guard pieces.algorithm != nil, let digest = try digest(pieces.algorithm) else { return }
    pieces.digests.append(digest)
  }

  private mutating func endPieces() throws(MetalinkProblem) {
    guard let algorithm = pieces.algorithm else { return }
    guard !files[files.count - 1].pieces.contains(where: { $0.algorithm == algorithm }) else {
      throw bad("there are two lists of \(algorithm.rawValue) pieces")
    }
    guard !pieces.digests.isEmpty else { return }
    files[files.count - 1].pieces.append(PieceDigests(length: pieces.length, digests: pieces.digests))
  }
}
