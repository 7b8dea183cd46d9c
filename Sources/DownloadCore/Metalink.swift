/// What a Metalink 4 file says (RFC 5854): files, how they are proved, and where they are.
package struct Metalink: Hashable, Sendable {
  /// In the order in which they stand there; at least one.
  package var files: [File]

  /// The largest metalink that is read, in bytes.
  package static let mostBytes = 16 << 20
  /// The media type of one (RFC 5854, section 7).
  package static let mediaType = "application/metalink4+xml"
  /// What the name of one ends in.
  package static let ending = ".meta4"
  /// The same of version 3, which nobody has standardised.
  package static let endingOfVersion3 = ".metalink"

  /// Takes the files as they are.
  package init(files: [File]) { self.files = files }

  /// A file of which it tells.
  package struct File: Hashable, Sendable {
    /// As it stands there: not checked, and not to be used for a path.
    package var name: String
    /// In bytes; nil where it is not told.
    package var size: Int64?
    /// Of the whole file, each of another algorithm.
    package var digests: [Digest] = []
    /// Of its pieces, where its size tells how many there are; each of another algorithm.
    package var pieces: [PieceDigests] = []
    /// The best first.
    package var sources: [Source] = []
    /// The names of algorithms that are not known here.
    package var unknownAlgorithms: Set<String> = []

    /// A file of which nothing but its name is known.
    package init(name: String) { self.name = name }
  }

  /// An address of a file.
  package struct Source: Hashable, Sendable {
    /// As it stands there: neither resolved nor checked.
    package var address: String
    /// 1 is the best (RFC 5854, section 4.2.16.1); nil: after all that have one.
    package var priority: Int?

    /// Takes the values as they are.
    package init(address: String, priority: Int? = nil) {
      self.address = address
      self.priority = priority
    }
  }
}

extension Metalink.File {
  /// Of the digests the one that proves most, of those that can be computed here: others would only cost time.
  package func strongestDigest(offered: (DigestAlgorithm) -> Bool) -> Digest? {
    digests.filter { offered($0.algorithm) }.max { $0.algorithm.strength < $1.algorithm.strength }
  }

  /// The same of the pieces.
  package func strongestPieces(offered: (DigestAlgorithm) -> Bool) -> PieceDigests? {
    pieces.filter { offered($0.algorithm) }.max { $0.algorithm.strength < $1.algorithm.strength }
  }
}

extension PieceDigests {
  /// Whether there are as many as a file of `total` bytes has.
  package func cover(_ total: Int64) -> Bool {
    total > 0 && Int64(digests.count) == (total - 1) / length + 1
  }

  /// What all of them were made with.
  package var algorithm: DigestAlgorithm { digests[0].algorithm }
}

extension DigestAlgorithm {
  /// Orders what nobody can forge before the rest, and among these the longer before the shorter.
  fileprivate var strength: Int { (resistsAttacks ? 1000 : 0) + length }

  /// Reads a name of the registry that metalinks use (IANA, Hash Function Textual Names): any case.
  package init?(registered name: some StringProtocol) { self.init(typed: name.withoutBlanks) }
}
