import DownloadCore
import Testing

/// What was asked for before there was a plan, and becomes part of it.
@Suite struct AdoptionTests {
  private static let split: Int64 = 64 << 10
  private static let early = EarlyRanges.ranges(EarlyRanges.most, minimumSplit: split)

  /// The first response and the guesses of a file of this length, all of which have been adopted.
  private static func scheduler(
    _ length: Int64, _ limit: ConnectionLimit, count: Int, isAsked: Bool = true, isAnswered: Bool = true,
    reach: Int64? = nil
  ) -> RangeScheduler {
    var scheduler = RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, length)), limit: limit, minimumSplit: split, stallTime: 10, latency: 0.1)
    let guesses = early.prefix(count)
    let first = min(length, guesses.first?.start ?? length)
    scheduler.adopt(0, range: ByteRange(0, first), reach: reach ?? length, at: 0)
    for (index, range) in guesses.enumerated() {
      let start = range.start
      let end = max(start, min(range.end, length))
      scheduler.adopt(
        index + 1, range: ByteRange(start, end), isAsked: isAsked, isAnswered: isAnswered, at: 0)
    }
    return scheduler
  }

  /// Each byte is missing, or of one connection.
  private func expectPartition(
    _ scheduler: RangeScheduler, _ length: Int64, _ location: SourceLocation = #_sourceLocation
  ) {
    var all =
      scheduler.missing.ranges
      + scheduler.active.values.filter { $0.remaining > 0 }.map {
        ByteRange($0.start, $0.end)
      }
    all.sort { $0.start < $1.start }
    var position: Int64 = 0
    for range in all {
      #expect(range.start == position, "\(all)", sourceLocation: location)
      position = range.end
    }
    #expect(position == length, "\(all)", sourceLocation: location)
  }

  @Test(
    arguments: [1, 288 << 10, (288 << 10) + 1, mebi, 4 * mebi, 11 * mebi, 40 * mebi] as [Int64],
    [(true, true), (true, false), (false, false)])
  func nothingIsAssignedTwice(_ length: Int64, _ state: (isAsked: Bool, isAnswered: Bool)) {
    for count in [0, 1, 2, 14] {
      for limit in [ConnectionLimit.automatic, .fixed(count + 2)] {
        var scheduler = Self.scheduler(
          length, limit, count: count, isAsked: state.isAsked, isAnswered: state.isAnswered)
        expectPartition(scheduler, length)
        #expect(scheduler.remaining == length)
        let actions = scheduler.next(at: 0)
        expectPartition(scheduler, length)
        // What belongs to nobody is asked for once, and not more connections than may be.
        #expect(actions.allSatisfy { if case .stop = $0 { false } else { true } })
        #expect(scheduler.active.count <= (limit == .automatic ? ConnectionLimit.automaticMost : count + 2))
        #expect(scheduler.next(at: 0.1).isEmpty)
      }
    }
  }

  /// They are ahead by a round trip: in it they bring as much again, 512 KiB at most.
  @Test func thoseAheadGetTwiceAsMuchAtMostAHalfMebibyteMore() {
    // Doubled: four connections, one ahead; 1 MiB in five parts, two of them the first's.
    var scheduler = Self.scheduler(mebi, .fixed(4), count: 0)
    #expect(scheduler.next(at: 0).first == .shorten(0, end: 2 * mebi / 5))
    // No more than 512 KiB more: of 32 MiB the rest is shared evenly, and cut at a multiple of 64 KiB.
    scheduler = Self.scheduler(32 * mebi, .fixed(4), count: 0)
    let even = (32 * mebi - (512 << 10)) / 4
    #expect(scheduler.next(at: 0).first == .shorten(0, end: even + (512 << 10)))
  }

  /// All of a guess that is not longer than its share stays as it is; what is longer is cut.
  @Test func guessesAreCutToTheirShare() {
    var scheduler = Self.scheduler(11 * mebi, .fixed(16), count: 14)
    let actions = scheduler.next(at: 0)
    // 11 MiB over 16, 15 of them ahead: 704 KiB.
    let shortened = actions.compactMap { if case .shorten(let slot, _) = $0 { slot } else { nil } }
    #expect(shortened == [12, 13, 14])
    for slot in shortened {
      let range = scheduler.active[slot]!
      #expect(range.remaining <= 768 << 10 && range.remaining >= 640 << 10)
      #expect(range.start == Self.early[slot - 1].start)
    }
    let started = actions.count { if case .start = $0 { true } else { false } }
    #expect(started == 1 && scheduler.active.count == 16)
    expectPartition(scheduler, 11 * mebi)
  }

  /// 416: a guess behind the end holds nothing, and is finished by its refusal.
  @Test func aGuessBehindTheEndFinishesEmpty() {
    let length: Int64 = 600 << 10
    var scheduler = Self.scheduler(length, .fixed(4), count: 2, isAnswered: false)
    #expect(scheduler.active[2]?.remaining == length - Self.early[1].start)
    scheduler = Self.scheduler(400 << 10, .fixed(4), count: 2, isAnswered: false)
    #expect(scheduler.active[2]?.remaining == 0)
    _ = scheduler.next(at: 0)
    scheduler.finished(2, at: 0.01)
    #expect(scheduler.active[2] == nil && scheduler.missing.isEmpty)
    for slot in scheduler.active.keys.sorted() {
      scheduler.received(slot, scheduler.active[slot]!.remaining, at: 0.02)
      scheduler.finished(slot, at: 0.02)
    }
    #expect(scheduler.isComplete && scheduler.remaining == 0)
  }

  /// One that is never answered does not keep the file from being complete.
  @Test func aGuessBehindTheEndIsNotWaitedFor() {
    var scheduler = Self.scheduler(100 << 10, .fixed(4), count: 2, isAsked: false, isAnswered: false)
    _ = scheduler.next(at: 0)
    scheduler.received(0, 100 << 10, at: 0.1)
    scheduler.finished(0, at: 0.1)
    #expect(scheduler.isComplete)
  }

  /// A guess that is refused goes back to what is missing, and the first response goes on into it.
  @Test func afterARefusalTheFirstResponseGoesOn() {
    let length = 4 * mebi
    var scheduler = Self.scheduler(length, .fixed(4), count: 2, isAnswered: false)
    let first = scheduler.next(at: 0)
    #expect(!first.contains { if case .extend = $0 { true } else { false } })
    let guessed = Self.early.prefix(2).reduce(0) { $0 + $1.count }
    #expect(scheduler.active[1]!.remaining + scheduler.active[2]!.remaining == guessed)
    for slot in [1, 2, 3] { scheduler.failed(slot, .slowDown(retryAfter: nil), random: 0, at: 0.1) }
    let actions = scheduler.next(at: 0.1)
    #expect(actions == [.extend(0, end: length)])
    #expect(scheduler.missing.isEmpty && scheduler.active.count == 1)
    #expect(scheduler.active[0]!.end == length)
    expectPartition(scheduler, length)
  }

  /// So does one that has come to the end of its share and waits there.
  @Test func afterARefusalAResponseAtItsEndGoesOn() {
    var scheduler = Self.scheduler(mebi, .fixed(3), count: 1, isAnswered: false)
    _ = scheduler.next(at: 0)
    scheduler.received(0, Self.early[0].start, at: 0.05)
    #expect(scheduler.active[0]?.remaining == 0)
    for slot in [1, 2] { scheduler.failed(slot, .slowDown(retryAfter: nil), random: 0, at: 0.1) }
    #expect(scheduler.next(at: 0.1) == [.extend(0, end: mebi)])
    #expect(scheduler.remaining == mebi - Self.early[0].start)
  }

  /// Up to what another connection fetches, and no farther.
  @Test func itGoesOnUpToAGuessThatWorks() {
    var scheduler = Self.scheduler(4 * mebi, .fixed(4), count: 2, isAnswered: false)
    _ = scheduler.next(at: 0)
    scheduler.answered(2, at: 0.1)
    scheduler.failed(1, .slowDown(retryAfter: nil), random: 0, at: 0.1)
    scheduler.failed(3, .slowDown(retryAfter: nil), random: 0, at: 0.1)
    // Two connections work, and no more may be: the first goes on to where the second's bytes begin.
    #expect(scheduler.next(at: 0.1) == [.extend(0, end: Self.early[1].start)])
  }

  /// Trouble of another kind is no sign that there are too many connections.
  @Test func withoutARefusalItDoesNotGoOn() {
    for trouble in [RangeScheduler.Trouble.transient, .immediate] {
      var scheduler = Self.scheduler(4 * mebi, .fixed(3), count: 1, isAnswered: false)
      _ = scheduler.next(at: 0)
      scheduler.failed(1, trouble, random: 0, at: 0.1)
      #expect(!scheduler.next(at: 0.1).contains { if case .extend = $0 { true } else { false } })
    }
  }

  /// The response holds no more than this.
  @Test func itDoesNotGoOnBehindWhatTheResponseHolds() {
    var scheduler = Self.scheduler(4 * mebi, .fixed(3), count: 1, isAnswered: false, reach: mebi)
    _ = scheduler.next(at: 0)
    for slot in [1, 2] { scheduler.failed(slot, .slowDown(retryAfter: nil), random: 0, at: 0.1) }
    #expect(scheduler.next(at: 0.1) == [.extend(0, end: mebi)])
    expectPartition(scheduler, 4 * mebi)
  }

  /// All guesses are refused at one moment: that is one failure, and the first retry comes soon.
  @Test func refusalsOfOneMomentCountOnce() {
    var scheduler = Self.scheduler(40 * mebi, .fixed(16), count: 14, isAnswered: false)
    for slot in 1...14 {
      scheduler.failed(slot, .slowDown(retryAfter: nil), random: 0, at: 0.1 + Double(slot) * 0.0001)
    }
    scheduler.failed(0, .transient, random: 0, at: 0.2)
    #expect(scheduler.quietUntil <= 0.2 + 2 * BackOff.delay(attempt: 1, random: 0))
  }

  /// When a guess went out is not known to the plan: its answer says nothing of how long one takes.
  @Test func answersToGuessesDoNotCountAsFast() {
    func share(guesses: Int) -> Double {
      var scheduler = Self.scheduler(400 * mebi, .fixed(16), count: guesses, isAnswered: false)
      _ = scheduler.next(at: 0)
      for slot in 1..<(1 + guesses) { scheduler.answered(slot, at: 0.001) }
      // One whose rate is known takes so much that asking is cheap beside it: the slower the answers, the more.
      for tick in 1...10 { scheduler.received(0, mebi / 10, at: Double(tick) * 0.1) }
      scheduler.finished(0, at: 1)
      for action in scheduler.next(at: 1) { if case .start(0, let range) = action { return Double(range.count) } }
      return 0
    }
    #expect(share(guesses: 14) >= mebiRate * 10 * 0.1 * 0.9)
  }

  @Test(arguments: [1, 2, 3, 8])
  func theNumberOfConnectionsHolds(_ count: Int) {
    let guesses = max(0, count - 2)
    var scheduler = Self.scheduler(40 * mebi, .fixed(count), count: guesses, isAnswered: false)
    for time in 0..<20 {
      _ = scheduler.next(at: Double(time) * 0.1)
      #expect(scheduler.active.count <= count)
    }
    expectPartition(scheduler, 40 * mebi)
  }
}
