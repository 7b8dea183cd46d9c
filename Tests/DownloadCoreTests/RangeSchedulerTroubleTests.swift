import DownloadCore
import Testing

/// What happens when connections and servers do not do as they should.
@Suite struct RangeSchedulerTroubleTests {
  @Test func aStalledConnectionIsReplacedAtTheStallTime() throws {
    var network = NetworkSimulator(length: 64 * mebi, limit: .fixed(1), stallTime: 6)
    network.link = { $0 == 0 ? SimulatedLink(later: (3, 0)) : SimulatedLink() }
    let record = try finish(&network, 64 * mebi)
    #expect(record.stops.map(\.reason) == [.stalled])
    #expect(abs(record.stops[0].time - 9.05) < 0.15)
    #expect(record.end! < 16 + 6 + 0.5)
  }

  @Test func oneStalledOfFourCostsNoTime() throws {
    var network = NetworkSimulator(length: 128 * mebi, limit: .fixed(4))
    network.link = { $0 == 1 ? SimulatedLink(later: (1, 0)) : SimulatedLink() }
    let record = try finish(&network, 128 * mebi)
    #expect(record.end! < 8 * 1.3 + 0.5)
  }

  @Test func aSilentOneAtTheEndIsNotWaitedForLong() throws {
    var network = NetworkSimulator(length: 16 * mebi, limit: .fixed(4))
    network.link = { $0 == 3 ? SimulatedLink(later: (0.9, 0)) : SimulatedLink() }
    #expect(try finish(&network, 16 * mebi).end! < 2.5)
  }

