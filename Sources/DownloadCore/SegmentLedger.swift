/// A completed range of the file and the CRC-32 (ISO 3309, as zlib's) of its bytes.
package struct Segment: Hashable, Sendable {
  /// Where in the file.
  package var range: ByteRange
  /// Of all bytes of `range`.
  package var crc32: UInt32

  /// Takes the checksum's word for the bytes.
  package init(_ range: ByteRange, crc32: UInt32) {
    self.range = range
    self.crc32 = crc32
  }
}

/// Which bytes of the file are here, with a checksum for each piece.
///
/// Touching segments merge, but never across a multiple of the block size: one checksum covers one block at most, so
/// that a damaged block alone is fetched again. `claims` merges farther, where a manifest must stay small.
package struct SegmentLedger: Sendable {
  /// Combines the CRC-32 of two touching ranges, given the length of the second (zlib's `crc32_combine`).
  package typealias Combine = @Sendable (UInt32, UInt32, Int64) -> UInt32

  /// A power of two, in bytes.
  package let blockSize: Int64
  /// Bytes that are here.
  package private(set) var done: Int64 = 0
  private let combine: Combine
  /// For each block its segments, ascending and disjoint.
  private var blocks: [Int: [Segment]] = [:]
  /// Segments that cross blocks' borders: a manifest that had little room for them joined some.
  private var long: [Segment] = []

  /// The most blocks that a file of known length is cut into.
  package static let mostBlocks: Int64 = 1024

  /// `length` nil: the length is not known, and all is one block.
  package init(length: Int64?, combine: @escaping Combine) {
    blockSize = Self.blockSize(forLength: length)
    self.combine = combine
  }

  /// The smallest power of two, at least 1 MiB, that cuts the file into at most 1,024 blocks.
  package static func blockSize(forLength length: Int64?) -> Int64 {
    guard let length else { return 1 << 62 }
    var size: Int64 = 1 << 20
    while size < (1 << 62), (length - 1) / size + 1 > mostBlocks { size <<= 1 }
    return size
  }

  /// The end of the block that holds an offset.
  package func blockEnd(after offset: Int64) -> Int64 { blockRange(Int(offset / blockSize)).end }

  private func blockRange(_ block: Int) -> ByteRange {
    let start = Int64(block) * blockSize
    let (end, overflows) = start.addingReportingOverflow(blockSize)
    return ByteRange(start, overflows ? .max : end)
  }

  /// Adds a segment. What it overlaps was written over: the checksums of that say nothing any more, and it is forgotten.
  package mutating func add(_ segment: Segment) {
    guard !segment.range.isEmpty else { return }
    let block = Int(segment.range.start / blockSize)
    guard segment.range.end <= blockRange(block).end else { return addLong(segment) }
    if !long.isEmpty { done -= Self.remove(overlapping: segment.range, from: &long) }
    done -= Self.remove(overlapping: segment.range, from: &blocks[block, default: []])
    Self.insert(segment, into: &blocks[block, default: []], combine)
    done += segment.range.count
  }

  private mutating func addLong(_ segment: Segment) {
    _ = remove(overlapping: segment.range)
    long.insert(segment, at: long.partitionPoint { $0.range.start >= segment.range.start })
    done += segment.range.count
  }

  /// Returns how many bytes were forgotten.
  private static func remove(overlapping range: ByteRange, from segments: inout [Segment]) -> Int64 {
    let low = segments.partitionPoint { $0.range.end > range.start }
    let high = segments.partitionPoint { $0.range.start >= range.end }
    guard low < high else { return 0 }
    defer { segments.removeSubrange(low..<high) }
    return segments[low..<high].reduce(0) { $0 + $1.range.count }
  }

  private static func insert(_ segment: Segment, into segments: inout [Segment], _ combine: Combine) {
    let index = segments.partitionPoint { $0.range.start >= segment.range.start }
    segments.insert(segment, at: index)
    // With those that touch it, on both sides.
    join(&segments, at: index, combine)
    join(&segments, at: index - 1, combine)
  }

  /// Merges the segments at `index` and behind it, if they touch.
  private static func join(_ segments: inout [Segment], at index: Int, _ combine: Combine) {
    guard index >= 0, index + 1 < segments.count else { return }
    let (left, right) = (segments[index], segments[index + 1])
    guard left.range.end == right.range.start else { return }
    let crc = combine(left.crc32, right.crc32, right.range.count)
    segments[index] = Segment(ByteRange(left.range.start, right.range.end), crc32: crc)
    segments.remove(at: index + 1)
  }

  /// Forgets every segment that overlaps a range, and returns what was forgotten.
  package mutating func remove(overlapping range: ByteRange) -> [ByteRange] {
    guard !range.isEmpty else { return [] }
    var removed: [ByteRange] = []
    for block in blocks.keys where blockRange(block).overlaps(range) {
      removed += blocks[block]!.filter { $0.range.overlaps(range) }.map(\.range)
      blocks[block]!.removeAll { $0.range.overlaps(range) }
    }
    removed += long.filter { $0.range.overlaps(range) }.map(\.range)
    long.removeAll { $0.range.overlaps(range) }
    done -= removed.reduce(0) { $0 + $1.count }
    return removed.sorted { $0.start < $1.start }
  }

  /// All segments, ascending.
  package var segments: [Segment] {
    let short = blocks.keys.sorted().flatMap { blocks[$0]! }
    return long.isEmpty ? short : (short + long).sorted { $0.range.start < $1.range.start }
  }

  /// Calls `body` with the range of each segment, in no order and without making a list of them.
  package func forEachRange(_ body: (ByteRange) -> Void) {
    for segments in blocks.values {
      for segment in segments { body(segment.range) }
    }
    for segment in long { body(segment.range) }
  }

  /// At most `most` segments, ascending, that stand for as much of what is here as so few can: touching ones are
  /// joined, in blocks as much larger as it takes; where that is not enough, the shortest are left out.
  package func claims(atMost most: Int) -> [Segment] {
    var claims = segments
    var size = blockSize
    while claims.count > most, size < 1 << 62 {
      size <<= 1
      claims = Self.join(claims, inBlocksOf: size, combine)
    }
    guard claims.count > most else { return claims }
    return claims.sorted { $0.range.count > $1.range.count }.prefix(most).sorted { $0.range.start < $1.range.start }
  }

  private static func join(_ segments: [Segment], inBlocksOf size: Int64, _ combine: Combine) -> [Segment] {
    segments.reduce(into: []) { joined, next in
      guard let last = joined.last, last.range.end == next.range.start,
        last.range.start / size == (next.range.end - 1) / size
      else { return joined.append(next) }
      let crc = combine(last.crc32, next.crc32, next.range.count)
      joined[joined.count - 1] = Segment(ByteRange(last.range.start, next.range.end), crc32: crc)
    }
  }

  /// The bytes that are here.
  package var covered: ByteRangeSet {
    var set = ByteRangeSet()
    for segment in segments { set.insert(segment.range) }
    return set
  }

  /// How far the file is here without a gap from `offset` on; `offset` itself where the byte there is missing.
  package func contiguousEnd(from offset: Int64) -> Int64 {
    var end = offset
    while let segment = segment(holding: end) { end = segment.range.end }
    return end
  }

  private func segment(holding offset: Int64) -> Segment? {
    Self.segment(holding: offset, in: blocks[Int(offset / blockSize)] ?? []) ?? Self.segment(holding: offset, in: long)
  }

  private static func segment(holding offset: Int64, in segments: [Segment]) -> Segment? {
    let index = segments.partitionPoint { $0.range.end > offset }
    return index < segments.count && segments[index].range.contains(offset) ? segments[index] : nil
  }
}
