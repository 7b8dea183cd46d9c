/// How long a range is, and what an idle connection takes over from another.
extension RangeScheduler {
  /// Of a connection about which nothing is known yet.
  private static var firstLength: Int64 { 16 << 20 }
  /// What a new connection delivers first, before its rate doubles with each round trip (RFC 6928).
  private static var initialWindow: Double { 14_600 }
  /// A range is to take at least so many times as long as asking for it.
  private static var leastWorth: Double { 3 }
  /// What a round trip brings at most, as far as can be told before anything came.
  private static var mostAhead: Int64 { 512 << 10 }
  /// Where the file is wanted from the front, what is under way is to lie within about so many bytes, and a range is no
  /// shorter than that.
  private static var window: Int64 { 64 << 20 }
  private static var leastInOrder: Int64 { 1 << 20 }
  /// A range is to take at most this long, in seconds.
  private static var longestRound: Double { 8 }
  /// What the connections fetch together in this time, in seconds, is given out at once.
  private static var lastRound: Double { 1 }
  /// Taking over must end the download sooner by this, in seconds, and by a request's time.
  private static var leastGain: Double { 0.05 }
  /// The same where a connection is dropped for it.
  private static var leastGainOfDropping: Double { 0.1 }
  /// Longer ranges begin and end at multiples of this: a file system's pages, and some more.
  private static var alignment: Int64 { 64 << 10 }
  /// What a connection that hardly moves may keep is less than what a look at it costs.
  private static var leastKept: Double { 16_384 }
  /// The same for one that is silent: whether anything will come is not known.
  private static var leastKeptInSilence: Double { 262_144 }

  /// The next range from the front of what is missing, removed from there.
  mutating func takeFromFront(for slot: Slot) -> ByteRange? {
    guard let gap = missing.first else { return nil }
    let wanted = limit.current == 1 ? gap.count : length(for: slot)
    var end = gap.count <= wanted ? gap.end : gap.start + wanted
    if wanted >= 16 * Self.alignment, end < gap.end { end = max(gap.start + minimumSplit, Self.aligned(end)) }
    if gap.end - end < minimumSplit { end = gap.end }
    let range = ByteRange(gap.start, min(end, gap.end))
    missing.remove(range)
    return range
  }

  /// To the nearest.
  private static func aligned(_ end: Int64) -> Int64 { (end + alignment / 2) / alignment * alignment }

  /// What this connection fetches in a common time: short where nothing is known, long enough in the middle that a
  /// request is cheap beside it, shorter towards the end, so that all end together (guided self-scheduling).
  private func length(for slot: Slot) -> Int64 {
    guard let rate = knownRate(slot) else { return max(minimumSplit, min(evenShare, longest)) }
    let byTime = min(rate * Self.longestRound, inOrder ? max(Double(longest), rate * 10 * leastRequestTime) : .infinity)
    let share = share(of: rate, asking: requestTime(of: slot))
    // Short of time, a round trip is worth more than a range that is cut to the rate of a connection that still grows.
    if grows(slot) { return max(minimumSplit, Int64(min(share, Double(longest)))) }
    // A last round: what differs in the end is taken over, and no further request costs a round trip.
    let isLast = share <= rate * max(Self.lastRound, 20 * leastRequestTime)
    let cheap = rate * 10 * leastRequestTime
    return max(minimumSplit, Int64(min(byTime, isLast ? share : max(share / 2, cheap), Double(1 << 50))))
  }

  /// What is left, shared by the connections that have nothing yet, but no more than each connection's part of it all:
  /// those that are at work come back for more. Rounded up, so that no scrap needs one more request.
  private var evenShare: Int64 {
    func part(_ bytes: Int64, _ count: Int) -> Int64 { (bytes - 1) / Int64(max(1, count)) + 1 }
    return min(part(missing.count, limit.most - active.count), part(remaining, limit.current))
  }

  /// What each of so many connections is to fetch that were asked before there was a plan, where all are to end together.
  ///
  /// They are ahead of those that begin now by a round trip. In slow start, where that matters most, it doubles what
  /// they have delivered at any time (RFC 5681, 3.1); later it is no more than what comes in that time.
  func share(ofThoseAhead ahead: Int) -> Int64 {
    let count = Int64(max(1, limit.current))
    let ahead = min(Int64(ahead), count)
    let doubled = remaining / (count + ahead)
    let share =
      doubled <= Self.mostAhead
      ? 2 * doubled : (remaining - ahead * Self.mostAhead) / count + Self.mostAhead
    return max(minimumSplit, min(share, longest))
  }

  /// Of a range whose connection has not shown what it can do; where the file is wanted from the front, of any.
  private var longest: Int64 {
    inOrder ? max(Self.leastInOrder, min(Self.firstLength, Self.window / Int64(limit.most))) : Self.firstLength
  }

  /// What of a range belongs to other connections; nil where that is not worth a request.
  func rest(of range: ActiveRange, beyond share: Int64) -> ByteRange? {
    guard range.remaining > share else { return nil }
    let exact = range.position + share
    let end = share >= 16 * Self.alignment ? Self.aligned(exact) : exact
    return range.end - end >= minimumSplit ? ByteRange(end, range.end) : nil
  }

