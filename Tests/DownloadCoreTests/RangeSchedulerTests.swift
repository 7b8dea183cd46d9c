import DownloadCore
import Testing

let mebi: Int64 = 1 << 20
/// Bytes a second.
let mebiRate = 1_048_576.0

/// Runs a network, and checks what must hold for every one.
func finish(
  _ network: inout NetworkSimulator, _ length: Int64, sourceLocation: SourceLocation = #_sourceLocation
) throws -> SimulationRecord {
  let record = network.run()
  #expect(record.isWhole(length), "each byte once", sourceLocation: sourceLocation)
  #expect(record.problems.isEmpty, sourceLocation: sourceLocation)
  try #require(record.end != nil, "it never ended", sourceLocation: sourceLocation)
  return record
}

/// How fast it goes, where nothing is wrong.
@Suite struct RangeSchedulerTests {
  @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 16, 31] as [Int])
  func equalConnectionsEndTogether(_ count: Int) throws {
    let length = 128 * mebi
    var network = NetworkSimulator(length: length, limit: .fixed(count))
    let record = try finish(&network, length)
    let ideal = Double(length) / (4 * mebiRate * Double(count))
    // And a connection's making, an answer, and a look at it all.
    #expect(record.end! <= ideal * 1.06 + 0.15)
    #expect(record.starts.count <= count + 16)
  }

  @Test(arguments: [4 * mebi, 10_000_001, 20 * mebi, 33 * mebi + 5] as [Int64])
  func shortOnesAreSharedEvenly(_ length: Int64) throws {
    var network = NetworkSimulator(length: length, limit: .fixed(8))
    let record = try finish(&network, length)
    #expect(record.end! <= Double(length) / (32 * mebiRate) * 1.1 + 0.15)
    #expect(record.starts.count <= 9)
  }

  @Test func eightAreAlmostEightTimesAsFastAsOne() throws {
    let times = try [1, 8].map { count in
      var network = NetworkSimulator(length: 128 * mebi, limit: .fixed(count))
      let record = try finish(&network, 128 * mebi)
      #expect(record.starts.count <= count + 2)
      return record.end!
    }
    #expect(times[0] / times[1] >= 7.8)
  }

  @Test func sixtyFourShareAGibibyte() throws {
    var network = NetworkSimulator(length: 1024 * mebi, limit: .fixed(64))
    let record = try finish(&network, 1024 * mebi)
    #expect(record.end! <= 4.2)
    #expect(record.starts.count <= 70)
  }

  @Test func oneConnectionAsksOnceForEachGap() throws {
    var network = NetworkSimulator(length: 1024 * mebi, limit: .fixed(1))
    network.link = { _ in SimulatedLink(rate: 50 * mebiRate) }
    #expect(try finish(&network, 1024 * mebi).starts.map(\.range) == [ByteRange(0, 1024 * mebi)])

    var missing = ByteRangeSet(ByteRange(0, 64 * mebi))
    missing.remove(ByteRange(mebi, 2 * mebi))
    missing.remove(ByteRange(40 * mebi, 63 * mebi))
    network = NetworkSimulator(length: 64 * mebi, limit: .fixed(1), missing: missing)
    #expect(try finish(&network, 40 * mebi).starts.map(\.range) == missing.ranges)
  }

  @Test func longOnesComeInOrder() throws {
    let length = 4096 * mebi
    var network = NetworkSimulator(length: length, limit: .fixed(8))
    let half = network.run(until: 64)
    let prefix = try #require(half.received.first)
    #expect(prefix.start == 0 && Double(prefix.end) > 0.6 * Double(half.bytes))
    let record = try finish(&network, length)
    #expect(record.end! <= 128 * 1.05 && record.starts.count <= 200)
  }

  @Test(arguments: 0..<4)
  func aSlowOneCostsLittle(_ slow: Int) throws {
    let length = 128 * mebi
    var network = NetworkSimulator(length: length, limit: .fixed(4))
    network.link = { SimulatedLink(rate: 4 * mebiRate / ($0 == slow ? 100 : 1)) }
    let record = try finish(&network, length)
    #expect(record.end! <= 128 / 12 * 1.05 + 0.2)
    #expect(record.starts.count <= 30)
  }

  @Test(arguments: [4, 16] as [Int])
  func everyFourthSlow(_ count: Int) throws {
    let length = 64 * mebi
    var network = NetworkSimulator(length: length, limit: .fixed(count))
    network.link = { SimulatedLink(rate: $0 % 4 == 3 ? mebiRate / 8 : 2.5 * mebiRate, latency: 0.1) }
    let record = try finish(&network, length)
    #expect(record.end! <= 64 / (2.5 * Double(count) * 0.75) * 1.15 + 0.5)
  }

  @Test func oneThatBecomesSlowIsReplaced() throws {
    let length = 1024 * mebi
    var network = NetworkSimulator(length: length, limit: .fixed(8))
    network.link = { $0 == 2 ? SimulatedLink(later: (2, 20_000)) : SimulatedLink() }
    let record = try finish(&network, length)
    let stop = try #require(record.stops.first)
    #expect(stop.slot == 2 && stop.time < 6)
    #expect(record.end! <= 32 * 1.08)
  }

  @Test func oneOfTwoIsReplacedToo() throws {
    var network = NetworkSimulator(length: 512 * mebi, limit: .fixed(2))
    network.link = { SimulatedLink(rate: $0 == 1 ? 40_000 : 4 * mebiRate) }
    let record = try finish(&network, 512 * mebi)
    #expect(record.end! <= 64 * 1.05 + 2)
    #expect(record.stops.count == 1)
  }

  /// Half as fast as the others is no reason: nobody knows what the next connection would do.
  @Test func unequalOnesAreKept() throws {
    var network = NetworkSimulator(length: 512 * mebi, limit: .fixed(8))
    network.link = { SimulatedLink(rate: mebiRate * Double(1 + $0 % 4)) }
    let record = try finish(&network, 512 * mebi)
    #expect(record.stops.isEmpty)
    #expect(record.end! <= 512 / 20 * 1.05)
  }

  @Test func automaticGrowsWhereEachConnectionIsCapped() throws {
    var network = NetworkSimulator(length: 1024 * mebi, limit: .automatic)
    let record = try finish(&network, 1024 * mebi)
    #expect(record.mostActive == 16)
    #expect(record.end! <= 16 * 1.15)
    #expect(record.starts.first { $0.slot == 4 }!.time < 1)
    #expect(record.starts.first { $0.slot == 8 }!.time < 2)
  }

  @Test func automaticStaysWhereAllShareABottleneck() throws {
    var network = NetworkSimulator(length: 1024 * mebi, limit: .automatic)
    network.capacity = 16 * mebiRate
    network.link = { _ in SimulatedLink(connectTime: 0.01, latency: 0.01) }
    let record = try finish(&network, 1024 * mebi)
    #expect(record.mostActive <= 8)
    #expect(record.end! <= 64 * 1.02)
  }

  @Test func theFirstRequestIsAdopted() {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 8 * mebi)), limit: .fixed(2), minimumSplit: 1, stallTime: 10)
    scheduler.adopt(0, range: ByteRange(0, 4 * mebi), at: 0)
    #expect(scheduler.next(at: 0) == [.start(1, ByteRange(4 * mebi, 8 * mebi))])
    #expect(scheduler.remaining == 8 * mebi)
    scheduler.received(0, mebi, at: 1)
    #expect(scheduler.remaining == 7 * mebi)
  }

  @Test func theFirstRequestKeepsItsShareAlone() {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 64 * mebi)), limit: .fixed(4), minimumSplit: 65536, stallTime: 10)
    scheduler.adopt(0, range: ByteRange(0, 64 * mebi), at: 0)
    scheduler.received(0, 4 * mebi, at: 0)
    let actions = scheduler.next(at: 0)
    // A quarter of what is left, and the half mebibyte by which it is ahead of the others.
    #expect(actions.first == .shorten(0, end: 4 * mebi + 15 * mebi + 384 * 1024))
    #expect(actions.dropFirst().map { if case .start = $0 { true } else { false } } == [true, true, true])
    #expect(scheduler.missing.isEmpty && scheduler.remaining == 60 * mebi)
    #expect(scheduler.next(at: 0.1).isEmpty)

    scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 100_000)), limit: .fixed(4), minimumSplit: 65536, stallTime: 10)
    scheduler.adopt(0, range: ByteRange(0, 100_000), at: 0)
    #expect(scheduler.next(at: 0).isEmpty)
    scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 64 * mebi)), limit: .fixed(1), minimumSplit: 65536, stallTime: 10)
    scheduler.adopt(0, range: ByteRange(0, 64 * mebi), at: 0)
    #expect(scheduler.next(at: 0).isEmpty)
  }

  @Test func lostBytesAreFetchedAgain() {
    var scheduler = RangeScheduler(missing: ByteRangeSet(), limit: .fixed(4), minimumSplit: 1, stallTime: 10)
    #expect(scheduler.isComplete && scheduler.next(at: 0).isEmpty)
    scheduler.lost(ByteRange(5, 7))
    #expect(scheduler.next(at: 1).first == .start(0, ByteRange(5, 6)))
    #expect(!scheduler.isComplete && scheduler.remaining == 2)
  }

  /// A whole body that began as a range in any slot may be the stream.
  @Test func aStreamIsTakenOverInAnySlot() {
    var scheduler = RangeScheduler(stream: ByteRange(0, 1000), stallTime: 10)
    scheduler.adopt(3, range: ByteRange(100, 1000), at: 0)
    scheduler.received(3, 400, at: 1)
    #expect(scheduler.next(at: 1).isEmpty)
    scheduler.failed(3, .transient, random: 0, at: 2)
    guard case .start(_, ByteRange(0, 1000))? = scheduler.next(at: 60).first else {
      Issue.record("the stream is not asked for again")
      return
    }
    #expect(scheduler.next(at: 60).isEmpty)
  }
}
