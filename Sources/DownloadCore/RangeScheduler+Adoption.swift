/// Requests that were sent before there was a plan, and responses that hold more than is wanted of them.
extension RangeScheduler {
  /// Takes over a request that was sent before the length was known; the next actions cut it to its share. `reach`: what
  /// the response holds, where that is more than the range.
  package mutating func adopt(
    _ slot: Slot, range: ByteRange, reach: Int64? = nil, isAsked: Bool = true, isAnswered: Bool = true, at now: Double
  ) {
    if isStream {
      // One that fails is asked for from its beginning again, wherever this one has got to.
      stream = ByteRange(min(stream?.start ?? 0, range.start), range.end)
      missing = ByteRangeSet()
    }
    missing.remove(range)
    var adopted = ActiveRange(range: range, startedAt: now, generation: sources[0].limit.generation)
    if let reach { adopted.reach = reach }
    if isAsked { adopted.requestedAt = now }
    if isAnswered { adopted.answeredAt = now }
    adopted.isUnplanned = !isStream
    adopted.isTimed = false
    hasNews = true
    active[slot] = adopted
  }

  /// Leaves requests that were sent before there was a plan no more than their share.
  mutating func cutAdopted() -> [Action] {
    let unplanned = activeSlots.filter { active[$0]!.isUnplanned }
    guard !unplanned.isEmpty else { return [] }
    sources[0].limit.began(active.count)
    for slot in unplanned { active[slot]!.isUnplanned = false }
    guard connectionLimit > 1 else { return [] }
    let share = share(ofThoseAhead: unplanned.count { active[$0]!.remaining > 0 })
    var actions: [Action] = []
    for slot in unplanned {
      guard let rest = rest(of: active[slot]!, beyond: share) else { continue }
      missing.insert(rest)
      move(endOf: slot, to: rest.start)
      actions.append(.shorten(slot, end: rest.start))
    }
    return actions
  }

  /// Where the server refuses more connections, a response that holds more than is wanted of it goes on: its link may be
  /// good for one request alone.
  mutating func extendWhereRefused() -> [Action] {
    guard sources.contains(where: \.limit.wasRefused), !missing.isEmpty else { return [] }
    var actions: [Action] = []
    for slot in activeSlots {
      guard let range = active[slot], let next = missing.ranges.first(where: { $0.start == range.end }),
        next.start < range.reach, !range.drains, isAloneAndRefused(range.source)
      else { continue }
      let end = min(reachable(next)?.end ?? next.start, range.reach)
      guard end > next.start else { continue }
      missing.remove(ByteRange(next.start, end))
      move(endOf: slot, to: end)
      actions.append(.extend(slot, end: end))
    }
    return actions
  }

  /// Whether a source has refused connections, and there is no other to ask.
  func isAloneAndRefused(_ source: Source) -> Bool { sources[source].limit.wasRefused && !hasOthers(than: source) }
}
