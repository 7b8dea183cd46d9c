import DownloadCore
import Testing

/// The ranges that are guessed before anything is known.
@Suite struct EarlyRangesTests {
  private static let usualSplit: Int64 = 64 << 10
  private static let splits: [Int64] = [1, usualSplit, 288 << 10, 300_001, mebi, 64 * mebi, 1 << 40, .max]

  @Test(arguments: splits)
  func followEachOtherWithoutGapOrOverlap(minimumSplit: Int64) throws {
    let ranges = EarlyRanges.ranges(EarlyRanges.most, minimumSplit: minimumSplit)
    #expect(ranges.count == EarlyRanges.most)
    // The first GET's own share comes before them.
    let first = try #require(ranges.first)
    #expect(first.start >= min(minimumSplit, 1 << 40) && first.start > 0)
    for (range, next) in zip(ranges, ranges.dropFirst()) {
      #expect(range.end == next.start)
      #expect(next.count >= range.count)
    }
    #expect(ranges.allSatisfy { $0.count >= min(minimumSplit, 1 << 40) })
  }

  /// Close together at the beginning, where every file has bytes, and a file of some MiB is all asked for.
  @Test func areShortAtFirst() {
    let ranges = EarlyRanges.ranges(EarlyRanges.most, minimumSplit: Self.usualSplit)
    #expect(ranges.prefix(7).allSatisfy { $0.count == 288 << 10 })
    #expect(ranges.first?.start == 288 << 10)
    #expect(ranges.last?.count == 4 * mebi)
    #expect(ranges.last?.end == 11 * mebi)
  }

  @Test func areNeverMoreThanAskedForNorThanTheMost() {
    for count in [-1, 0, 1, 5, 14] {
      #expect(EarlyRanges.ranges(count, minimumSplit: 1).count == max(0, count))
    }
    #expect(EarlyRanges.ranges(1000, minimumSplit: 1).count == EarlyRanges.most)
  }

  /// HEAD and the first GET have a connection each: no more than so many in all.
  @Test(arguments: [1, 2, 3, 4, 16, 64])
  func keepToTheNumberOfConnections(_ count: Int) {
    for seconds in [0.01, 0.1, 1, 100] {
      let early = EarlyRanges.count(.fixed(count), after: seconds)
      #expect(early == max(0, min(EarlyRanges.most, count - 2)))
    }
    #expect(EarlyRanges.count(.fixed(count), after: 0.009) == 0)
  }

  @Test func automaticAsksForMoreTheLongerThePath() {
    let counts = stride(from: 0.0, to: 0.2, by: 0.001).map { EarlyRanges.count(.automatic, after: $0) }
    #expect(counts.first == 0 && counts == counts.sorted())
    #expect(counts.last == min(EarlyRanges.most, ConnectionLimit.automaticMost - 2))
    #expect(EarlyRanges.count(.automatic, after: 0.01) == 0)
    // A minute without a connection is no reason for a number that does not exist.
    #expect(EarlyRanges.count(.automatic, after: 60) == counts.last)
  }
}