  /// What a connection fetches until all end together, after so many seconds without a byte while it asks.
  private func share(of rate: Double, asking cost: Double) -> Double {
    let all = active.values.reduce(rate) { $0 + ($1.rate ?? rate) }
    guard all > 0 else { return Double(remaining) }
    return rate * max((Double(remaining) + rate * cost) / all - cost, Self.leastWorth * cost)
  }

  /// Takes over the end of the range that will be ready last, cut where both will be ready together; all of it where
  /// its connection hardly moves. Nil where that saves no time.
  mutating func takeOver(for slot: Slot, at now: Double) -> [Action]? {
    for (victim, seconds) in victims(at: now) {
      guard let mine = knownRate(slot) ?? rate(of: victim, at: now), mine > 0 else { continue }
      if let actions = takeOver(from: victim, readyIn: seconds, for: slot, rate: mine, at: now) { return actions }
    }
    return nil
  }

  private mutating func takeOver(
    from victim: Slot, readyIn seconds: Double, for slot: Slot, rate mine: Double, at now: Double
  ) -> [Action]? {
    let range = active[victim]!
    let left = Double(range.remaining)
    let theirs = left / seconds
    let kept = left - worthTaking(of: left, at: theirs) { fetchTime($0, of: slot, rate: mine) }
    let isSilent = now - range.heardAt > patience(with: range)
    if kept < (isSilent ? Self.leastKeptInSilence : Self.leastKept) || range.remaining <= minimumSplit {
      let gain = seconds - fetchTime(left, of: slot, rate: mine)
      let least = max(requestTime(of: slot), Self.leastGainOfDropping)
      guard gain > least * Double(1 << min(range.silences, 10)) else { return nil }
      return handOver(from: victim, to: slot, at: now)
    }
    guard seconds - kept / theirs > max(requestTime(of: slot), Self.leastGain), left - kept >= Double(minimumSplit) else {
      return nil
    }
    let end = range.position + Int64(kept)
    shorten(victim, to: end)
    return [.shorten(victim, end: end), begin(slot, ByteRange(end, range.end), at: now)]
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
    guard !isWarm(slot) else { return true }
    let rates = slotsAtHand.reduce(0.0) { $0 + (active[$1]?.rate ?? knownRate($1) ?? 0) }
    return rates == 0 || Double(remaining) / rates > newRequestTime + requestTime
  }

  /// Seconds from asking for so many bytes to the last of them, on a slot's connection, or on a new one that must come to
  /// speed first.
  private func fetchTime(_ bytes: Double, of slot: Slot, rate: Double) -> Double {
    requestTime(of: slot) + (isWarm(slot) ? bytes / rate : slowStart(bytes, rate: rate))
  }

  /// Seconds from the first byte to the last of so many on a new connection.
  private func slowStart(_ bytes: Double, rate: Double) -> Double {
    var (seconds, flight, rest) = (0.0, Self.initialWindow, bytes)
    while rest > flight, flight < rate * requestTime {
      (seconds, flight, rest) = (seconds + requestTime, 2 * flight, rest - flight)
    }
    return seconds + rest / rate
  }

  /// The connections that one may take from and the seconds until each will be ready, the last one first.
  private func victims(at now: Double) -> [(slot: Slot, seconds: Double)] {
    activeSlots.compactMap { slot in
      let range = active[slot]!
      guard range.remaining > 0, let rate = rate(of: slot, at: now) else { return nil }
      let seconds = secondsLeft(of: range, rate: rate, at: now)
      // Silence is likely to last as long again as it has lasted.
      let silence = now - range.heardAt
      return (slot, silence > patience(with: range) ? max(seconds, silence) : seconds)
    }
    .sorted { ($0.seconds, $1.slot) > ($1.seconds, $0.slot) }
  }

  /// Seconds until a range is ready; one that still grows is taken to go on doing so, up to the others' best.
  private func secondsLeft(of range: ActiveRange, rate: Double, at now: Double) -> Double {
    var (left, rate, seconds) = (Double(range.remaining), max(rate, 1), 0.0)
    guard let own = range.rate else {
      let asking = range.answeredAt == nil ? (range.isCold ? newRequestTime : requestTime) : 0
      let come = range.isCold ? slowStart(left, rate: rate) : left / rate
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
  private func patience(with range: ActiveRange) -> Double {
    let usual = range.answeredAt == nil ? 3 * requestTime + 1 : 1
    return usual * Double(1 << min(range.silences, 10))
  }

  /// Bytes a second that a connection can be expected to deliver: less the longer it has been silent.
  func rate(of slot: Slot, at now: Double) -> Double? {
    guard let range = active[slot], let rate = range.rate ?? knownRate(slot) else { return nil }
    let silence = now - range.heardAt
    let patience = patience(with: range)
    return silence > patience ? rate * patience / (silence * 10) : rate
  }
}
