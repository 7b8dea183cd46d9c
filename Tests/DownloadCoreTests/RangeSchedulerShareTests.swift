import DownloadCore
import Testing

@Suite struct RangeSchedulerShareTests {
  private func scheduler(_ limit: ConnectionLimit = .fixed(8)) -> RangeScheduler {
    RangeScheduler(
      missing: ByteRangeSet(ByteRange(0, 8 << 20)), limit: limit, minimumSplit: 64 << 10, stallTime: 10)
  }

  private func starts(_ actions: [RangeScheduler.Action]) -> [RangeScheduler.Slot] {
    actions.compactMap { if case .start(let slot, _) = $0 { slot } else { nil } }
  }

  @Test func noMoreConnectionsThanTheShare() {
    var scheduler = scheduler()
    #expect(scheduler.cap(3).isEmpty)
    let slots = starts(scheduler.next(at: 0))
    #expect(slots.count == 3 && scheduler.connectionLimit == 3)
    // Those that come later take over from these, once it is known how fast they are.
    for slot in slots {
      scheduler.requested(slot, at: 0.01)
      scheduler.answered(slot, at: 0.02)
      for time in [0.1, 0.9] { scheduler.received(slot, 50_000, at: time) }
    }
    #expect(scheduler.cap(5).isEmpty)
    #expect(starts(scheduler.next(at: 1)).count == 2 && scheduler.active.count == 5)
  }

  /// What is dropped is queued again: not a byte is lost or asked for twice.
  @Test(arguments: [ConnectionLimit.fixed(8), .automatic]) func whatIsTooMuchIsGivenBack(limit: ConnectionLimit) {
    var scheduler = scheduler(limit)
    let slots = starts(scheduler.next(at: 0))
    for slot in slots { scheduler.requested(slot, at: 0.01) }
    scheduler.answered(slots[0], at: 0.02)
    scheduler.received(slots[0], 1000, at: 0.03)
    let dropped = scheduler.cap(1)
    #expect(dropped.count == slots.count - 1 && !dropped.contains(slots[0]))
    #expect(scheduler.active.count == 1 && scheduler.remaining == (8 << 20) - 1000)
    #expect(starts(scheduler.next(at: 0.1)).isEmpty)
    #expect(scheduler.cap(1).isEmpty && scheduler.cap(0).isEmpty && scheduler.connectionLimit == 1)
  }

  @Test func aStreamKeepsItsConnection() {
    var scheduler = RangeScheduler(stream: ByteRange(0, unknownEnd), stallTime: 10)
    #expect(starts(scheduler.next(at: 0)).count == 1)
    #expect(scheduler.cap(1).isEmpty && scheduler.active.count == 1)
  }
}
