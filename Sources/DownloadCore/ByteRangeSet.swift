/// A set of byte offsets, kept as ascending ranges that neither overlap nor touch.
package struct ByteRangeSet: Hashable, Sendable {
  /// Ascending, none empty, with a gap between each two.
  package private(set) var ranges: [ByteRange] = []

  /// The empty set.
  package init() {}
  /// The bytes of one range, which may be empty.
  package init(_ range: ByteRange) { insert(range) }

  /// Whether it holds no byte.
  package var isEmpty: Bool { ranges.isEmpty }
  /// The number of bytes in all.
  package var count: Int64 { ranges.reduce(0) { $0 + $1.count } }
  /// The range that begins first.
  package var first: ByteRange? { ranges.first }

  /// Adds the bytes of a range; some may be here already.
  package mutating func insert(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    // Everything from the first that ends at or after our start to the last that begins at or before our end merges.
    let low = ranges.partitionPoint { $0.end >= range.start }
    let high = ranges.partitionPoint { $0.start > range.end }
    guard low < high else {
      ranges.insert(range, at: low)
      return
    }
    let merged = ByteRange(min(range.start, ranges[low].start), max(range.end, ranges[high - 1].end))
    ranges.replaceSubrange(low..<high, with: CollectionOfOne(merged))
  }

  /// Takes out the bytes of a range; some may be missing already.
  package mutating func remove(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    let low = ranges.partitionPoint { $0.end > range.start }
    let high = ranges.partitionPoint { $0.start >= range.end }
    guard low < high else { return }
    var kept: [ByteRange] = []
    if ranges[low].start < range.start { kept.append(ByteRange(ranges[low].start, range.start)) }
    if ranges[high - 1].end > range.end { kept.append(ByteRange(range.end, ranges[high - 1].end)) }
    ranges.replaceSubrange(low..<high, with: kept)
  }

  /// Whether the byte at an offset is in the set.
  package func contains(_ offset: Int64) -> Bool {
    let index = ranges.partitionPoint { $0.end > offset }
    return index < ranges.count && ranges[index].contains(offset)
  }

  /// What of `whole` is not in the set.
  package func gaps(in whole: ByteRange) -> ByteRangeSet {
    var missing = ByteRangeSet(whole)
    for range in ranges { missing.remove(range) }
    return missing
  }
}

extension Array {
  /// The index of the first element that satisfies a predicate which, once true, stays true (binary search).
  func partitionPoint(_ isInSecondHalf: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isInSecondHalf(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
