/// Decides which connection fetches which range, and when.
///
/// A pure state machine: events go in, each with the time, and `next(at:)` gives the actions to perform. Times are
/// seconds on any clock that only goes forward and that stands still while the process is stopped.
///
/// Ranges are given out from the front of what is missing, each as long as its connection is expected to fetch in a
/// common time; one that would be the last by far loses what it cannot fetch in it. When nothing is left to give, an
/// idle connection takes over part of the range that would end last. Several sources of the file share what is missing.
package struct RangeScheduler: Sendable {
  /// A place for one connection at a time, 0 and up.
  package typealias Slot = Int

  /// What is to be done with a connection.
  package enum Action: Hashable, Sendable {
    /// Ask for these bytes.
    case start(Slot, ByteRange)
    /// Stop at this offset instead of the range's end: what is beyond went to another connection.
    case shorten(Slot, end: Int64)
    /// Go on to this offset: the response under way holds what nobody else can fetch now.
    case extend(Slot, end: Int64)
    /// Drop the connection; what it has not fetched is queued again already.
    case stop(Slot, StopReason)
  }

  /// Why a connection is dropped.
  package enum StopReason: Hashable, Sendable {
    /// Not a byte for the stall time, or a head that does not end.
    case stalled
    /// Another connection fetches the rest sooner.
    case overtaken
  }

  /// How a range ended before its end.
  package enum Trouble: Hashable, Sendable {
    /// Try again after a back-off.
    case transient
    /// The server asks for fewer connections: 429, 503, a refused connection. In seconds, where it said so.
    case slowDown(retryAfter: Double?)
    /// Not the connection's fault, or the remedy is known: try again at once.
    case immediate
    /// What an earlier answer had left on its connection, which has ended: another one is asked at once. That comes to an
    /// end with the connections that are open.
    case leftOver
  }

  /// Seconds of silence after which a connection is replaced.
  package let stallTime: Double
  /// The whole file comes as one body over one connection, and after a failure from its beginning again.
  package let isStream: Bool
  let minimumSplit: Int64
  /// A digest or a reader follows the file from the front: the ranges under way lie close together.
  let inOrder: Bool
  /// A long path is to be filled by many connections.
  private let heedsLatency: Bool
  /// Bytes that nobody fetches yet.
  package internal(set) var missing: ByteRangeSet
  /// The ranges under way.
  package internal(set) var active: [Slot: ActiveRange] = [:]
  /// The server first asked, and any mirrors; each has its own places.
  var sources: [SourceState]
  /// Never more connections than this, over all sources.
  let most: Int
  /// Of these, what other downloads leave; see `cap`.
  var share = Int.max
  let connections: ConnectionLimit
  /// What is to be fetched first, from the first source.
  var preferred: [ByteRange] = []
  /// What is known of each slot from earlier ranges.
  var slots: [SlotHistory]
  /// Whether anything but bytes came since the last look at it all, and when that was.
  var hasNews = true
  private var lookedAt = -Double.infinity
  /// Seconds from look to look while nothing but bytes comes: those are many.
  static let pause = 0.05
  /// When something of ours gave the pace.
  private var pace = PaceMemory()
  /// What a stream's body holds from its beginning to its end.
  var stream: ByteRange?
  /// Nothing beyond it is asked for; nil where nobody reads the file while it comes.
  package internal(set) var horizon: Horizon?

  /// `stallTime` in seconds; `latency` the seconds from an earlier request to its answer, where there was one;
  /// `inOrder` where a digest or a reader follows from the front; `heedsLatency`: the longer the path, the more
  /// connections are to begin.
  package init(
    missing: ByteRangeSet, limit: ConnectionLimit, minimumSplit: Int64, stallTime: Double, latency: Double? = nil,
    inOrder: Bool = false, heedsLatency: Bool = true
  ) {
    self.heedsLatency = heedsLatency
    self.missing = missing
    connections = limit
    most = AdaptiveLimit(limit).most
    sources = [SourceState(.open, slots: 0..<most, limit: limit)]
    self.minimumSplit = max(1, minimumSplit)
    self.inOrder = inOrder
    self.stallTime = stallTime
    isStream = false
    slots = Array(repeating: SlotHistory(), count: most)
    if let latency { noteAnswer(after: latency, from: 0) }
  }

  /// Fetches `range` as one body, never in parts: from the file's beginning to its end, or to `unknownEnd`. What came
  /// of a body that failed does not count.
  package init(stream range: ByteRange, stallTime: Double) {
    missing = ByteRangeSet(range)
    connections = .fixed(1)
    most = 1
    minimumSplit = 1
    inOrder = true
    heedsLatency = false
    self.stallTime = stallTime
    isStream = true
    stream = range
    // The body may be one that began as a range, in any slot.
    slots = Array(repeating: SlotHistory(), count: ConnectionLimit.most)
    sources = [SourceState(.open, slots: slots.indices, limit: .fixed(1))]
  }

  /// Everything was fetched.
  package var isComplete: Bool { missing.isEmpty && active.values.allSatisfy { $0.remaining == 0 } }
  /// Bytes that are not here yet; of a stream without a known end, a number without meaning.
  package var remaining: Int64 { active.values.reduce(missing.count) { $0.addingClamped($1.remaining) } }
}

