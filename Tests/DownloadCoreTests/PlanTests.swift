import DownloadCore
import Testing

/// What is fetched, from what is known.
@Suite struct PlanTests {
  private func request(_ connections: ConnectionLimit, minimumSplit: ByteCount = .kibi(64)) -> DownloadRequest {
    var request = DownloadRequest(url: RemoteURL(scheme: "http", host: "h", port: 80, path: "/f"))
    request.connections = connections
    request.minimumSplit = minimumSplit
    return request
  }

  private func resource(_ length: Int64?, offersRanges: Bool = true) -> Resource {
    Resource(url: request(.automatic).url, validator: Validator(length: length), offersRanges: offersRanges)
  }

  /// Whatever the size, the connections and what is here: the first ranges lie in what is missing, share no byte, are
  /// no smaller than they may be, and no more than the connections.
  @Test func firstRangesAreSound() {
    var random = SeededGenerator(seed: 20_261_130)
    for _ in 0..<2000 {
      let length = Int64.random(in: 1...(1 << Int.random(in: 1...45, using: &random)), using: &random)
      let count = Int.random(in: 1...64, using: &random)
      var present = ByteRangeSet()
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let start = Int64.random(in: 0..<length, using: &random)
        present.insert(ByteRange(start, Int64.random(in: start...length, using: &random)))
      }
      let split = ByteCount(Int64.random(in: 1...(1 << 20), using: &random))
      let plan = Plan(resource(length), present: present, for: request(.fixed(count), minimumSplit: split))
      check(plan, length, count, split.bytes, present)
    }
  }

  private func check(_ plan: Plan, _ length: Int64, _ count: Int, _ split: Int64, _ present: ByteRangeSet) {
    #expect(plan.missing == present.gaps(in: ByteRange(0, length)))
    var left = plan.missing
    let ranges = plan.firstRanges
    #expect(ranges.count <= count && ranges.isEmpty == left.isEmpty)
    for range in ranges {
      let gap = left.ranges.first { $0.start <= range.start && range.end <= $0.end }
      guard let gap else {
        Issue.record("\(range) is not missing, or was given out before")
        return
      }
      #expect(range.count >= split || range == gap || range.end == gap.end)
      left.remove(range)
    }
  }

  @Test func shortFilesAreSharedEvenly() {
    let plan = Plan(resource(128 << 20), present: ByteRangeSet(), for: request(.fixed(8)))
    #expect(plan.firstRanges.map(\.count) == Array(repeating: 16 << 20, count: 8))
    #expect(plan.firstRanges.map(\.start) == (0..<8).map { $0 << 24 })
    #expect(plan.mostConnections == 8)
  }

  @Test func oneConnectionGetsItAll() {
    let plan = Plan(resource(5 << 30), present: ByteRangeSet(), for: request(.fixed(1)))
    #expect(plan.firstRanges == [ByteRange(0, 5 << 30)])
  }

  @Test func onlyGapsAreAskedFor() {
    var present = ByteRangeSet(ByteRange(0, 1000))
    present.insert(ByteRange(2000, 3000))
    let plan = Plan(resource(3000), present: present, for: request(.fixed(4)))
    #expect(plan.firstRanges == [ByteRange(1000, 2000)])
    #expect(plan.mostConnections == 1)
  }

  @Test(arguments: [nil, 100 as Int64?]) func withoutRangesItIsOneStream(length: Int64?) {
    let plan = Plan(resource(length, offersRanges: length == nil), present: ByteRangeSet(), for: request(.fixed(8)))
    #expect(plan.isStream && plan.mostConnections == 1)
    #expect(plan.firstRanges == [ByteRange(0, length ?? unknownEnd)])
  }

  @Test func anEmptyFileNeedsNothing() {
    let plan = Plan(resource(0), present: ByteRangeSet(), for: request(.automatic))
    #expect(plan.firstRanges.isEmpty && plan.missing.isEmpty)
  }

  /// A plan is as much work for 1 TiB as for 1 GiB, and so is what the scheduler keeps: the first ranges are no more
  /// than the connections, what is missing stays one range behind them, and what is here is in no more blocks.
  @Test func theSizeDoesNotMatter() {
    for length in [1 << 30, 1 << 40, Manifest.mostLength] {
      let plan = Plan(resource(length), present: ByteRangeSet(), for: request(.fixed(64)))
      #expect(plan.missing.ranges.count == 1)
      #expect(plan.firstRanges.count == 64)
      var scheduler = plan.scheduler()
      #expect(scheduler.next(at: 0).count == 64 && scheduler.next(at: 0).isEmpty)
      #expect(scheduler.missing.ranges.count <= 1 && scheduler.active.count == 64)
      #expect((length - 1) / SegmentLedger.blockSize(forLength: length) + 1 <= SegmentLedger.mostBlocks)
    }
  }
}
