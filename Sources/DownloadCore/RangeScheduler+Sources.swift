/// Several sources of one file, which share what is missing: each has its own connections, times and troubles, and
/// fetches what its rate earns.
extension RangeScheduler {
  /// A source of the file: 0 is the one that was asked first.
  package typealias Source = Int

  /// One more, which is asked for no range before `open`. Its places come after all others.
  package mutating func addSource(at now: Double) -> Source {
    let first = slots.count
    let source = SourceState(.awaited(since: now), slots: first..<first + most, limit: connections)
    sources.append(source)
    slots += Array(repeating: SlotHistory(source: sources.count - 1), count: most)
    hasNews = true
    return sources.count - 1
  }

  /// From now on it gets its share of what is missing. `latency`: seconds from an earlier request to its answer.
  /// `isUnproved`: what it brings counts only once it is opened again, as one that has the file.
  package mutating func open(_ source: Source, latency: Double? = nil, isUnproved: Bool = false) {
    if !isUnproved { sources[source].unprovedSince = nil }
    guard case .awaited(let since) = sources[source].standing else { return }
    if isUnproved { sources[source].unprovedSince = since }
    sources[source].standing = .open
    hasNews = true
    if let latency { noteAnswer(after: latency, from: source) }
  }

  /// How many connections may compare a source that is not open yet.
  package func placesToCompare(_ source: Source, at now: Double) -> Int {
    let share = max(1, most / max(1, sources.count { !$0.isDropped }))
    return min(sources[source].claim(on: share, at: now), most)
  }

  /// Over this place bytes are compared: it is given no range until `release`.
  package mutating func reserve(_ slot: Slot) { slots[slot].isReserved = true }

  /// Nothing is compared over this place any more. `isWarm`: its connection is likely to be open still.
  package mutating func release(_ slot: Slot, isWarm: Bool) {
    guard slots[slot].isReserved else { return }
    slots[slot].isReserved = false
    slots[slot].isWarm = isWarm
    hasNews = true
  }

  /// It is asked for no range again before `open`; what it had not fetched is queued again. Its requests for ranges are
  /// to be ended.
  package mutating func close(_ source: Source, at now: Double) -> [Slot] {
    guard !sources[source].isDropped else { return [] }
    if sources[source].isOpen { sources[source].standing = .awaited(since: now) }
    sources[source].unprovedSince = nil
    hasNews = true
    return takeBack(from: source)
  }

  /// Others were sooner: where a source is not proved, it gets no range before that, and keeps no room from them.
  mutating func overtook(_ source: Source) {
    guard sources[source].isUnproved, sources[source].isOpen else { return }
    sources[source].standing = .awaited(since: -.infinity)
  }

  private mutating func takeBack(from source: Source) -> [Slot] {
    let ended = activeSlots.filter { active[$0]!.source == source }
    for slot in ended {
      missing.insert(active.removeValue(forKey: slot)!.rest)
      slots[slot].isWarm = false
    }
    return ended
  }

  /// It is asked for nothing any more; what it had not fetched is queued again. Its requests are to be ended.
  package mutating func drop(_ source: Source) -> [Slot] {
    let ended = takeBack(from: source)
    for slot in sources[source].slots { slots[slot] = SlotHistory(source: source) }
    sources[source].standing = .dropped
    hasNews = true
    return ended
  }

  /// Others are to bring these bytes, as long as there are others that may.
  package mutating func bar(_ source: Source, from range: ByteRange) { sources[source].barred.insert(range) }

  /// It may bring these bytes again.
  package mutating func admit(_ source: Source, to range: ByteRange) { sources[source].barred.remove(range) }

  /// Whether it is barred from what some other source may bring.
  private func isBarred(_ source: Source, from range: ByteRange) -> Bool {
    guard sources[source].barred.ranges.contains(where: { $0.overlaps(range) }) else { return false }
    return sources.indices.contains { other in
      other != source && sources[other].isOpen && !sources[other].barred.ranges.contains { $0.overlaps(range) }
    }
  }

  /// These short ranges are given out before all others, to the first source.
  package mutating func preferAtFirst(_ ranges: [ByteRange]) {
    preferred = ranges
    hasNews = true
  }

  /// No more connections than this at once, over all sources.
  package var mostConnections: Int { most }

  /// Whose connection a slot has.
  package func source(of slot: Slot) -> Source { slots[slot].source }

