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

  /// Stops one that has been far slower than the others for some seconds while more is to be given out: a new
  /// connection is likely to do as well as they do. Each time the slot may take twice as long.
  mutating func replaceDragging(at now: Double) -> [Action] {
    guard !missing.isEmpty, active.count >= 3 else { return [] }
    let rates = active.values.compactMap(\.rate).sorted()
    guard rates.count >= 3 else { return [] }
    let bound = rates[rates.count / 2] / Self.dragFactor
    let dragging = activeSlots.first { slot in
      guard let answered = active[slot]!.answeredAt, let rate = rate(of: slot, at: now), rate < bound else {
        return false
      }
      let patience = Self.dragTime * Double(1 << min(drags(of: slot), 10))
      return now - answered >= patience && Double(active[slot]!.remaining) > rate * Self.dragTime
    }
    return dragging.map { [replace($0, .overtaken, at: now)] } ?? []
  }
}