extension RangeScheduler {
  /// The connection is made and the request goes out: from now on silence is a stall.
  package mutating func requested(_ slot: Slot, at now: Double) {
    guard let range = active[slot], range.requestedAt == nil else { return }
    active[slot]!.requestedAt = now
    active[slot]!.heardAt = now
    guard range.isTimed, !slots[slot].isWarm else { return }
    sources[range.source].times.noteConnection(now - range.startedAt)
  }

  /// A byte of the head came.
  package mutating func heard(_ slot: Slot, at now: Double) { active[slot]?.heardAt = now }

  /// What has come on these is held back: their silence is ours.
  package mutating func heldBack(_ held: [Slot], by pace: Pace, at now: Double) {
    self.pace.note(pace, at: now)
    for slot in held {
      if pace == .front { active[slot]?.held(at: now) } else { active[slot]?.heardAt = now }
    }
  }

  private func isLimited(at now: Double) -> Bool { pace.isRemembered(at: now) }

  /// The head was accepted: the body follows. `end` where the server answers for less than was asked, or where a
  /// stream turns out to end.
  package mutating func answered(_ slot: Slot, end: Int64? = nil, at now: Double) {
    guard var range = active[slot] else { return }
    hasNews = true
    if let end, end < range.end {
      let end = max(end, range.position)
      if isStream {
        stream = ByteRange(min(stream?.start ?? 0, range.start), end)
      } else {
        missing.insert(ByteRange(end, range.end))
      }
      range.end = end
      range.reach = end
    }
    if range.isTimed, let requested = range.requestedAt { noteAnswer(after: now - requested, from: range.source) }
    range.answeredAt = now
    range.heardAt = now
    active[slot] = range
  }

  /// An answer came so many seconds after its request.
  mutating func noteAnswer(after seconds: Double, from source: Source) {
    sources[source].times.noteAnswer(seconds)
    if heedsLatency { sources[source].limit.noteLatency(max(0, seconds)) }
  }

  /// `count` bytes of the body were written.
  package mutating func received(_ slot: Slot, _ count: Int64, at now: Double) {
    guard let source = active[slot]?.source else { return }
    active[slot]!.received(count, at: now)
    sources[source].total = sources[source].total.addingClamped(count)
    slots[slot].rate = active[slot]!.rate ?? slots[slot].rate
    if active[slot]!.works(at: now) { forgetFailures(of: slot) }
  }

  /// `count` bytes of the body came from a source that is not proved: they count once `received` has them.
  package mutating func receivedAhead(_ slot: Slot, _ count: Int64, at now: Double) {
    guard active[slot] != nil else { return }
    active[slot]!.receivedAhead(count, at: now)
    slots[slot].rate = active[slot]!.rate ?? slots[slot].rate
  }

  private mutating func forgetFailures(of slot: Slot) {
    slots[slot].failures = 0
    sources[slots[slot].source].streak = 0
  }

  /// The range's last byte was written, and the rest of a response that drains was read. `isCut`: its connection has
  /// ended.
  package mutating func finished(_ slot: Slot, isCut: Bool = false, at now: Double) {
    guard let range = active.removeValue(forKey: slot) else { return }
    hasNews = true
    slots[slot].wasGrowing = range.isGrowing && !slots[slot].hasFinished
    slots[slot].hasFinished = true
    slots[slot].isWarm = !range.wasShortened && !isCut
    if range.position > range.start { noteRate(of: slot, range, at: now) }
    slots[slot].notBefore = now
    forgetFailures(of: slot)
  }

  /// A range too short to show its connection's rate still shows that it is not less than that; and what was seen of a
  /// slow connection says nothing of the next one in its place.
  private mutating func noteRate(of slot: Slot, _ range: ActiveRange, at now: Double) {
    let measured = range.averageRate(at: now)
    slots[slot].rate = measured ?? [slots[slot].rate, range.leastRate(at: now)].compactMap(\.self).max()
    guard !slots[slot].isWarm, let rate = slots[slot].rate, let mean = meanRate(of: range.source) else { return }
    slots[slot].rate = max(rate, mean)
  }

