/// What an idle connection takes over from one at work, and whether it is of any use.
extension RangeScheduler {
  /// What a new connection delivers first, before its rate doubles with each round trip (RFC 6928).
  private static var initialWindow: Double { 14_600 }
  /// Taking over must end the download sooner by this, in seconds, and by a request's time.
  private static var leastGain: Double { 0.05 }
  /// The same where a connection is dropped for it.
  private static var leastGainOfDropping: Double { 0.1 }
  /// The same where the connection is kept, and only what it brings is thrown away.
  private static var leastGainOfDraining: Double { 0.02 }
  /// What a connection that hardly moves may keep is less than what a look at it costs.
  private static var leastKept: Double { 16_384 }
  /// The same for one that is silent: whether anything will come is not known.
  private static var leastKeptInSilence: Double { 262_144 }

  /// Takes over the end of the range that will be ready last, cut where both will be ready together; all of it where
  /// its connection hardly moves. Nil where that saves no time.
  mutating func takeOver(for slot: Slot, at now: Double) -> [Action]? {
    for (victim, seconds) in inOrderOfNeed(victims(at: now), of: slot) {
      if let actions = takeOver(from: victim, readyIn: seconds, for: slot, at: now) { return actions }
    }
    return nil
  }

  /// Takes over from one that will be ready in so many seconds. `drains`: its connection is kept, whatever that costs.
  mutating func takeOver(
    from victim: Slot, readyIn seconds: Double, for slot: Slot, drains: Bool = false, at now: Double
  ) -> [Action]? {
    let range = active[victim]!
    guard mayTakeOver(range.rest, for: slot), let mine = knownRate(slot) ?? rate(of: victim, at: now), mine > 0 else {
      return nil
    }
    let left = Double(range.remaining)
    let theirs = left / seconds
    let kept = left - worthTaking(of: left, at: theirs) { fetchTime($0, of: slot, rate: mine) }
    let isSilent = now - range.heardAt > patienceOfReader(with: range, at: now)
    if kept < (isSilent ? Self.leastKeptInSilence : Self.leastKept) || range.remaining <= minimumSplit {
      let gain = seconds - fetchTime(left, of: slot, rate: mine)
      let drains = drains || mayDrain(victim, from: range.position)
      let least = !drains ? max(requestTime(of: slot), Self.leastGainOfDropping) : Self.leastGainOfDraining
      guard gain > least * Double(1 << min(range.silences, 10)) else { return nil }
      return handOver(from: victim, to: slot, drains: drains, at: now)
    }
    guard seconds - kept / theirs > max(requestTime(of: slot), Self.leastGain), left - kept >= Double(minimumSplit)
    else {
      return nil
    }
    let end = range.position + Int64(kept)
    let cut = cut(victim, to: end, drains: drains || mayDrain(victim, from: end))
    return [cut, begin(slot, ByteRange(end, range.end), at: now)]
  }

  /// What to take of so many bytes that arrive at the rate given, so that both are ready at the same time.
  private func worthTaking(of left: Double, at theirs: Double, time: (Double) -> Double) -> Double {
    var (least, most) = (0.0, left)
    for _ in 0..<24 {
      let taken = (least + most) / 2
      if time(taken) < (left - taken) / theirs { least = taken } else { most = taken }
    }
    return least
  }

  /// Whether a slot can bring anything worth having before all that is missing comes over the connections at work: a new
  /// connection first has to be made, to be answered, and to come to speed.
  func isOfUse(_ slot: Slot) -> Bool {
    // Where nothing is under way, those at hand may be the ones that are not to bring what is missing.
    guard !isWarm(slot), !active.isEmpty else { return true }
    let rates = slotsAtHand.reduce(0.0) { $0 + (active[$1]?.rate ?? knownRate($1) ?? 0) }
    let source = slots[slot].source
    return rates == 0 || Double(remaining) / rates > newRequestTime(at: source) + requestTime(at: source)
  }

  /// Seconds from asking for so many bytes to the last of them, on a slot's connection, or on a new one that must come to
  /// speed first.
  private func fetchTime(_ bytes: Double, of slot: Slot, rate: Double) -> Double {
    requestTime(of: slot) + (isWarm(slot) ? bytes / rate : slowStart(bytes, rate: rate, from: slots[slot].source))
  }

  /// Seconds from the first byte to the last of so many on a new connection.
  private func slowStart(_ bytes: Double, rate: Double, from source: Source) -> Double {
    let requestTime = requestTime(at: source)
    var (seconds, flight, rest) = (0.0, Self.initialWindow, bytes)
    while rest > flight, flight < rate * requestTime {
      (seconds, flight, rest) = (seconds + requestTime, 2 * flight, rest - flight)
    }
    return seconds + rest / rate
  }

  /// The connections that one may take from and the seconds until each will be ready, the last one first.
  func victims(at now: Double) -> [(slot: Slot, seconds: Double)] {
    activeSlots.compactMap { slot in
      let range = active[slot]!
      guard range.remaining > 0, let rate = rate(of: slot, at: now) else { return nil }
      var seconds = secondsLeft(of: range, rate: rate, at: now)
      // The wait for a source's proof is likely to last as long again as it has lasted, and so is silence.
      if sources[range.source].isUnproved { seconds = max(seconds, now - range.startedAt) }
      let silence = now - range.heardAt
      return (slot, silence > patienceOfReader(with: range, at: now) ? max(seconds, silence) : seconds)
    }
    .sorted { ($0.seconds, $1.slot) > ($1.seconds, $0.slot) }
  }

  /// Seconds until a range is ready; one that still grows is taken to go on doing so, up to the others' best.
  private func secondsLeft(of range: ActiveRange, rate: Double, at now: Double) -> Double {
    var (left, rate, seconds) = (Double(range.toCome), max(rate, 1), 0.0)
    guard let own = range.rate else {
      let asking =
        range.answeredAt == nil ? (range.isCold ? newRequestTime(at: range.source) : requestTime(at: range.source)) : 0
      let come = range.isCold ? slowStart(left, rate: rate, from: range.source) : left / rate
      return max(0, asking - (now - range.startedAt)) + come
    }
    guard range.isGrowing, rate >= own else { return left / rate }
    let best = active.values.reduce(0) { max($0, $1.isGrowing ? 0 : $1.rate ?? 0) }
    while left > rate * range.window, best == 0 || rate < best {
      left -= rate * range.window
      seconds += range.window
      rate *= 2
    }
    return seconds + left / rate
  }

  /// Seconds for which a connection may be silent and still count as well.
  func patience(with range: ActiveRange) -> Double {
    let usual = range.answeredAt == nil ? 3 * requestTime(at: range.source) + 1 : 1
    return usual * Double(1 << min(range.silences, 10))
  }

  /// Bytes a second that a connection can be expected to deliver: less the longer it has been silent.
  func rate(of slot: Slot, at now: Double) -> Double? {
    guard let range = active[slot], let rate = range.rate ?? knownRate(slot) ?? rateOfAny else { return nil }
    let silence = now - range.heardAt
    let patience = patience(with: range)
    return silence > patience ? rate * patience / (silence * 10) : rate
  }
}
