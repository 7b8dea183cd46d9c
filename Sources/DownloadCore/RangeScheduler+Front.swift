/// Keeps what a reader waits for fast.
extension RangeScheduler {
  /// So much of a response may be read and thrown away, in times of what a new connection costs.
  private static var drainTime: Double { 3 }
  /// Who fetches what a reader waits for may be silent for so many times of a request, and for so many seconds more: in
  /// that time TCP repairs a loss (RFC 6675).
  private static var repairs: (requests: Double, seconds: Double) { (1.5, 0.1) }

  /// It is the front that the reader waits for, and there is more to be fetched behind it.
  var isFrontWaitedFor: Bool {
    guard let horizon, horizon.canWait else { return false }
    return !horizon.isReaderBehind && !missing.isEmpty
  }

  /// Seconds for which a connection may be silent before what it has not brought is better fetched by another one: few
  /// where a reader waits and most of the others are not silent; else it is the path that takes its time.
  func patienceOfReader(with range: ActiveRange, at now: Double) -> Double {
    let usual = patience(with: range)
    guard isFrontWaitedFor else { return usual }
    let least = requestTime(at: range.source) * Self.repairs.requests + Self.repairs.seconds
    let answered = active.values.filter { $0.answeredAt != nil && $0.remaining > 0 }
    guard 2 * answered.count(where: { now - $0.heardAt <= least }) > answered.count else { return usual }
    return min(usual, least * Double(1 << min(range.silences, 10)))
  }

  /// Takes over what would not be here before the window is full, and so keep all the others from going on; the front
  /// first.
  mutating func takeOverFront(for slot: Slot, at now: Double) -> [Action]? {
    guard isFrontWaitedFor, isWarm(slot), let horizon, let next = missing.first?.start else { return nil }
    // The slot would bring its part as well, as long as there is room.
    let rates = active.values.reduce(knownRate(slot) ?? 0) { $0 + ($1.rate ?? 0) }
    guard rates > 0 else { return nil }
    for (victim, seconds) in fromTheFront(victims(at: now)) {
      let range = active[victim]!
      let free = range.position.addingClamped(horizon.window + horizon.ahead) - next
      let stall = seconds - Double(max(0, free)) / rates
      guard stall > 0 else { continue }
      // A connection that is lost for it costs more than it saves: what the others would bring in that time is to be more
      // than what is thrown away to keep it.
      let isWorthDraining = range.answeredAt != nil && stall * rates > Double(range.reach - range.position)
      guard isWorthDraining || mayDrain(victim, from: range.position) else { continue }
      if let actions = takeOver(from: victim, readyIn: seconds, for: slot, drains: true, at: now) { return actions }
    }
    return nil
  }

  /// Has a connection throw away what it brings, and so be ready for what the reader waits for: it brought bytes from
  /// behind the window, for which there is no room before the front has come, and by then it can be here with the front.
  mutating func freeForFront(at now: Double) -> [Action] {
    guard let horizon, horizon.canWait, !horizon.isReaderBehind, !active.values.contains(where: \.isFreed) else {
      return []
    }
    let isAnyReady = slots.indices.contains { isWarm($0) && active[$0] == nil && slots[$0].notBefore <= now }
    guard !isAnyReady, let (front, seconds) = fromTheFront(victims(at: now)).first else { return [] }
    let rest = Double(active[front]!.remaining)
    let gains = activeSlots.compactMap { slot -> (slot: Slot, gain: Double)? in
      let range = active[slot]!
      guard slot != front, range.isHeld(at: now), let rate = range.rate ?? knownRate(slot), rate > 0 else { return nil }
      guard mayTakeOver(active[front]!.rest, for: slot) else { return nil }
      let unwanted = Double(range.reach - range.position) / rate
      // What is thrown away is to be fetched again.
      let gain = seconds - unwanted - requestTime(at: range.source) - rest / rate
      return gain > unwanted + Self.leastGainOfFreeing ? (slot, gain) : nil
    }
    guard let (slot, _) = gains.max(by: { $0.gain < $1.gain }) else { return [] }
    let range = active[slot]!
    missing.insert(range.rest)
    let action = cut(slot, to: range.position, drains: true)
    active[slot]!.isFreed = true
    return [action]
  }

  /// In seconds.
  private static var leastGainOfFreeing: Double { 0.1 }

  /// Those that an idle connection may take from, with the seconds until each will be ready, the best choice first: who
  /// will be ready last; but where the horizon keeps it idle, the reader waits for the front. A connection that is lost, or
  /// made, for it has a price that only a front that takes long is worth.
  func inOrderOfNeed(
    _ victims: [(slot: Slot, seconds: Double)], of slot: Slot
  ) -> [(slot: Slot, seconds: Double)] {
    guard let horizon, !missing.isEmpty else { return victims }
    guard !horizon.isReaderBehind else { return [] }
    let dear = Self.connectionsPrice * newRequestTime(at: slots[slot].source)
    return fromTheFront(victims).filter { victim in
      victim.seconds > dear || (isWarm(slot) && mayDrain(victim.slot, from: active[victim.slot]!.position))
    }
  }

  /// In times of a new request.
  private static var connectionsPrice: Double { 4 }

  private func fromTheFront(_ victims: [(slot: Slot, seconds: Double)]) -> [(slot: Slot, seconds: Double)] {
    victims.sorted { active[$0.slot]!.position < active[$1.slot]!.position }
  }

  /// Whether reading a response to its end, though nothing from `end` on is wanted of it, is cheaper than a new
  /// connection: how long an answer that has not begun will take, nobody knows. Only a reader's window makes connections
  /// wait for one another so often that this is worth it.
  func mayDrain(_ slot: Slot, from end: Int64) -> Bool {
    guard horizon?.canWait == true, let range = active[slot], range.answeredAt != nil else { return false }
    let rate = rate(of: slot, at: range.heardAt) ?? 0
    return Double(range.reach - end) <= rate * Self.drainTime * newRequestTime(at: range.source)
  }

  /// Leaves a range's connection what is before `end`; the rest of its response is thrown away, or the connection.
  mutating func cut(_ slot: Slot, to end: Int64, drains: Bool) -> Action {
    move(endOf: slot, to: end)
    active[slot]!.drains = drains
    return .shorten(slot, end: end)
  }
}