  /// The range ended early: what is left of it is queued again. `random` in 0..<1 spreads the back-off.
  package mutating func failed(_ slot: Slot, _ trouble: Trouble, random: Double, at now: Double) {
    guard let range = active.removeValue(forKey: slot) else { return }
    hasNews = true
    missing.insert(stream ?? range.rest)
    slots[slot].notBefore = now
    slots[slot].keepsPlace = false
    slots[slot].isWarm = false
    guard trouble != .leftOver else { return }
    slots[slot].failures += 1
    // Where the remedy does not help again and again, it is trouble as any other.
    guard trouble != .immediate || slots[slot].failures >= 3 else { return }
    if range.startedAt >= sources[range.source].streakBegan {
      sources[range.source].streak += 1
      sources[range.source].streakBegan = now
    }
    backOff(slot, range, trouble, random: random, at: now)
  }

  private mutating func backOff(
    _ slot: Slot, _ range: ActiveRange, _ trouble: Trouble, random: Double, at now: Double
  ) {
    let source = range.source
    let working = workingCount(of: source)
    var wait = BackOff.delay(attempt: max(sources[source].streak, slots[slot].failures), random: random)
    var holdsForAll = working == 0
    if case .slowDown(let retryAfter) = trouble {
      sources[source].limit.refused(generation: range.generation, working: working, at: now)
      for index in sources[source].slots { slots[index].keepsPlace = false }
      // "At once" is no answer to a server that said that before.
      wait = max(retryAfter ?? 0, wait)
      holdsForAll = holdsForAll || retryAfter != nil
    } else {
      slots[slot].keepsPlace = true
    }
    slots[slot].notBefore = now + wait
    if holdsForAll { sources[source].quietUntil = max(sources[source].quietUntil, now + wait) }
  }

  /// Bytes that were believed to be here are not.
  package mutating func lost(_ range: ByteRange) {
    hasNews = true
    guard let stream else {
      missing.insert(range)
      return
    }
    if active.isEmpty { missing.insert(stream) }
  }

  /// Whether nothing is under way because everything waits on purpose, for what the server asked.
  package func isWaiting(at now: Double) -> Bool { active.isEmpty && quietUntil > now }
}

extension RangeScheduler {
  /// What is to be done now. To be called after events and several times a second.
  package mutating func next(at now: Double) -> [Action] {
    guard hasNews || now - lookedAt >= Self.pause else { return [] }
    hasNews = false
    lookedAt = now
    var actions = replaceStalled(at: now) + (isLimited(at: now) ? [] : relieveLaggards(at: now))
    for source in sources.indices where sources[source].isOpen { adaptLimit(of: source, at: now) }
    actions += cutAdopted() + keepWithinHorizon()
    if !isLimited(at: now) { actions += freeForFront(at: now) }
    return actions + giveOut(at: now) + extendWhereRefused()
  }

  private mutating func giveOut(at now: Double) -> [Action] {
    var actions: [Action] = []
    // Sources for which there is nothing to do now.
    var done: Set<Source> = []
    while let slot = idleSlot(at: now, of: sourcesWithRoom(at: now, but: done)) {
      if !isLimited(at: now), let takeOver = takeOverFront(for: slot, at: now) {
        actions += takeOver
      } else if isOfUse(slot), let range = isTooSlow(slot) ? nil : takeFromFront(for: slot) {
        actions.append(begin(slot, range, at: now))
      } else if isOfUse(slot), !isLimited(at: now), let theft = takeOver(for: slot, at: now) {
        actions += theft
      } else {
        done.insert(slots[slot].source)
      }
    }
    return actions
  }

  private mutating func adaptLimit(of source: Source, at now: Double) {
    let (working, generation) = (workingCount(of: source), sources[source].limit.generation)
    let patience = 1 + 3 * requestTime(at: source)
    let isPending = active.values.contains {
      $0.source == source && $0.answeredAt == nil && $0.generation < generation && now - $0.startedAt < patience
    }
    sources[source].limit.settle(working: working, isPending: isPending)
    // More connections would bring no more.
    guard !isLimited(at: now) else { return sources[source].limit.forgetEvidence() }
    let (total, latency) = (sources[source].total, requestTime(at: source))
    sources[source].limit.grow(total: total, busy: working, remaining: remaining, latency: latency, at: now)
  }

  /// Connections to a source whose answers have come.
  private func workingCount(of source: Source) -> Int {
    active.values.count { $0.source == source && $0.answeredAt != nil }
  }

  /// Gives a range to an idle slot.
  mutating func begin(_ slot: Slot, _ range: ByteRange, at now: Double) -> Action {
    let source = slots[slot].source
    let generation = sources[source].limit.generation
    active[slot] = ActiveRange(range: range, startedAt: now, source: source, generation: generation)
    active[slot]!.isCold = !slots[slot].isWarm
    return .start(slot, range)
  }
}
