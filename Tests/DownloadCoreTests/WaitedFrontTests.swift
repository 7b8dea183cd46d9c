import Testing

@testable import DownloadCore

/// A reader waits for the front, and the connections differ by far.
@Suite struct WaitedFrontTests {
  /// A server whose connections have these rates, in bytes a second, in turn, and a reader who takes all at once.
  private struct Reader {
    var scheduler: RangeScheduler
    private let rates: [Double]
    private let window: Int64
    private var opened = 0
    /// Of each slot's connection; nil where it has none.
    private var connections: [Int: Double] = [:]
    private var answers: [Int: Answer] = [:]
    private var here = ByteRangeSet()
    private(set) var passed: Int64 = 0
    private(set) var now = 0.0
    /// Bytes that came and were thrown away.
    private(set) var wasted: Int64 = 0
    private static let tick = 0.01

    private struct Answer {
      var position: Int64
      var end: Int64
      let reach: Int64
      var credit = 0.0
      var begins: Double
    }

    init(_ length: Int64, window: Int64, rates: [Double]) {
      self.rates = rates
      self.window = window
      scheduler = RangeScheduler(
        missing: ByteRangeSet(ByteRange(0, length)), limit: .fixed(4), minimumSplit: 64 << 10, stallTime: 15,
        inOrder: true)
      scheduler.keep(within: ByteCount(window))
    }

    /// Seconds until all is here; nil where that takes more than `most`.
    mutating func run(atMost most: Double, latency: Double = 0.002) -> Double? {
      while !scheduler.isComplete {
        guard now < most else { return nil }
        for action in scheduler.next(at: now) { perform(action, latency) }
        now += Self.tick
        bring()
        passed = here.ranges.first.map { $0.start == 0 ? $0.end : 0 } ?? 0
        scheduler.readerPassed(passed, of: passed)
      }
      return now
    }

    private mutating func perform(_ action: RangeScheduler.Action, _ latency: Double) {
      switch action {
      case .start(let slot, let range):
        if connections[slot] == nil {
          connections[slot] = rates[opened % rates.count]
          opened += 1
        }
        answers[slot] = Answer(position: range.start, end: range.end, reach: range.end, begins: now + latency)
        scheduler.requested(slot, at: now)
      case .shorten(let slot, let end), .extend(let slot, let end): answers[slot]?.end = end
      case .stop(let slot, _): (answers[slot], connections[slot]) = (nil, nil)
      }
    }

    private mutating func bring() {
      var held: [Int] = []
      for slot in answers.keys.sorted() {
        guard var answer = answers[slot], let rate = connections[slot], answer.begins <= now else { continue }
        if scheduler.active[slot]?.position == answer.position, answer.credit == 0 { scheduler.answered(slot, at: now) }
        answer.credit += rate * Self.tick
        let drains = scheduler.active[slot]?.drains == true
        let room = min(answer.end, passed + window) - answer.position
        let count = max(0, min(Int64(answer.credit), room))
        if count > 0 {
          here.insert(ByteRange(answer.position, answer.position + count))
          scheduler.received(slot, count, at: now)
          answer.position += count
          answer.credit -= Double(count)
        }
        if answer.position < answer.end {
          // No more waits in the sockets than this.
          answer.credit = min(answer.credit, 65_536)
          if answer.position >= passed + window { held.append(slot) }
          answers[slot] = answer
        } else if drains, answer.credit < Double(answer.reach - answer.end) {
          answers[slot] = answer
        } else {
          wasted += drains ? answer.reach - answer.end : 0
          if !drains, answer.end < answer.reach { connections[slot] = nil }
          answers[slot] = nil
          scheduler.finished(slot, at: now)
        }
      }
      if !held.isEmpty { scheduler.heldBack(held, by: .front, at: now) }
    }
  }

