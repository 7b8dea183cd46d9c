/// How long a range is.
extension RangeScheduler {
  /// Of a connection about which nothing is known yet.
  private static var firstLength: Int64 { 16 << 20 }
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
  /// Longer ranges begin and end at multiples of this: a file system's pages, and some more.
  private static var alignment: Int64 { 64 << 10 }

  /// The next range from the front of what is missing, removed from there.
  mutating func takeFromFront(for slot: Slot) -> ByteRange? {
    guard let gap = firstGap(for: slot).flatMap({ reachable($0) }) else { return nil }
    let most = max(leastPiece, mostWithinHorizon(rate: knownRate(slot)))
    let wanted = connectionLimit == 1 ? gap.count : min(length(for: slot), most)
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
    let cheap = rate * 10 * leastRequestTime(of: slot)
    let byTime = min(rate * Self.longestRound, inOrder ? max(Double(longest), cheap) : .infinity)
    let share = share(of: rate, for: slot, asking: requestTime(of: slot))
    // Short of time, a round trip is worth more than a range that is cut to the rate of a connection that still grows.
    if grows(slot) { return max(minimumSplit, Int64(min(share, Double(longest)))) }
    // A last round: what differs in the end is taken over, and no further request costs a round trip.
    let isLast = share <= rate * max(Self.lastRound, 20 * leastRequestTime(of: slot))
    return max(minimumSplit, Int64(min(byTime, isLast ? share : max(share / 2, cheap), Double(1 << 50))))
  }

  /// What is left, shared by the connections that have nothing yet, but no more than each connection's part of it all:
  /// those that are at work come back for more. Rounded up, so that no scrap needs one more request.
  private var evenShare: Int64 {
    func part(_ bytes: Int64, _ count: Int) -> Int64 { (bytes - 1) / Int64(max(1, count)) + 1 }
    return min(part(missing.count, min(most, share) - active.count), part(remaining, connectionLimit))
  }

  /// What each of so many connections is to fetch that were asked before there was a plan, where all are to end together.
  ///
  /// They are ahead of those that begin now by a round trip. In slow start, where that matters most, it doubles what
  /// they have delivered at any time (RFC 5681, 3.1); later it is no more than what comes in that time.
  func share(ofThoseAhead ahead: Int) -> Int64 {
    let count = Int64(max(1, connectionLimit))
    let ahead = min(Int64(ahead), count)
    let doubled = remaining / (count + ahead)
    let share =
      doubled <= Self.mostAhead
      ? 2 * doubled : (remaining - ahead * Self.mostAhead) / count + Self.mostAhead
    return max(minimumSplit, min(share, longest))
  }

  /// Of a range whose connection has not shown what it can do; where the file is wanted from the front, of any.
  private var longest: Int64 {
    guard inOrder else { return Self.firstLength }
    return min(max(Self.leastInOrder, min(Self.firstLength, Self.window / Int64(most))), mostWithinHorizon(rate: nil))
  }

  /// What of a range belongs to other connections; nil where that is not worth a request.
  func rest(of range: ActiveRange, beyond share: Int64) -> ByteRange? {
    guard range.remaining > share else { return nil }
    let exact = range.position + share
    let end = share >= 16 * Self.alignment ? Self.aligned(exact) : exact
    return range.end - end >= minimumSplit ? ByteRange(end, range.end) : nil
  }

  /// What a connection fetches until all end together, after so many seconds without a byte while it asks.
  private func share(of rate: Double, for slot: Slot, asking cost: Double) -> Double {
    let source = slots[slot].source
    let all = active.reduce(rate) { sum, other in
      sum + (other.value.rate ?? (other.value.source == source ? rate : knownRate(other.key) ?? rate))
    }
    guard all > 0 else { return Double(remaining) }
    return rate * max((Double(remaining) + rate * cost) / all - cost, Self.leastWorth * cost)
  }
}
