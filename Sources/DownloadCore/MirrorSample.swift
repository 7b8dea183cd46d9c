/// Which blocks of a file are compared before a mirror of it is trusted: cheap, and hard to have right by chance.
package enum MirrorSample {
  /// Of a block, in bytes.
  package static let length: Int64 = 64 << 10
  /// A file shorter than this is fetched before a mirror has shown that it has the same one.
  package static let leastFile: Int64 = 1 << 20
  /// So many bytes must be compared at least, where what is here has no more of the blocks.
  package static let leastCompared: Int64 = 1 << 10

  /// Of what is `wanted` the first block, the last one and one between them, at `random` in 0..<1; and where nothing of
  /// these is `here` already but other bytes are, one of those. They do not overlap.
  package static func blocks(of wanted: ByteRange, here: ByteRangeSet, random: Double) -> [ByteRange] {
    let file = wanted.count
    guard file > 3 * length else {
      return file > 0 ? [ByteRange(wanted.start, wanted.start + min(file, length))] : []
    }
    // Whole blocks between the first and the last.
    let inner = (file - length) / length - 1
    let start = wanted.start
    let place = 1 + min(inner - 1, Int64(Double(inner) * min(max(random, 0), 1)))
    let middle = ByteRange(start + place * length, start + (place + 1) * length)
    let blocks = [ByteRange(start, start + length), ByteRange(wanted.end - length, wanted.end), middle]
    guard !here.isEmpty, !blocks.contains(where: { compared($0, in: here) >= leastCompared }) else { return blocks }
    return blocks + [block(in: here)].compactMap(\.self)
  }

  /// The end of the longest range that is here, as far as a block goes.
  package static func block(in here: ByteRangeSet) -> ByteRange? {
    here.ranges.max { $0.count < $1.count }.map { ByteRange(max($0.start, $0.end - length), $0.end) }
  }

  /// How many bytes of a block are here.
  package static func compared(_ block: ByteRange, in here: ByteRangeSet) -> Int64 {
    block.count - here.gaps(in: block).count
  }
}
