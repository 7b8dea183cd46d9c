import DownloadCore
import Testing

/// What a source fetches that is not seen yet to have the file: others do not wait for it.
struct UnprovedSourceTests {
  private static let length: Int64 = 4 << 20

  /// Everything is given out, and the first source has brought all of its own at 4 MiB/s by the time 1; the second one,
  /// which brings `ahead` bytes every 50 ms, has its range still.
  private struct Race {
    var scheduler: RangeScheduler
    let slot: Int
    let range: ByteRange
    private(set) var now = 1.0
    /// What was given out since then.
    private(set) var starts: [(slot: Int, range: ByteRange)] = []
    private(set) var stopped = false

    init() {
      var scheduler = RangeScheduler(
        missing: ByteRangeSet(ByteRange(0, UnprovedSourceTests.length)), limit: .fixed(2), minimumSplit: 64 << 10,
        stallTime: 10)
      scheduler.open(scheduler.addSource(at: 0), isUnproved: true)
      slot = scheduler.firstSlot(of: 1)
      for case .start(let slot, _) in scheduler.next(at: 0) {
        scheduler.requested(slot, at: 0.01)
        scheduler.answered(slot, at: 0.02)
      }
      range = scheduler.active[slot].map { ByteRange($0.start, $0.end) } ?? ByteRange(0, 0)
      let wanted = UnprovedSourceTests.length - range.count
      for step in 1...4 { scheduler.received(0, wanted / 4, at: 0.25 * Double(step)) }
      scheduler.received(0, wanted % 4, at: 1)
      scheduler.finished(0, at: 1)
      self.scheduler = scheduler
    }

    /// The first source brings all that it is given at once.
    mutating func run(until end: Double, ahead: Int64, isPaused: Bool = false) {
      while now < end, !stopped {
        now += 0.05
        if ahead > 0 { scheduler.receivedAhead(slot, ahead, at: now) }
        if isPaused { scheduler.heard(slot, at: now) }
        for action in scheduler.next(at: now) {
          switch action {
          case .start(let other, let range):
            starts.append((other, range))
            scheduler.requested(other, at: now)
            scheduler.answered(other, at: now)
            scheduler.received(other, range.count, at: now)
            scheduler.finished(other, at: now)
          case .stop(let victim, .overtaken): stopped = stopped || victim == slot
          default: break
          }
        }
      }
    }
  }

  /// A few bytes now and then are no reason to wait; each time the others take more, and in the end all.
  @Test(arguments: [Int64(1), 15, 250]) func aTrickleIsTakenOver(ahead: Int64) {
    var race = Race()
    race.run(until: 5, ahead: ahead)
    #expect(race.stopped && race.scheduler.isComplete, "\(race.starts)")
    var fetched = ByteRangeSet()
    for start in race.starts {
      #expect(race.scheduler.source(of: start.slot) == 0)
      fetched.insert(start.range)
    }
    #expect(fetched == ByteRangeSet(race.range))
  }

  /// However fast it was: what waits in memory until its source is proved may wait for ever.
  @Test func aProofThatDoesNotComeIsNotWaitedFor() {
    var race = Race()
    race.scheduler.receivedAhead(race.slot, 1 << 20, at: 1)
    race.scheduler.receivedAhead(race.slot, (1 << 20) - 1, at: 1.3)
    race.run(until: 15, ahead: 0, isPaused: true)
    #expect(race.stopped && race.scheduler.isComplete, "\(race.starts)")
  }

  /// It gets nothing more before it is proved, and then as any other.
  @Test func whoWasOvertakenWaitsForItsProof() throws {
    var race = Race()
    race.run(until: 5, ahead: 15)
    try #require(race.stopped)
    race.scheduler.lost(ByteRange(0, UnprovedSourceTests.length))
    func sources(at now: Double) -> [Int] {
      race.scheduler.next(at: now).compactMap {
        if case .start(let slot, _) = $0 { race.scheduler.source(of: slot) } else { nil }
      }
    }
    #expect(sources(at: 6) == [0])
    race.scheduler.open(1)
    #expect(sources(at: 6.1) == [1])
  }

  /// Bytes that came before the proof are not counted twice, and the time between says nothing of the connection.
  @Test func bytesThatWaitedShowNoRate() {
    var race = Race()
    let half = race.range.count / 2
    for step in 1...4 { race.scheduler.receivedAhead(race.slot, half / 4, at: 1 + 0.01 * Double(step)) }
    race.scheduler.open(1)
    #expect(race.scheduler.remaining == race.range.count)
    race.scheduler.received(race.slot, half / 4 * 4, at: 1.05)
    #expect(race.scheduler.remaining == race.range.count - half / 4 * 4)
  }
}
