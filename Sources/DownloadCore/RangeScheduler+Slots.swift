/// What is known of the slots and their connections.
extension RangeScheduler {
  /// One whose connection is likely to be open still, but rather a new one than one that is known to be slow.
  func idleSlot(at now: Double, of ready: [Source]) -> Slot? {
    guard !ready.isEmpty else { return nil }
    let slow = sources.indices.map { (meanRate(of: $0) ?? 0) / 4 }
    func worth(_ slot: Slot) -> Int {
      slots[slot].rate.map { $0 < slow[slots[slot].source] ? 0 : slots[slot].isWarm ? 2 : 1 } ?? 1
    }
    return ready.flatMap { sources[$0].slots }.filter {
      active[$0] == nil && !slots[$0].isReserved && slots[$0].notBefore <= now
    }
    .max { (worth($0), $1) < (worth($1), $0) }
  }

  /// Bytes a second that a slot's connection can be expected to deliver; nil where none has shown any.
  func knownRate(_ slot: Slot) -> Double? { slots[slot].rate ?? meanRate(of: slots[slot].source) }

  /// The mean over all slots: what is expected of a source of which nothing has come.
  var rateOfAny: Double? {
    let rates = slots.compactMap(\.rate)
    return rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
  }

  /// The mean over a source's slots that have one.
  func meanRate(of source: Source) -> Double? {
    var (sum, count) = (0.0, 0)
    for slot in sources[source].slots {
      guard let rate = slots[slot].rate else { continue }
      sum += rate
      count += 1
    }
    return count == 0 ? nil : sum / Double(count)
  }

  /// Seconds from a request to its answer.
  func requestTime(at source: Source) -> Double { sources[source].times.answer }
  /// The same where nothing waits for us: the shortest so far.
  func leastRequestTime(of slot: Slot) -> Double { sources[slots[slot].source].times.leastAnswer }

  /// How often a slot's connection was replaced because it dragged.
  func drags(of slot: Slot) -> Int { slots[slot].drags }

  /// Those at work, in an order that repeats.
  var activeSlots: [Slot] { active.keys.sorted() }

  /// Those at work, and those whose connections are likely to be open still.
  var slotsAtHand: [Slot] { slots.indices.filter { active[$0] != nil || slots[$0].isWarm } }

  /// Whether its connection is likely to be open still.
  func isWarm(_ slot: Slot) -> Bool { slots[slot].isWarm }

  /// Whether it has not shown yet what it can do.
  func grows(_ slot: Slot) -> Bool { slots[slot].wasGrowing }

  /// Seconds from asking for a range to its first byte, with the time for a new connection where one is needed.
  func requestTime(of slot: Slot) -> Double {
    let source = slots[slot].source
    return slots[slot].isWarm ? requestTime(at: source) : newRequestTime(at: source)
  }

  /// The same on a new connection.
  func newRequestTime(at source: Source) -> Double { requestTime(at: source) + sources[source].times.connection }

  /// The range under way ends there from now on.
  mutating func move(endOf slot: Slot, to end: Int64) {
    active[slot]!.end = end
    active[slot]!.drains = false
  }
}
