/// Connections that are not worth keeping, or not worth what they have to fetch.
extension RangeScheduler {
  /// Seconds after which a connection's rate tells what it is; each time its slot may take twice as long.
  private static var proofTime: Double { 0.4 }
  /// For so many seconds, or ten round trips, what a connection has brought in all says more than the latest.
  private static var youth: Double { 1 }
  /// Seconds for which one may lag behind the others when its slot had a slow one before.
  private static var dragTime: Double { 3 }
  /// It lags where the others' median is so many times its rate.
  private static var dragFactor: Double { 8 }
  /// It would be the last by far where it takes so many times as long as all together.
  private static var lastByFar: Double { 2 }
  /// The part of the common time for which it keeps its range: it is to be ready before the others.
  private static var keptTime: Double { 0.9 }

  /// Stops those from which nothing came for the stall time.
  mutating func replaceStalled(at now: Double) -> [Action] {
    let stalled = activeSlots.filter { active[$0]!.isStalled(at: now, stallTime: stallTime) }
    return stalled.map { active[$0]!.isDraining ? leave($0, at: now) : replace($0, .stalled, at: now) }
  }

  /// Takes from those that would be the last by far what they cannot fetch until all are ready, and drops those that
  /// are so slow that a new connection is likely to be worth its price.
  mutating func relieveLaggards(at now: Double) -> [Action] {
    guard active.count > 1 else { return [] }
    let rates = activeSlots.compactMap { slot in
      active[slot]!.rate.flatMap { _ in provenRate(of: slot, at: now).map { (slot: slot, rate: $0) } }
    }
    .sorted { $0.rate < $1.rate }
    guard rates.count > 1, connectionLimit > 1 else { return [] }
    let common = commonTime
    // Another server is no measure of what a new connection to this one would bring.
    let medians = sources.indices.map { source in
      let alike = sources.count == 1 ? rates : rates.filter { slots[$0.slot].source == source }
      return alike.isEmpty ? 0 : alike[alike.count / 2].rate
    }
    return rates.dropLast().compactMap { slot, rate in
      guard isProven(slot, at: now) else { return nil }
      let median = medians[slots[slot].source]
      return drop(slot, rate: rate, others: median, common: common, at: now) ?? cut(slot, rate: rate, common: common)
    }
  }

  /// What a connection can be relied on for: of a young one not less than it had all the time. While TCP repairs a loss,
  /// nothing comes for some round trips, and then all at once (RFC 9293, 3.10.7.4; RFC 6675).
  private func provenRate(of slot: Slot, at now: Double) -> Double? {
    guard let rate = rate(of: slot, at: now), let answered = active[slot]!.answeredAt else { return nil }
    guard now - answered < max(Self.youth, 10 * requestTime(at: slots[slot].source)) else { return rate }
    return max(rate, active[slot]!.averageRate(since: answered, at: now))
  }

  private func isProven(_ slot: Slot, at now: Double) -> Bool {
    guard let answered = active[slot]!.answeredAt, !active[slot]!.isGrowing else { return false }
    return now - answered >= Self.proofTime
  }

  /// Seconds in which all that is missing would be here, if all were busy to the end.
  var commonTime: Double {
    let rates = active.keys.reduce(0.0) { $0 + (active[$1]!.rate ?? knownRate($1) ?? 0) }
    return rates > 0 ? Double(remaining) / rates : .infinity
  }

  private mutating func drop(
    _ slot: Slot, rate: Double, others: Double, common: Double, at now: Double
  ) -> Action? {
    guard rate < others / Self.dragFactor, let answered = active[slot]!.answeredAt else { return nil }
    let drags = drags(of: slot)
    let patience = drags == 0 ? Self.proofTime : Self.dragTime * Double(1 << min(drags, 10))
    let price = 4 * newRequestTime(at: slots[slot].source)
    guard now - answered >= patience, common > price, Double(active[slot]!.remaining) > rate * price else { return nil }
    return replace(slot, .overtaken, at: now)
  }

  private mutating func cut(_ slot: Slot, rate: Double, common: Double) -> Action? {
    let range = active[slot]!
    // Where the server refuses more connections, what is cut off would only be given back.
    guard !isAloneAndRefused(range.source) else { return nil }
    let bearable = Self.lastByFar * common + newRequestTime(at: range.source)
    guard Double(range.remaining) > rate * bearable else { return nil }
    let kept = Int64(rate * common * Self.keptTime)
    guard range.remaining - kept >= minimumSplit, kept > 0 else { return nil }
    let end = range.position + kept
    missing.insert(ByteRange(end, range.end))
    move(endOf: slot, to: end)
    return .shorten(slot, end: end)
  }

  /// Queues a connection's rest first; the next connection in its place is another one, about which nothing is known.
  private mutating func replace(_ slot: Slot, _ reason: StopReason, at now: Double) -> Action {
    // Where others can go on, one that was silent is not asked again at once.
    let isTrouble = reason == .stalled && hasOthers(than: slots[slot].source)
    failed(slot, isTrouble ? .transient : .immediate, random: 0.5, at: now)
    slots[slot].rate = nil
    if reason == .overtaken { slots[slot].drags += 1 }
    return .stop(slot, reason)
  }

  /// Lets go of a connection that has brought all that is wanted of it.
  private mutating func leave(_ slot: Slot, at now: Double) -> Action {
    active[slot] = nil
    slots[slot].isWarm = false
    slots[slot].notBefore = now
    hasNews = true
    return .stop(slot, .overtaken)
  }

  /// Hands the whole rest of a connection to an idle slot. `drains`: the connection is kept.
  mutating func handOver(from victim: Slot, to slot: Slot, drains: Bool, at now: Double) -> [Action] {
    let range = active[victim]!
    if drains {
      let actions = [cut(victim, to: range.position, drains: true), begin(slot, range.rest, at: now)]
      active[slot]!.silences = range.silences + 1
      return actions
    }
    active[victim] = nil
    overtook(range.source)
    // An answer takes at least as long as this one was waited for.
    if range.answeredAt == nil {
      let waited = max(requestTime(at: range.source), now - (range.requestedAt ?? now))
      noteAnswer(after: waited, from: range.source)
    }
    slots[victim].rate = nil
    slots[victim].isWarm = false
    // Not in the same round again: each action must leave one idle slot less.
    slots[victim].notBefore = now + Self.pause
    let start = begin(slot, range.rest, at: now)
    active[slot]!.silences = range.silences + 1
    return [.stop(victim, .overtaken), start]
  }
}