  /// The place of a source's first connection.
  package func firstSlot(of source: Source) -> Slot { sources[source].slots.lowerBound }

  /// No new request to any source before this time.
  package var quietUntil: Double { sources.filter(\.isOpen).map(\.quietUntil).min() ?? -.infinity }

  /// Connections that may be open at once now, over all sources.
  package var connectionLimit: Int {
    let sum = sources.reduce(0) { $0 + ($1.isOpen ? $1.limit.current : 0) }
    return min(most, share, max(1, sum))
  }

  /// Whether others than this source are at work or may be.
  func hasOthers(than source: Source) -> Bool { sources.indices.contains { $0 != source && sources[$0].isOpen } }

  /// Those that may be asked for one range more now.
  func sourcesWithRoom(at now: Double, but done: Set<Source>) -> [Source] {
    sources.indices.filter { index in
      let source = sources[index]
      return !done.contains(index) && source.isOpen && now >= source.quietUntil && !source.limit.isSettling
        && freePlaces(of: index, at: now) > 0
    }
  }

  /// How many requests more may go out to a source.
  private func freePlaces(of index: Source, at now: Double) -> Int {
    let source = sources[index]
    // While nothing works, one request at a time finds out whether that is over.
    let allowed = source.streak >= 2 ? 1 : source.limit.current
    let waiting = source.slots.count { active[$0] == nil && slots[$0].keepsPlace && slots[$0].notBefore > now }
    let busy = busyCount(of: index)
    let free = busy == 0 ? max(1, allowed - waiting) : allowed - waiting - busy
    let left = share - active.count - reservedCount
    return min(left, sources.count == 1 ? free : min(free, room(for: index, at: now)))
  }

  /// What is left of all connections, where each other source gets what it can use of its share of them. What nobody
  /// else can use is anybody's.
  private func room(for index: Source, at now: Double) -> Int {
    // With fewer connections than sources the last ones have no claim.
    let all = min(most, share)
    let claimants = sources.indices.filter { !sources[$0].isDropped }.prefix(all)
    let part = max(1, all / max(1, claimants.count))
    let claimed = claimants.reduce(0) { sum, other in
      guard other != index, !hasTooSlowConnections(other) else { return sum }
      return sum + max(0, sources[other].claim(on: part, at: now) - busyCount(of: other))
    }
    return all - active.count - reservedCount - claimed
  }

  private func busyCount(of source: Source) -> Int {
    guard sources.count > 1 else { return active.count }
    return active.values.count { $0.source == source } + sources[source].slots.count { slots[$0].isReserved }
  }

  /// Connections over which bytes are compared.
  private var reservedCount: Int { sources.count == 1 ? 0 : slots.count { $0.isReserved } }

  /// What a slot's source may fetch that lies foremost.
  func firstGap(for slot: Slot) -> ByteRange? {
    let source = slots[slot].source
    if source == 0, let range = firstPreferred { return range }
    guard !sources[source].barred.isEmpty, hasOthers(than: source) else { return missing.first }
    var allowed = missing
    for range in sources[source].barred.ranges where isBarred(source, from: range) { allowed.remove(range) }
    return allowed.first
  }

  private var firstPreferred: ByteRange? {
    for range in preferred {
      guard let gap = missing.ranges.first(where: { $0.overlaps(range) }) else { continue }
      let piece = ByteRange(max(gap.start, range.start), min(gap.end, range.end))
      if reachable(piece) == piece { return piece }
    }
    return nil
  }

  /// Whether a slot's source may bring what another one has under way.
  func mayTakeOver(_ range: ByteRange, for slot: Slot) -> Bool { !isBarred(slots[slot].source, from: range) }

  /// Whether the shortest range of a slot takes far longer than all that is missing over the others: it would only be
  /// taken away again.
  func isTooSlow(_ slot: Slot) -> Bool {
    guard sources.count > 1, let rate = knownRate(slot) else { return false }
    return isTooSlow(rate, from: slots[slot].source)
  }

  /// The same of a source's connections as a whole: it has no use for one more.
  private func hasTooSlowConnections(_ source: Source) -> Bool {
    meanRate(of: source).map { isTooSlow($0, from: source) } ?? false
  }

  private func isTooSlow(_ rate: Double, from source: Source) -> Bool {
    guard rate > 0, active.values.contains(where: { $0.source != source && $0.rate != nil }) else { return false }
    return Double(minimumSplit) / rate > 1 + 2 * commonTime
  }
}
