internal import Glibc

extension Content {
  /// Where two contents first differ in a range that both have; nil if they do not.
  package func firstDifference(from other: Content, in range: Range<Int64>) throws -> Int64? {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(range.upperBound - offset, 256 << 10))
      let (common, compared) = try withPiece(at: offset, upTo: count) { mine in
        try other.withPiece(at: offset, upTo: mine.count) { theirs in
          (Self.commonPrefix(of: mine, theirs), theirs.count)
        }
      }
      if common < compared { return offset + Int64(common) }
      offset += Int64(compared)
    }
    return nil
  }

  private static func commonPrefix(of mine: UnsafeRawBufferPointer, _ theirs: UnsafeRawBufferPointer) -> Int {
    let count = min(mine.count, theirs.count)
    if let left = mine.baseAddress, let right = theirs.baseAddress, memcmp(left, right, count) == 0 { return count }
    return zip(mine, theirs).prefix { $0 == $1 }.count
  }
}
