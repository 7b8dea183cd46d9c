import DownloadCore
import Testing

/// Several sources of one file.
struct SeveralSourcesTests {
  private static let megabit = 125_000.0

  private static func scheduler(
    length: Int64 = 64 << 20, _ limit: ConnectionLimit = .fixed(4), mirrors: Int = 1, isOpen: Bool = true
  ) -> RangeScheduler {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, length)), limit: limit, minimumSplit: 64 << 10, stallTime: 10)
    for _ in 0..<mirrors {
      let source = scheduler.addSource(at: 0)
      if isOpen { scheduler.open(source) }
    }
    return scheduler
  }

  private static func starts(_ actions: [RangeScheduler.Action]) -> [(slot: Int, range: ByteRange)] {
    actions.compactMap { if case .start(let slot, let range) = $0 { (slot, range) } else { nil } }
  }

  @Test(arguments: [1, 2, 3, 4, 7, 16, 64]) func allConnectionsAreSharedOut(most: Int) {
    var scheduler = Self.scheduler(length: 1 << 30, .fixed(most), mirrors: 2)
    let slots = Self.starts(scheduler.next(at: 0)).map(\.slot)
    let counts = (0..<3).map { source in slots.count { scheduler.source(of: $0) == source } }
    #expect(slots.count == most && counts.filter { $0 > 0 }.count == min(most, 3), "\(counts)")
    #expect(counts.max()! - counts.min()! <= max(1, most % 3), "\(counts)")
    #expect(scheduler.connectionLimit == most)
  }

  /// It is asked for nothing, and room is kept for it, though not for ever.
  @Test func anAwaitedSourceHasItsPlaces() {
    var scheduler = Self.scheduler(isOpen: false)
    #expect(Self.starts(scheduler.next(at: 0)).map(\.slot) == [0, 1])
    #expect(Self.starts(scheduler.next(at: 4)).map(\.slot) == [2])
    scheduler.open(1)
    let first = scheduler.firstSlot(of: 1)
    #expect(Self.starts(scheduler.next(at: 4.1)).map(\.slot) == [first] && scheduler.source(of: first) == 1)
  }

  /// Over a place that compares no range goes, and it counts as a connection.
  @Test func aReservedPlaceGetsNoRange() {
    var scheduler = Self.scheduler(isOpen: false)
    let first = scheduler.firstSlot(of: 1)
    scheduler.reserve(first)
    #expect(Self.starts(scheduler.next(at: 0)).map(\.slot) == [0, 1])
    scheduler.open(1)
    #expect(Self.starts(scheduler.next(at: 0.1)).map(\.slot) == [first + 1])
    scheduler.release(first, isWarm: true)
    #expect(Self.starts(scheduler.next(at: 0.2)).map(\.slot) == [first])
  }

  /// What a source had that is closed is for others, until it is opened again.
  @Test func aClosedSourceGivesBackWhatItHad() {
    var scheduler = Self.scheduler()
    let own = Self.starts(scheduler.next(at: 0)).filter { scheduler.source(of: $0.slot) == 1 }
    let before = scheduler.remaining
    #expect(scheduler.close(1, at: 0.1) == own.map(\.slot) && !own.isEmpty && scheduler.remaining == before)
    #expect(scheduler.close(1, at: 0.1).isEmpty)
    #expect(Self.starts(scheduler.next(at: 0.2)).allSatisfy { scheduler.source(of: $0.slot) == 0 })
    scheduler.open(1)
    let again = Self.starts(scheduler.next(at: 0.3))
    #expect(again.count == own.count && again.allSatisfy { scheduler.source(of: $0.slot) == 1 }, "\(again)")
  }

  @Test func preferredRangesComeFirstAndFromTheFirst() {
    var scheduler = Self.scheduler()
    let last = ByteRange((64 << 20) - 65_536, 64 << 20)
    let middle = ByteRange(20 << 20, 20 << 20 + 65_536)
    scheduler.preferAtFirst([last, middle])
    let starts = Self.starts(scheduler.next(at: 0))
    #expect(starts.filter { scheduler.source(of: $0.slot) == 0 }.map(\.range) == [last, middle])
    #expect(starts.first { scheduler.source(of: $0.slot) == 1 }?.range.start == 0)
    // What failed is asked for again before all else.
    scheduler.failed(starts[0].slot, .immediate, random: 0, at: 0.1)
    #expect(Self.starts(scheduler.next(at: 0.1)).map(\.range) == [starts[0].range])
  }

  @Test func aBarredSourceLeavesARangeToOthers() {
    var scheduler = Self.scheduler(length: 1 << 20, .fixed(2))
    scheduler.bar(0, from: ByteRange(0, 1 << 19))
    let starts = Self.starts(scheduler.next(at: 0))
    let own = starts.first { scheduler.source(of: $0.slot) == 0 }
    #expect(own?.range.start == 1 << 19, "\(starts)")
    #expect(starts.first { scheduler.source(of: $0.slot) == 1 }?.range.start == 0)
    // Alone it must do.
    for slot in scheduler.drop(1) { #expect(scheduler.source(of: slot) == 1) }
    scheduler.finished(own!.slot, at: 1)
    #expect(Self.starts(scheduler.next(at: 1)).first?.range.start == 0)
  }

  /// Where all are barred, all may bring it; and one that is let in again alone.
  @Test func whereAllAreBarredAllMay() {
    var scheduler = Self.scheduler(length: 1 << 16, .fixed(2))
    for source in 0..<2 { scheduler.bar(source, from: ByteRange(0, 1 << 16)) }
    var starts = Self.starts(scheduler.next(at: 0))
    #expect(starts.first?.range.start == 0, "\(starts)")
    for (slot, _) in starts { scheduler.failed(slot, .immediate, random: 0, at: 0.1) }
    scheduler.admit(1, to: ByteRange(0, 1 << 16))
    starts = Self.starts(scheduler.next(at: 0.2))
    #expect(!starts.isEmpty && starts.allSatisfy { scheduler.source(of: $0.slot) == 1 }, "\(starts)")
  }

  /// What one is not to bring the other brings, although it has no connection and the first has one that would be faster.
  @Test func aBarredSourceKeepsNobodyWaiting() {
    var scheduler = Self.scheduler(length: 1 << 20, .fixed(2))
    let starts = Self.starts(scheduler.next(at: 0))
    for (slot, _) in starts {
      scheduler.requested(slot, at: 0.01)
      scheduler.answered(slot, at: 0.02)
    }
    for (slot, range) in starts {
      for time in [0.1, 0.4] { scheduler.received(slot, range.count / 2, at: time) }
      if scheduler.source(of: slot) == 0 { scheduler.finished(slot, at: 0.4) }
    }
    let other = starts.first { scheduler.source(of: $0.slot) == 1 }!
    scheduler.failed(other.slot, .immediate, random: 0, at: 0.4)
    scheduler.lost(ByteRange(0, 65_536))
    scheduler.bar(0, from: ByteRange(0, 65_536))
    #expect(Self.starts(scheduler.next(at: 0.5)).map(\.slot) == [other.slot])
  }

  /// Of a Retry-After, a refusal or a back-off nobody else hears.
  @Test(arguments: [RangeScheduler.Trouble.slowDown(retryAfter: 60), .slowDown(retryAfter: nil), .transient])
  func troubleIsOneSourcesAlone(trouble: RangeScheduler.Trouble) {
    var scheduler = Self.scheduler()
    let starts = Self.starts(scheduler.next(at: 0))
    let slots = starts.map(\.slot)
    for slot in slots {
      scheduler.requested(slot, at: 0.01)
      if scheduler.source(of: slot) == 0 { scheduler.answered(slot, at: 0.02) }
    }
    for slot in slots where scheduler.source(of: slot) == 1 { scheduler.failed(slot, trouble, random: 1, at: 0.03) }
    let next = Self.starts(scheduler.next(at: 0.03))
    #expect(next.allSatisfy { scheduler.source(of: $0.slot) == 0 }, "\(next)")
    #expect(!scheduler.isWaiting(at: 0.03) && scheduler.quietUntil < 0.03)
    for slot in slots where scheduler.source(of: slot) == 0 {
      scheduler.received(slot, 1 << 20, at: 0.04)
      scheduler.finished(slot, at: 0.05)
    }
    #expect(!Self.starts(scheduler.next(at: 0.05)).isEmpty)
  }

  @Test func aDroppedSourceGivesBackWhatItHad() {
    var scheduler = Self.scheduler()
    let starts = Self.starts(scheduler.next(at: 0))
    let before = scheduler.remaining
    let ended = scheduler.drop(1)
    #expect(ended == starts.map(\.slot).filter { $0 >= 4 } && scheduler.remaining == before)
    let again = Self.starts(scheduler.next(at: 0.1))
    #expect(again.count == 2 && again.allSatisfy { scheduler.source(of: $0.slot) == 0 })
  }

  @Test(
    arguments: [[20.0, 40, 80], [80, 40, 20], [40, 80, 20]], [ConnectionLimit.automatic, .fixed(16), .fixed(3)])
  func threeLinksAreUsedTogether(megabits: [Double], limit: ConnectionLimit) {
    var network = NetworkSimulator(length: 256 << 20, limit: limit)
    network.addMirrors(2)
    network.sourceCapacity = megabits.map { $0 * Self.megabit }
    network.sourceLink = { _ in SimulatedLink(rate: 20_000_000, connectTime: 0.04, latency: 0.04) }
    let record = network.run()
    let ideal = Double(256 << 20) / (140 * Self.megabit)
    #expect(record.end ?? .infinity <= 1.05 * ideal, "\(record.end ?? 0) of \(ideal)")
    #expect(record.problems.isEmpty && record.bytes == 256 << 20, "\(record.problems)")
    let most = if case .fixed(let count) = limit { count } else { 16 }
    #expect(record.mostActive <= most)
  }

  /// Half-way one is gone: the others do what they can.
  @Test(arguments: [0, 1, 2]) func oneDies(gone: Int) {
    var network = NetworkSimulator(length: 256 << 20, limit: .automatic)
    network.addMirrors(2)
    let rates = [20, 40, 80].map { $0 * Self.megabit }
    network.sourceCapacity = rates
    network.sourceLink = { _ in SimulatedLink(rate: 20_000_000, connectTime: 0.04, latency: 0.04) }
    network.departures = [(gone, 8)]
    let record = network.run()
    let all = rates.reduce(0, +)
    let ideal = 8 + (Double(256 << 20) - 8 * all) / (all - rates[gone])
    #expect(record.end ?? .infinity <= 1.1 * ideal, "\(record.end ?? 0) of \(ideal)")
    #expect(record.problems.isEmpty && record.received == ByteRangeSet(ByteRange(0, 256 << 20)))
  }

  /// A source that refuses, fails or hardly moves costs the others next to nothing.
  @Test(arguments: [0, 1]) func oneIsInTrouble(which: Int) {
    for (trouble, rate) in [
      (RangeScheduler.Trouble.slowDown(retryAfter: 30), 40.0), (.transient, 40), (.slowDown(retryAfter: nil), 40),
      (nil, 0.001), (nil, 0),
    ] {
      var network = NetworkSimulator(length: 64 << 20, limit: .automatic)
      network.addMirrors(1)
      network.sourceCapacity = [40, 40].map { $0 * Self.megabit }
      network.sourceCapacity[which] = rate * Self.megabit
      network.sourceLink = { _ in SimulatedLink(rate: 20_000_000, connectTime: 0.04, latency: 0.04) }
      network.sourceTrouble = { source, _ in source == which ? trouble : nil }
      let record = network.run()
      let ideal = Double(64 << 20) / (40 * Self.megabit)
      #expect(record.end ?? .infinity <= 1.2 * ideal, "\(record.end ?? 0) of \(ideal), \(trouble as Any) \(rate)")
      #expect(record.received == ByteRangeSet(ByteRange(0, 64 << 20)))
    }
  }
}