  /// What an earlier answer has left on a connection says nothing of the server: it is asked again at once, however often.
  /// Failures of its own make the waits longer.
  @Test(arguments: [RangeScheduler.Trouble.leftOver, .transient]) func whatWasLeftIsNoFailure(
    trouble: RangeScheduler.Trouble
  ) {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 8 * mebi)), limit: .fixed(2), minimumSplit: 64 << 10, stallTime: 10)
    var (now, asked) = (0.0, 0)
    for _ in 0..<20 {
      let slots = scheduler.next(at: now).compactMap { if case .start(let slot, _) = $0 { slot } else { nil } }
      asked += slots.count
      for slot in slots {
        scheduler.requested(slot, at: now)
        scheduler.failed(slot, trouble, random: 0.5, at: now)
      }
      now += 0.06
    }
    #expect(trouble == .leftOver ? asked == 40 : asked < 12, "\(asked)")
    #expect(scheduler.missing.count == 8 * mebi)
  }

  @Test func aHeadThatDripsIsStopped() throws {
    var network = NetworkSimulator(length: 8 * mebi, limit: .fixed(1), stallTime: 4)
    network.link = { SimulatedLink(dripsHead: $0 == 0) }
    let record = try finish(&network, 8 * mebi)
    #expect(record.stops.map(\.reason) == [.stalled])
    #expect(abs(record.stops[0].time - 12.07) < 0.2)
  }

  @Test func makingAConnectionIsNoStall() {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, mebi)), limit: .fixed(1), minimumSplit: 1, stallTime: 5)
    #expect(scheduler.next(at: 0).count == 1)
    #expect(scheduler.next(at: 14).isEmpty)
    scheduler.requested(0, at: 14)
    #expect(scheduler.next(at: 18.9).isEmpty)
    scheduler.heard(0, at: 18.9)
    #expect(scheduler.next(at: 23.8).isEmpty)
    #expect(scheduler.next(at: 23.9).first == .stop(0, .stalled))
  }

  @Test func waitingIsNoStall() {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, mebi)), limit: .fixed(2), minimumSplit: 1, stallTime: 5)
    #expect(scheduler.next(at: 0).count == 2)
    for slot in 0..<2 { scheduler.failed(slot, .slowDown(retryAfter: 60), random: 0, at: 1) }
    #expect(scheduler.quietUntil == 61 && scheduler.isWaiting(at: 60.9) && !scheduler.isWaiting(at: 61))
    for time in stride(from: 1.0, to: 61, by: 0.5) { #expect(scheduler.next(at: time).isEmpty) }
    #expect(scheduler.next(at: 61).count == 1)
    #expect(scheduler.remaining == mebi)
  }

  @Test(arguments: [4, 8, 64], [nil, 0, 1] as [Double?])
  func aLimitOfTwoIsFoundAtOnce(_ count: Int, _ retryAfter: Double?) throws {
    var network = NetworkSimulator(length: 512 * mebi, limit: .fixed(count))
    network.trouble = { _, open in open > 2 ? .slowDown(retryAfter: retryAfter) : nil }
    let record = try finish(&network, 512 * mebi)
    // Those of the first moment, and one for each time that it asks whether more may be had now.
    #expect(record.refusals <= count - 2 + 4)
    #expect(record.end! <= 64 * 1.05)
  }

  @Test func aRefusalThatPassesIsForgotten() throws {
    var network = NetworkSimulator(length: 2048 * mebi, limit: .fixed(8))
    network.trouble = { now, open in now < 5 && open > 2 ? .slowDown(retryAfter: nil) : nil }
    let record = try finish(&network, 2048 * mebi)
    #expect(record.refusals <= 8)
    #expect(record.end! < 110)
  }

  @Test(
    arguments: [1, 4, 64] as [Int],
    [.transient, .slowDown(retryAfter: nil), .slowDown(retryAfter: 0), .immediate] as [RangeScheduler.Trouble])
  func aServerThatAlwaysFailsIsAskedLessAndLess(_ count: Int, _ trouble: RangeScheduler.Trouble) {
    var network = NetworkSimulator(length: 512 * mebi, limit: .fixed(count))
    network.trouble = { _, _ in trouble }
    let record = network.run(until: 60)
    #expect(record.problems.isEmpty)
    // Two or three rounds of all, then one at a time: 1, 2, 4, 8, 16 s and more apart.
    #expect(record.starts.count <= (trouble == .immediate ? 4 : 2) * count + 12)
    #expect(record.starts.count { $0.time > 20 } <= 3)
    #expect(record.starts.count { $0.time > 5 } >= 2)
  }

  @Test func aServerThatComesBackIsUsedByAllAtOnce() throws {
    var network = NetworkSimulator(length: 128 * mebi, limit: .fixed(8))
    network.trouble = { now, _ in now < 5 ? .transient : nil }
    let record = try finish(&network, 128 * mebi)
    #expect(record.end! < 5 + 5 + 4.5)
    #expect(record.mostActive == 8)
  }

  @Test func oneByteIsNoProgress() {
    var network = NetworkSimulator(length: mebi, limit: .fixed(4))
    network.link = { _ in SimulatedLink(breaksAfter: 1) }
    let record = network.run(until: 60)
    #expect(record.starts.count <= 24)
  }

  @Test func connectionsThatBreakOftenStillFinish() throws {
    var network = NetworkSimulator(length: 10 * mebi, limit: .fixed(4))
    network.link = { _ in SimulatedLink(breaksAfter: 64 << 10) }
    #expect(try finish(&network, 10 * mebi).end! < 40)
  }

  /// Each try brings something, however little: no pause grows.
  @Test(arguments: [600, 1_000, 4_000] as [Int64], [1, 4]) func littleIsProgress(bytes: Int64, count: Int) throws {
    var network = NetworkSimulator(length: 40 * bytes, limit: .fixed(count), minimumSplit: 1)
    network.link = { _ in SimulatedLink(breaksAfter: bytes) }
    let record = try finish(&network, 40 * bytes)
    let times = record.starts.map(\.time)
    for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier < 1) }
  }

  /// Extra connections are reset: no spare slot takes the place of one that waits.
  @Test func resetsOfTheExtraConnectionsAreNotRepeatedWithoutEnd() throws {
    var network = NetworkSimulator(length: 512 * mebi, limit: .fixed(8))
    network.trouble = { _, open in open > 4 ? .transient : nil }
    let record = try finish(&network, 512 * mebi)
    #expect(record.end! <= 32 * 1.1)
    #expect(record.refusals <= 40)
  }

  @Test func aServerWithFewAnswersInTimeIsNotAskedAgainAndAgain() throws {
    for length in [50_000, 100_000, 300_000, 5_000_000] as [Int64] {
      var network = NetworkSimulator(length: length, limit: .fixed(8))
      network.link = { _ in SimulatedLink(latency: 5) }
      let record = try finish(&network, length)
      #expect(record.starts.count <= 8 && record.stops.isEmpty)
      #expect(record.end! < 6)
    }
  }

  /// Fast at first, so that rates are known; then each answer takes 5 s.
  @Test func answersThatBecomeSlowAreWaitedFor() throws {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 100_000)), limit: .fixed(8), minimumSplit: 65536, stallTime: 10)
    var (now, starts, requests) = (0.0, 0, [Int: Double]())
    let warmUp = ByteRange(1 << 30, 1 << 30 + 4 * mebi)
    scheduler.adopt(7, range: warmUp, at: 0)
    for index in 0..<4 { scheduler.received(7, mebi, at: Double(index) * 0.25 + 0.25) }
    scheduler.finished(7, at: 1)
    while !scheduler.isComplete, now < 120 {
      now += 0.1
      for (slot, began) in requests where now - began >= 5 {
        scheduler.answered(slot, at: now)
        scheduler.received(slot, scheduler.active[slot]!.remaining, at: now)
        scheduler.finished(slot, at: now)
        requests[slot] = nil
      }
      for action in scheduler.next(at: now) {
        switch action {
        case .start(let slot, _):
          starts += 1
          requests[slot] = now
          scheduler.requested(slot, at: now)
        case .stop(let slot, _): requests[slot] = nil
        case .shorten, .extend: break
        }
      }
    }
    #expect(now < 20 && starts <= 3)
  }

  /// Slot 0 is known to be slow; slot 1 takes over from slot 2 all the same, and nobody from anybody without end.
  @Test func aSlowIdleConnectionIsNotInTheWay() {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 32 * mebi)), limit: .fixed(3), minimumSplit: 65536, stallTime: 10)
    for (slot, rate) in [1000, mebi, mebi].enumerated() {
      scheduler.adopt(slot, range: ByteRange(Int64(slot) * mebi, Int64(slot + 1) * mebi), at: 0)
      for time in [0, 0.5] { scheduler.received(slot, rate / 4, at: time) }
    }
    scheduler.lost(ByteRange(3 * mebi, 4 * mebi))
    for slot in 0..<2 { scheduler.finished(slot, at: 1) }
    scheduler.answered(2, at: 1)
    let starts = scheduler.next(at: 1).compactMap { action -> Int? in
      if case .start(let slot, _) = action { slot } else { nil }
    }
    #expect(starts.first == 1 && Set(starts).count == starts.count)
  }

  @Test func shortAnswersAreGoneOnFrom() throws {
    var network = NetworkSimulator(length: 10 * mebi + 1, limit: .fixed(4))
    network.link = { _ in SimulatedLink(slice: 16 << 10) }
    let record = try finish(&network, 10 * mebi + 1)
    #expect(record.starts.count <= 660)
    // The last rest may be shared before its answer tells that it is short as well.
    #expect(record.stops.isEmpty && record.shortened <= 3)
  }
}

