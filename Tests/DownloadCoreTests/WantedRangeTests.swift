import DownloadCore
import Testing

/// Parts of files as they are typed, and how files are cut into them.
@Suite struct WantedRangeTests {
  private func problem(_ text: String) -> WantedRange.Problem? {
    do throws(WantedRange.Problem) {
      _ = try WantedRange(typed: text)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    ("0-0", ByteRange(0, 1)), ("5-9", ByteRange(5, 10)), ("0-9", ByteRange(0, 10)), ("9-", ByteRange(9, 10)),
    ("0-", ByteRange(0, 10)), ("-1", ByteRange(9, 10)), ("-10", ByteRange(0, 10)), ("007-08", ByteRange(7, 9)),
  ]) func readsAndResolves(text: String, range: ByteRange) throws {
    let wanted = try WantedRange(typed: text)
    #expect(wanted.range(in: 10) == range)
    #expect(try WantedRange(typed: wanted.description) == wanted)
  }

  @Test(arguments: ["10-", "10-10", "9-10", "0-10", "-11"]) func isNotInTheFile(text: String) throws {
    #expect(try WantedRange(typed: text).range(in: 10) == nil)
    #expect(try WantedRange(typed: text).range(in: 0) == nil)
  }

  @Test func refusesWhatIsNone() {
    for text in ["", "-", "--", "1", "a-b", "1-2-3", "-1-", "1 -2", "+1-2", "1.0-2", "1k-", "١-٢"] {
      #expect(problem(text) == .malformed, "\(text)")
    }
    #expect(problem("2-1") == .backwards)
    #expect(problem("-0") == .empty)
    for text in ["1152921504606846976-", "0-9223372036854775807", "99999999999999999999-", "-1152921504606846976"] {
      #expect(problem(text) == .tooLarge, "\(text)")
    }
  }

  @Test func whatIsKnownBeforeTheLength() throws {
    #expect(try WantedRange(typed: "5-9").beforeLength == ByteRange(5, 10))
    #expect(try WantedRange(typed: "5-").beforeLength == ByteRange(5, unknownEnd))
    #expect(try WantedRange(typed: "-5").beforeLength == nil)
  }

  @Test(
    arguments: [1, 2, 1000, 65_535, 65_536, 10_000_001, 5_770_313_728, 1 << 60] as [Int64],
    [1, 2, 7, 64, 1000, 100_000])
  func plansCoverTheFile(length: Int64, count: Int) throws {
    guard length >= count else {
      #expect(PartPlan(length: length, parts: count) == nil)
      return
    }
    let plan = try #require(PartPlan(length: length, parts: count))
    var (end, shortest, longest) = (Int64(0), Int64.max, Int64(0))
    for index in 0..<count {
      let range = plan.range(of: index)
      #expect(range.start == end && !range.isEmpty && range.start % plan.step == 0)
      if index < count - 1 { (shortest, longest) = (min(shortest, range.count), max(longest, range.count)) }
      end = range.end
    }
    #expect(end == length && (count == 1 || longest - shortest <= plan.step))
    if length / Int64(count) >= 65_536 { #expect(plan.step % 65_536 == 0) }
  }

  @Test func plansOfNothing() {
    #expect(PartPlan(length: 0, parts: 1) == nil && PartPlan(length: 10, parts: 0) == nil)
    #expect(PartPlan(length: 1 << 40, parts: 100_001) == nil && PartPlan(length: 10, parts: -1) == nil)
  }

  @Test func earlyRangesLieWithin() {
    let wanted = ByteRange(5_000_000, 6_000_000)
    let ranges = EarlyRanges.ranges(EarlyRanges.most, minimumSplit: 64 << 10, in: wanted)
    #expect(!ranges.isEmpty && ranges.allSatisfy { $0.start > wanted.start && $0.end <= wanted.end && !$0.isEmpty })
    #expect(EarlyRanges.ranges(EarlyRanges.most, minimumSplit: 64 << 10, in: ByteRange(5, 10)).isEmpty)
  }
}
