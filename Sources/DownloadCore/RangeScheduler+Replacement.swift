/// Connections that are not worth keeping.
extension RangeScheduler {
  /// Seconds for which a connection may lag behind the others.
  private static var dragTime: Double { 3 }
  /// It lags where the others' median is so many times its rate.
  private static var dragFactor: Double { 8 }

  /// Stops those from which nothing came for the stall time.
  mutating func replaceStalled(at now: Double) -> [Action] {
    let stalled = activeSlots.filter { active[$0]!.isStalled(at: now, stallTime: stallTime) }
    return stalled.map { replace($0, .stalled, at: now) }
  }

  /// Stops the slowest if it has been far slower than the others for some seconds while more is to be given out: a new
  /// connection is likely to do as well as they do. Each time the slot may take twice as long.
  mutating func replaceDragging(at now: Double) -> [Action] {
    guard !missing.isEmpty, let (slot, rate, others) = slowest(at: now), rate < others / Self.dragFactor else {
      return []
    }
    guard let answered = active[slot]!.answeredAt else { return [] }
    let patience = Self.dragTime * Double(1 << min(drags(of: slot), 10))
    guard now - answered >= patience, Double(active[slot]!.remaining) > rate * Self.dragTime else { return [] }
    return [replace(slot, .overtaken, at: now)]
  }

  /// The slowest connection whose rate is known, its rate and the median of the others'.
  private func slowest(at now: Double) -> (slot: Slot, rate: Double, others: Double)? {
    let rates = activeSlots.compactMap { slot in
      active[slot]!.rate.flatMap { _ in rate(of: slot, at: now).map { (slot, $0) } }
    }
    .sorted { $0.1 < $1.1 }
    guard let first = rates.first, rates.count > 1 else { return nil }
    return (first.0, first.1, rates[rates.count / 2].1)
  }
}
