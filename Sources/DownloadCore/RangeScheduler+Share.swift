/// Several downloads that share the connections to a server.
extension RangeScheduler {
  /// From now on no more connections than this are opened, whatever else would allow more; one at least. Gives the slots
  /// whose connections are to be dropped for that: those that have come least far. What they have not fetched is queued
  /// again already.
  package mutating func cap(_ most: Int) -> [Slot] {
    let most = max(1, most)
    guard most != share else { return [] }
    share = most
    hasNews = true
    guard !isStream, active.count > most else { return [] }
    let ranked = active.sorted { left, right in
      let (first, second) = (left.value.answeredAt != nil, right.value.answeredAt != nil)
      return first == second ? left.value.position > right.value.position : second
    }
    return ranked.prefix(active.count - most).map { drop($0.key) }
  }

  private mutating func drop(_ slot: Slot) -> Slot {
    let range = active.removeValue(forKey: slot)!
    missing.insert(range.rest)
    slots[slot].isWarm = false
    slots[slot].keepsPlace = false
    return slot
  }
}
