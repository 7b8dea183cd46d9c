import DownloadCore
import Testing

/// Against a map with a flag for each byte.
@Suite struct ByteRangeSetTests {
  private static let size = 64

  private func ranges(_ flags: [Bool]) -> [ByteRange] {
    var ranges: [ByteRange] = []
    for (index, isSet) in flags.enumerated() where isSet {
      let offset = Int64(index)
      if ranges.last?.end == offset {
        ranges[ranges.count - 1].end += 1
      } else {
        ranges.append(ByteRange(offset, offset + 1))
      }
    }
    return ranges
  }

  private func randomRange(_ random: inout SeededGenerator) -> ByteRange {
    let start = Int64.random(in: 0...Int64(Self.size), using: &random)
    return ByteRange(start, min(Int64(Self.size), start + .random(in: 0...12, using: &random)))
  }

  @Test(arguments: 0..<20)
  func doesWhatAMapDoes(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var set = ByteRangeSet()
    var flags = Array(repeating: false, count: Self.size)
    for _ in 0..<200 {
      let range = randomRange(&random)
      let isInsertion = Bool.random(using: &random)
      if isInsertion { set.insert(range) } else { set.remove(range) }
      for offset in range.start..<range.end { flags[Int(offset)] = isInsertion }
      #expect(set.ranges == ranges(flags))
      #expect(set.count == Int64(flags.count { $0 }) && set.isEmpty == !flags.contains(true))
      #expect(set.first == ranges(flags).first)
      let whole = randomRange(&random)
      let inverse = flags.indices.map { whole.contains(Int64($0)) && !flags[$0] }
      #expect(set.gaps(in: whole).ranges == ranges(inverse))
      #expect(flags.indices.allSatisfy { set.contains(Int64($0)) == flags[$0] })
    }
  }

  @Test func holdsTheLargestOffsets() {
    var set = ByteRangeSet(ByteRange(0, unknownEnd))
    #expect(set.count == .max && set.contains(.max - 1) && !set.contains(.max))
    set.remove(ByteRange(5, unknownEnd - 5))
    #expect(set.ranges == [ByteRange(0, 5), ByteRange(unknownEnd - 5, unknownEnd)] && set.count == 10)
    set.insert(ByteRange(0, unknownEnd))
    #expect(set.ranges.count == 1)
    #expect(ByteRangeSet().gaps(in: ByteRange(3, unknownEnd)).count == .max - 3)
  }
}
