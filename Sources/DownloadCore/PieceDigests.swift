/// Digests of a file's pieces, which have one length but for the last (RFC 5854, section 4.2.13).
package struct PieceDigests: Hashable, Sendable {
  /// Of every piece but the last, in bytes; at least 1.
  package let length: Int64
  /// In order, all of one algorithm.
  package let digests: [Digest]

  /// Takes both as they are.
  package init(length: Int64, digests: [Digest]) {
    self.length = length
    self.digests = digests
  }

  /// Where in a file of `total` bytes a piece lies.
  package func range(of piece: Int, total: Int64) -> ByteRange {
    let start = Int64(piece) * length
    return ByteRange(start, min(total, start + length))
  }
}
