import DownloadCore
import Testing

/// What a limit on the rate lets through, and when.
@Suite struct TokenBucketTests {
  /// Takes as much as it can at each of the given times, in pieces of libcurl's size; returns what was taken by then.
  private func taken(at times: [Double], _ rate: ByteCount, connections: Int = 1) -> [(time: Double, bytes: Int)] {
    var bucket = TokenBucket(rate: rate, at: times[0])
    let piece = min(16 << 10, TokenBucket.piece(at: rate, most: 128 << 10))
    var bytes = 0
    return times.map { time in
      // Each of them asks again for as long as it gets something.
      for _ in 0..<connections { while bucket.take(piece, at: time) { bytes += piece } }
      return (time, bytes)
    }
  }

  /// Times that a busy loop may look at it: some milliseconds apart.
  private func looks(for seconds: Double) -> [Double] {
    var chance = SeededGenerator(seed: 5)
    var times = [7.0]
    while times.last! < 7 + seconds { times.append(times.last! + 0.01 + 0.03 * Double(chance.next() % 100) / 100) }
    return times
  }

  /// Over every window of two seconds but the first two, within 5 %; below 20k a single piece of 1024 bytes is more.
  @Test(arguments: ["20k", "100k", "1M", "5M", "100M"], [1, 16])
  func isExact(rate text: String, connections: Int) throws {
    let rate = try #require(ByteCount(typed: text))
    let taken = taken(at: looks(for: 20), rate, connections: connections)
    for (index, start) in taken.enumerated() where start.time >= 9 {
      guard let end = taken[index...].first(where: { $0.time >= start.time + 2 }) else { break }
      let measured = Double(end.bytes - start.bytes) / (end.time - start.time)
      #expect(abs(measured / Double(rate.bytes) - 1) < 0.05, "\(measured) at \(start.time)")
    }
  }

  /// In no span more than the rate, a piece and what is kept.
  @Test(arguments: ["1", "1k", "10k", "64k", "1M", "1G"])
  func isNeverMore(rate text: String) throws {
    let rate = try #require(ByteCount(typed: text))
    let taken = taken(at: looks(for: 5) + [100, 100.2, 101], rate)
    for (index, start) in taken.enumerated() {
      for end in taken[index...] {
        let most = Double(rate.bytes) * (end.time - start.time + TokenBucket.depth) + Double(16 << 10) + 1
        #expect(Double(end.bytes - start.bytes) <= most)
      }
    }
  }

  @Test func aPauseBringsNoBurst() {
    var bucket = TokenBucket(rate: .kibi(100), at: 0)
    var bytes = 0
    while bucket.take(1024, at: 3600) { bytes += 1024 }
    #expect(bytes <= 26 << 10)
  }

  @Test func whoIsTooEarlyWaits() {
    var bucket = TokenBucket(rate: 1000, at: 0)
    let delays = [bucket.delay(at: 0), bucket.take(500, at: 0) ? bucket.delay(at: 0.4) : -1]
    #expect(delays[0] == 0 && abs(delays[1] - 0.1) < 1e-9, "\(delays)")
    // A clock that goes backward brings nothing.
    let answers = [0.4, -5, 0.45, 5.5].map { bucket.take(1, at: $0) }
    #expect(answers == [false, false, false, true])
  }

  @Test func piecesAndBuffersAreSmallWhereTheRateIs() {
    #expect(TokenBucket.piece(at: nil, most: 131_072) == 131_072)
    #expect(TokenBucket.piece(at: 1, most: 131_072) == 1024)
    #expect(TokenBucket.piece(at: .kibi(1000), most: 131_072) == 20480)
    #expect(TokenBucket.piece(at: .kibi(1 << 20), most: 131_072) == 131_072)
    #expect(TokenBucket.socketBuffer(at: nil) == nil)
    #expect(TokenBucket.socketBuffer(at: 1) == 16 << 10)
    #expect(TokenBucket.socketBuffer(at: .kibi(1024)) == 512 << 10)
    #expect(TokenBucket.socketBuffer(at: .kibi(8 << 10)) == nil)
  }
}

/// What a limit on the rate means to those who wait for bytes.
@Suite struct HeldBackTests {
  private func scheduler(_ limit: ConnectionLimit, stallTime: Double = 2) -> RangeScheduler {
    RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 64 << 20)), limit: limit, minimumSplit: 64 << 10, stallTime: stallTime)
  }

  /// Starts all that it asks for, and has each answered.
  private func begin(_ scheduler: inout RangeScheduler) -> [Int] {
    let slots = scheduler.next(at: 0).compactMap { if case .start(let slot, _) = $0 { slot } else { nil } }
    for slot in slots {
      scheduler.requested(slot, at: 0)
      scheduler.answered(slot, at: 0.01)
    }
    return slots
  }

  /// Our own silence is no stall; the server's is.
  @Test(arguments: [true, false]) func silenceIsAStallUnlessItIsOurs(isOurs: Bool) {
    var scheduler = scheduler(.fixed(2))
    let slots = begin(&scheduler)
    #expect(slots.count == 2)
    var actions: [RangeScheduler.Action] = []
    for tick in 1...100 {
      let now = 0.01 + Double(tick) * 0.1
      if isOurs { scheduler.heldBack(slots, by: .limit, at: now) }
      actions += scheduler.next(at: now)
    }
    let stopped = actions.contains { if case .stop(_, .stalled) = $0 { true } else { false } }
    #expect(stopped == !isOurs)
  }

  /// What the limit allows over four connections it does not allow more of over eight.
  @Test(arguments: [true, false]) func noneIsAddedBecauseOfTheLimit(isLimited: Bool) {
    var scheduler = scheduler(.automatic)
    let slots = begin(&scheduler)
    for tick in 1...40 {
      let now = 0.01 + Double(tick) * 0.05
      for slot in slots { scheduler.received(slot, 10_000, at: now) }
      if isLimited { scheduler.heldBack(slots, by: .limit, at: now) }
      _ = scheduler.next(at: now)
    }
    #expect((scheduler.active.count > slots.count) == !isLimited)
  }

  /// One that gets its share late is neither dropped nor cut for it.
  @Test func nobodyIsRelievedForWhatTheLimitDoes() {
    var scheduler = scheduler(.fixed(4))
    let slots = begin(&scheduler)
    var actions: [RangeScheduler.Action] = []
    for tick in 1...60 {
      let now = 0.01 + Double(tick) * 0.25
      for slot in slots { scheduler.received(slot, slot == slots[0] ? 100 : 50_000, at: now) }
      scheduler.heldBack(slots, by: .limit, at: now)
      actions += scheduler.next(at: now)
    }
    #expect(actions.isEmpty)
  }

  @Test func heldTimeIsNoIdleTime() {
    var budget = ProgressBudget(patience: 2, length: 1 << 20, at: 0)
    budget.standStill(for: 5)
    #expect(!budget.isSpent(at: 6.9))
    #expect(budget.isSpent(at: 7))
  }
}