/// One body from the beginning.
@Suite struct StreamSchedulerTests {
  @Test func isOneRequest() throws {
    var network = NetworkSimulator(stream: ByteRange(0, 64 * mebi))
    #expect(try finish(&network, 64 * mebi).starts.map(\.range) == [ByteRange(0, 64 * mebi)])
  }

  @Test func beginsAgainAfterAFailure() throws {
    var network = NetworkSimulator(stream: ByteRange(0, 8 * mebi))
    network.link = { SimulatedLink(breaksAfter: $0 < 2 ? 3 * mebi : .max) }
    let record = try finish(&network, 8 * mebi)
    #expect(record.starts.map(\.range) == Array(repeating: ByteRange(0, 8 * mebi), count: 3))
  }

  @Test func endsWhereverItEnds() {
    let whole = ByteRange(0, unknownEnd)
    var scheduler = RangeScheduler(stream: whole, stallTime: 10)
    #expect(scheduler.isStream && scheduler.remaining == .max)
    #expect(scheduler.next(at: 0) == [.start(0, whole)])
    scheduler.requested(0, at: 0)
    scheduler.answered(0, at: 0.1)
    for index in 1...50 {
      scheduler.received(0, mebi, at: Double(index) * 0.1)
      #expect(scheduler.next(at: Double(index) * 0.1).isEmpty)
    }
    #expect(scheduler.remaining == .max - 50 * mebi)
    #expect(scheduler.next(at: 15) == [.stop(0, .stalled), .start(0, whole)])
    scheduler.failed(0, .transient, random: 0, at: 16)
    #expect(scheduler.missing.count == .max && scheduler.remaining == .max)
    #expect(scheduler.next(at: 16.3) == [.start(0, whole)])
    scheduler.lost(ByteRange(0, 5))
    #expect(scheduler.remaining == .max)
    scheduler.finished(0, at: 17)
    #expect(scheduler.isComplete)
    scheduler.lost(ByteRange(0, 5))
    #expect(scheduler.next(at: 18) == [.start(0, whole)])
  }

  @Test func learnsItsEndFromTheAnswer() {
    var scheduler = RangeScheduler(stream: ByteRange(0, unknownEnd), stallTime: 10)
    _ = scheduler.next(at: 0)
    scheduler.answered(0, end: 1000, at: 0.1)
    #expect(scheduler.missing.isEmpty && scheduler.remaining == 1000)
    scheduler.received(0, 600, at: 0.2)
    scheduler.failed(0, .immediate, random: 0, at: 0.2)
    #expect(scheduler.next(at: 0.3) == [.start(0, ByteRange(0, 1000))])
  }

  @Test func adoptsTheFirstAnswer() {
    var scheduler = RangeScheduler(stream: ByteRange(0, unknownEnd), stallTime: 10)
    scheduler.adopt(0, range: ByteRange(0, 500), at: 1)
    #expect(scheduler.next(at: 1).isEmpty && scheduler.remaining == 500)
    scheduler.received(0, 500, at: 2)
    scheduler.finished(0, at: 2)
    #expect(scheduler.isComplete)
  }
}

/// A stream that took over a response which was under way.
@Suite struct AdoptedStreamTests {
  @Test func beginsAtZeroAgain() {
    var scheduler = RangeScheduler(stream: ByteRange(0, 1000), stallTime: 10)
    scheduler.adopt(0, range: ByteRange(400, 1000), at: 0)
    scheduler.received(0, 100, at: 1)
    scheduler.failed(0, .immediate, random: 0, at: 1)
    #expect(scheduler.missing.ranges == [ByteRange(0, 1000)])
    #expect(scheduler.next(at: 2) == [.start(0, ByteRange(0, 1000))])
    // All of it must come before it is complete.
    scheduler.answered(0, at: 2)
    scheduler.received(0, 600, at: 3)
    #expect(!scheduler.isComplete)
    scheduler.received(0, 400, at: 4)
    scheduler.finished(0, at: 4)
    #expect(scheduler.isComplete)
  }
}
