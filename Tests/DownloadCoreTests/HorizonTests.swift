import DownloadCore
import Testing

/// Ranges that are given out no farther ahead of a reader than a window.
@Suite struct HorizonTests {
  private static func scheduler(
    _ length: Int64, window: Int64, limit: Int, minimumSplit: Int64 = 64 << 10
  ) -> RangeScheduler {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, length)), limit: .fixed(limit), minimumSplit: minimumSplit, stallTime: 10,
      inOrder: true)
    scheduler.keep(within: ByteCount(window))
    return scheduler
  }

  private static func starts(_ actions: [RangeScheduler.Action]) -> [(slot: Int, range: ByteRange)] {
    actions.compactMap { if case .start(let slot, let range) = $0 { (slot, range) } else { nil } }
  }

  private static func finish(_ slot: Int, _ range: ByteRange, _ scheduler: inout RangeScheduler, at now: Double) {
    scheduler.requested(slot, at: now)
    scheduler.answered(slot, at: now)
    scheduler.received(slot, range.count, at: now)
    scheduler.finished(slot, at: now)
  }

  @Test(arguments: [1 << 16, 1 << 17, 1 << 20, 5_000_001, 1 << 26] as [Int64], [2, 3, 8, 64])
  func nothingBeyondItAndEverythingAtLast(window: Int64, limit: Int) {
    let length: Int64 = 100_000_001
    var scheduler = Self.scheduler(length, window: window, limit: limit)
    var (passed, here, now, count) = (Int64(0), ByteRangeSet(), 0.0, 0)
    var active: [(slot: Int, range: ByteRange)] = []
    while !scheduler.isComplete, count < 20_000 {
      now += 0.1
      for action in scheduler.next(at: now) {
        switch action {
        case .start(let slot, let range): active.append((slot, range))
        case .shorten(let slot, let end), .extend(let slot, let end):
          guard let index = active.firstIndex(where: { $0.slot == slot }) else { continue }
          active[index].range = ByteRange(active[index].range.start, end)
        case .stop(let slot, _): active.removeAll { $0.slot == slot }
        }
      }
      // A quarter more waits with the server.
      #expect(active.allSatisfy { $0.range.end <= passed + window + window / 4 })
      // The reader has all that is here without a gap; else the oldest range comes next.
      if let first = active.first {
        active.removeFirst()
        Self.finish(first.slot, first.range, &scheduler, at: now)
        here.insert(first.range)
        count += 1
      }
      let prefix = here.ranges.first.map { $0.start == 0 ? $0.end : 0 } ?? 0
      passed = prefix
      scheduler.readerPassed(passed, of: prefix)
    }
    #expect(here == ByteRangeSet(ByteRange(0, length)))
    // Each is worth a request.
    let least = min(window / 4, max(64 << 10, window * 3 / 16 / Int64(limit)))
    #expect(Int64(count) <= length / least + 3 * Int64(limit) + 40)
  }

  @Test func aReaderThatStandsStillIsWaitedFor() {
    var scheduler = Self.scheduler(100 << 20, window: 1 << 20, limit: 4)
    var prefix: Int64 = 0
    var active = Self.starts(scheduler.next(at: 0))
    #expect(!active.isEmpty && !scheduler.waitsForReader)
    var now = 0.0
    while !active.isEmpty {
      now += 0.1
      for (slot, range) in active {
        Self.finish(slot, range, &scheduler, at: now)
        prefix = max(prefix, range.end)
      }
      scheduler.readerPassed(0, of: prefix)
      active = Self.starts(scheduler.next(at: now))
    }
    #expect(prefix <= 5 << 18 && scheduler.waitsForReader)
    #expect(scheduler.next(at: now + 1000).isEmpty)
    scheduler.readerPassed(prefix, of: prefix)
    #expect(!scheduler.waitsForReader && !scheduler.next(at: now + 1000.1).isEmpty)
  }

  /// A server that is silent is no slow reader.
  @Test func aServerThatStandsStillIsNotExcused() {
    var scheduler = Self.scheduler(100 << 20, window: 1 << 20, limit: 2)
    _ = scheduler.next(at: 0)
    scheduler.readerPassed(0, of: 0)
    #expect(!scheduler.waitsForReader)
  }

  /// Each request would cost a round trip.
  @Test func oneConnectionAloneIsAskedForAllAtOnce() {
    var scheduler = Self.scheduler(100 << 20, window: 1 << 20, limit: 1)
    #expect(Self.starts(scheduler.next(at: 0)).map(\.range) == [ByteRange(0, 100 << 20)])
  }

  /// Where all else is here up to the window's end, who is idle takes from what the reader waits for.
  @Test func theFrontIsTakenFromFirst() throws {
    var scheduler = Self.scheduler(100 << 20, window: 8 << 20, limit: 4)
    let first = Self.starts(scheduler.next(at: 0))
    #expect(first.count == 4)
    for (slot, _) in first { scheduler.requested(slot, at: 0.01) }
    for (slot, _) in first { scheduler.answered(slot, at: 0.05) }
    var (now, front) = (0.05, first[0])
    var stolen: ByteRange?
    var others = Array(first.dropFirst())
    for _ in 0..<200 where stolen == nil {
      now += 0.1
      scheduler.received(front.slot, 1000, at: now)
      for (slot, range) in others {
        scheduler.received(slot, range.count, at: now)
        scheduler.finished(slot, at: now)
      }
      others = []
      scheduler.readerPassed(0, of: 0)
      for action in scheduler.next(at: now) {
        guard case .start(let slot, let range) = action else { continue }
        scheduler.requested(slot, at: now)
        scheduler.answered(slot, at: now)
        if front.range.contains(range.start) { stolen = range } else { others.append((slot, range)) }
      }
    }
    front.range = first[0].range
    let taken = try #require(stolen)
    #expect(taken.end <= front.range.end)
  }

  /// A file of this machine cannot be held back: none of it is asked for that the window does not hold.
  @Test func whatCannotWaitIsNotAskedForAhead() {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 100 << 20)), limit: .fixed(4), minimumSplit: 1, stallTime: 10, inOrder: true)
    scheduler.keep(within: ByteCount(1 << 20), canWait: false)
    #expect(Self.starts(scheduler.next(at: 0)).allSatisfy { $0.range.end <= 1 << 20 })
    #expect(scheduler.horizon?.offset == 1 << 20)
  }

  /// Four connections of which the first has the front and falls silent with a megabyte to come, until `silence`; the others
  /// go on as fast as they are asked to. What is done about the front, and when. `rate`: that of the front until then, in
  /// bytes for each twentieth of a second.
  private static func silentFront(
    until silence: Double, rate: Int64 = 500_000
  ) -> (scheduler: RangeScheduler, actions: [RangeScheduler.Action]) {
    var scheduler = Self.scheduler(400 << 20, window: 64 << 20, limit: 4)
    let first = starts(scheduler.next(at: 0))
    for (slot, _) in first { scheduler.requested(slot, at: 0.05) }
    for (slot, _) in first { scheduler.answered(slot, at: 0.1) }
    var (now, under, asked) = (0.1, first, [Int]())
    // Nearly ten megabytes a second each.
    while now < silence {
      now += 0.05
      for slot in asked { scheduler.answered(slot, at: now) }
      for (slot, range) in under where !asked.contains(slot) {
        guard let active = scheduler.active[slot] else { continue }
        let isFront = range == first[0].range
        let most = isFront ? max(0, range.count - 1_000_000 - (active.position - range.start)) : active.remaining
        let count = min(isFront ? rate : 500_000 - Int64(slot) * 10_000, most)
        if count > 0 { scheduler.received(slot, count, at: now) }
        if scheduler.active[slot]!.remaining == 0 { scheduler.finished(slot, at: now) }
      }
      let actions = scheduler.next(at: now)
      for case (let index, .shorten(first[0].slot, _)) in actions.enumerated() {
        return (scheduler, Array(actions[index...]))
      }
      asked = starts(actions).map(\.slot)
      for (slot, range) in starts(actions) {
        scheduler.requested(slot, at: now)
        under.removeAll { $0.slot == slot }
        under.append((slot, range))
      }
    }
    return (scheduler, [])
  }

  /// The reader would have nothing to read: a connection that is ready fetches the front anew, and what the silent one will
  /// bring after all is thrown away, so that it can be used again.
  @Test func aSilentFrontIsFetchedAnew() throws {
    let (scheduler, actions) = Self.silentFront(until: 30)
    #expect(actions.count == 2)
    guard case .shorten(let victim, let end)? = actions.first else { throw Missing() }
    let start = try #require(Self.starts(actions).first)
    let left = try #require(scheduler.active[victim])
    #expect(left.end == end && left.drains && start.slot != victim && start.range.start == end)
    #expect(left.start == 0 && start.range.end == left.reach)
  }

  /// The reader would have to wait for a front that is slow: it keeps its connection, though reading what is behind takes
  /// longer than a new one.
  @Test func aSlowFrontKeepsItsConnection() throws {
    let (scheduler, actions) = Self.silentFront(until: 30, rate: 100_000)
    guard case .shorten(let victim, let end)? = actions.first else { throw Missing() }
    let left = try #require(scheduler.active[victim])
    // Much more than what would come in the time that another connection takes to be answered.
    #expect(left.drains && left.reach - end > 1_000_000, "\(left)")
    #expect(end > left.position && Self.starts(actions).first?.range == ByteRange(end, left.reach))
  }

  @Test func shortSilenceIsBorne() {
    let (scheduler, actions) = Self.silentFront(until: 1.4)
    #expect(actions.isEmpty && scheduler.active.values.contains { $0.start == 0 && $0.remaining == 1_000_000 })
  }

  private struct Missing: Error {}

  /// Who drains is let go of when nothing comes any more: nothing of it is missing.
  @Test func aStallWhileDrainingCostsNothing() throws {
    var (scheduler, actions) = Self.silentFront(until: 30)
    guard case .shorten(let victim, _)? = actions.first else { throw Missing() }
    scheduler.received(victim, scheduler.active[victim]!.remaining, at: 10)
    let missing = scheduler.missing
    let now = 1000.0
    for slot in scheduler.active.keys where slot != victim { scheduler.heard(slot, at: now) }
    actions = scheduler.next(at: now)
    #expect(actions.contains(.stop(victim, .overtaken)))
    #expect(scheduler.missing.ranges.allSatisfy { missing.ranges.contains($0) || $0.start >= missing.first!.start })
  }

  /// A link that is good for one request alone brings all of it, though the rest is beyond the window.
  @Test func whatIsBeyondIsCutOffWhenOthersCome() {
    var scheduler = Self.scheduler(100 << 20, window: 1 << 20, limit: 4)
    scheduler.adopt(0, range: ByteRange(0, 100 << 20), at: 0)
    let actions = scheduler.next(at: 0.1)
    let ends = actions.compactMap { if case .shorten(0, let end) = $0 { end } else { nil as Int64? } }
    #expect(ends.allSatisfy { $0 <= 5 << 18 } && !ends.isEmpty)
    #expect(Self.starts(actions).allSatisfy { $0.range.end <= 5 << 18 })
  }
}