  /// The one connection that is fast has gone as far ahead as the window lets it, and the slow ones have the front: it
  /// throws away what it brings from there and fetches the front.
  @Test(arguments: [1 << 20, 2 << 20] as [Int64], 0..<4)
  func isFetchedByTheOneThatIsFast(window: Int64, first: Int) throws {
    var rates = [50e3, 50e3, 50e3]
    rates.insert(4e6, at: first)
    var reader = Reader(4 * window, window: window, rates: rates + [50e3, 50e3, 50e3, 50e3, 50e3, 50e3, 50e3])
    let time = reader.run(atMost: 60)
    let seconds = try #require(time)
    // That one alone would need a second for each 4 MB.
    #expect(seconds <= 1.8 * Double(4 * window) / 4e6, "\(seconds)")
    #expect(reader.passed == 4 * window && reader.wasted <= 2 * window, "\(reader.wasted)")
  }

  /// Where all are alike nothing is thrown away.
  @Test func nothingIsWastedAmongEquals() throws {
    var reader = Reader(8 << 20, window: 1 << 20, rates: [1e6])
    let time = reader.run(atMost: 60)
    let seconds = try #require(time)
    #expect(seconds <= 1.3 * Double(8 << 20) / 4e6, "\(seconds)")
    #expect(reader.wasted <= 8 << 18, "\(reader.wasted)")
  }

  /// While a connection is held, and when what has gathered meanwhile comes at once, it shows no rate.
  @Test func aHeldConnectionKeepsItsRate() throws {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 100 << 20)), limit: .fixed(2), minimumSplit: 64 << 10, stallTime: 15,
      inOrder: true)
    scheduler.keep(within: ByteCount(64 << 20))
    #expect(!scheduler.next(at: 0).isEmpty)
    scheduler.requested(0, at: 0)
    scheduler.answered(0, at: 0.1)
    for step in 1...10 { scheduler.received(0, 100_000, at: 0.1 + Double(step) * 0.1) }
    let before = try #require(scheduler.active[0]?.rate)
    for step in 1...20 { scheduler.heldBack([0], by: .front, at: 1.1 + Double(step) * 0.1) }
    #expect(scheduler.active[0]?.rate == before)
    for step in 1...3 { scheduler.received(0, 1_000_000, at: 3.1 + Double(step) * 0.1) }
    #expect(scheduler.active[0]?.rate == before)
    // What comes then counts again.
    for step in 1...20 { scheduler.received(0, 20_000, at: 3.4 + Double(step) * 0.1) }
    #expect(scheduler.active[0]!.rate! < before / 2)
  }

  /// A range too short for a rate shows what its connection can do at least.
  @Test func aShortRangeTellsTheLeast() throws {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 1 << 20)), limit: .fixed(1), minimumSplit: 64 << 10, stallTime: 15,
      inOrder: true)
    fetch(0, in: 10, &scheduler, from: 0)
    let slow = try #require(scheduler.knownRate(0))
    #expect(slow < 200_000)
    scheduler.lost(ByteRange(0, 200_000))
    fetch(0, in: 0.02, &scheduler, from: 20)
    #expect(try #require(scheduler.knownRate(0)) >= 9_000_000)
  }

  /// A connection that is gone says nothing of the next one in its place.
  @Test func aLostConnectionTakesItsRateAlong() throws {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 2 << 20)), limit: .fixed(2), minimumSplit: 64 << 10, stallTime: 15,
      inOrder: true)
    _ = scheduler.next(at: 0)
    for (slot, seconds) in [(0, 0.5), (1, 20.0)] { fetch(slot, in: seconds, isCut: slot == 1, &scheduler, from: 0) }
    let rates = try (fast: #require(scheduler.knownRate(0)), next: #require(scheduler.knownRate(1)))
    #expect(rates.next > rates.fast / 3, "\(rates)")
  }

  private func fetch(
    _ slot: Int, in seconds: Double, isCut: Bool = false, _ scheduler: inout RangeScheduler, from begin: Double
  ) {
    if scheduler.active[slot] == nil { _ = scheduler.next(at: begin) }
    scheduler.requested(slot, at: begin)
    scheduler.answered(slot, at: begin + 0.001)
    let count = scheduler.active[slot]!.remaining
    for step in 1...10 {
      scheduler.received(
        slot, count * Int64(step) / 10 - count * Int64(step - 1) / 10, at: begin + seconds * Double(step) / 10)
    }
    scheduler.finished(slot, isCut: isCut, at: begin + seconds)
  }
}
