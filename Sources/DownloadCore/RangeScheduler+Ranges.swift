/// How long a range is, and what an idle connection takes over from another.
extension RangeScheduler {
  /// Of a connection about which nothing is known yet.
  private static var firstLength: Int64 { 16 << 20 }
  /// A range is to take at most this long, in seconds.
  private static var longestRound: Double { 8 }
  /// Taking over must end the download sooner by this, in seconds, and by a request's time.
  private static var leastGain: Double { 0.05 }
  /// Ranges begin and end at multiples of this, where there is room: the manifest's smallest block.
  private static var alignment: Int64 { 1 << 20 }

  /// The next range from the front of what is missing, removed from there.
  mutating func takeFromFront(for slot: Slot) -> ByteRange? {
    guard let gap = missing.first else { return nil }
    let wanted = isStream ? gap.count : length(for: slot)
    var end = gap.count <= wanted ? gap.end : gap.start + wanted
    if wanted >= Self.alignment, end < gap.end { end = Self.aligned(end) }
    if gap.end - end < minimumSplit { end = gap.end }
    let range = ByteRange(gap.start, min(end, gap.end))
    take(range)
    return range
  }

  private static func aligned(_ end: Int64) -> Int64 { (end + alignment - 1) / alignment * alignment }

  /// What this connection fetches in a common time: short where nothing is known, long enough in the middle that a
  /// request is cheap beside it, shorter towards the end, so that all end together (guided self-scheduling).
  private func length(for slot: Slot) -> Int64 {
    let share = max(1, remaining / Int64(max(1, limit.most)))
    guard let rate = knownRate(slot) else { return max(minimumSplit, min(share, Self.firstLength)) }
    let byTime = rate * Self.longestRound
    let guided = Double(remaining) * portion(of: rate) / 2
    let cheap = rate * 10 * requestTime
    return max(minimumSplit, Int64(min(byTime, max(guided, cheap), Double(1 << 50))))
  }

  /// A connection's part of what all deliver together, 0 to 1.
  private func portion(of rate: Double) -> Double {
    let others = active.values.reduce(0.0) { $0 + ($1.rate ?? rate) }
    return rate / (others + rate)
  }

  /// Takes over the end of the range that will be ready last, cut where both will be ready together; all of it where
  /// its connection hardly moves. Nil where that saves no time.
  mutating func takeOver(for slot: Slot, at now: Double) -> [Action]? {
    guard let (victim, seconds) = slowest(at: now), let mine = knownRate(slot) ?? rate(of: victim, at: now) else {
      return nil
    }
    let left = active[victim]!.remaining
    guard left > 0, mine > 0 else { return nil }
    let theirs = Double(left) / seconds
    let together = (requestTime + Double(left) / mine) / (1 / theirs + 1 / mine)
    guard seconds - together / theirs > max(requestTime, Self.leastGain),
      Double(left) - together >= Double(min(minimumSplit, left)) * 0.99
    else {
      return nil
    }
    return cut(victim, keeping: Int64(together), for: slot, at: now)
  }

  private mutating func cut(_ victim: Slot, keeping kept: Int64, for slot: Slot, at now: Double) -> [Action] {
    let range = active[victim]!
    // What is on its way to a connection that hardly moves is less than what a look at it costs.
    guard kept >= 16 << 10 else {
      overtakes += 1
      drop(victim)
      return [.stop(victim, .overtaken), add(slot, ByteRange(range.position, range.end), at: now)]
    }
    let end = range.position + kept
    shorten(victim, to: end)
    return [.shorten(victim, end: end), add(slot, ByteRange(end, range.end), at: now)]
  }

  /// The connection that will be ready last, and in how many seconds.
  private func slowest(at now: Double) -> (Slot, Double)? {
    active.compactMap { slot, range in
      guard range.remaining > minimumSplit || now - range.heardAt > patience(with: range) else { return nil }
      return rate(of: slot, at: now).map { (slot, Double(range.remaining) / max($0, 1)) }
    }
    .max { $0.1 < $1.1 }
  }

  /// Seconds for which a connection may be silent and still count as well.
  private func patience(with range: ActiveRange) -> Double {
    let usual = range.answeredAt == nil ? 3 * requestTime + 1 : 1
    return usual * Double(1 << min(overtakes, 10))
  }

  /// Bytes a second that a connection can be expected to deliver: less the longer it has been silent.
  private func rate(of slot: Slot, at now: Double) -> Double? {
    guard let range = active[slot], let rate = range.rate ?? knownRate(slot) else { return nil }
    let silence = now - range.heardAt
    let patience = patience(with: range)
    return silence > patience ? rate * patience / (silence * 10) : rate
  }
}
