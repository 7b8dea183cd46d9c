/// Decides which connection fetches which range, and when.
///
/// A pure state machine: events go in, each with the time, and `next(at:)` gives the actions to perform. Times are
/// seconds on any clock that only goes forward and that stands still while the process is stopped.
///
/// Ranges are given out from the front of what is missing, each as long as its connection is expected to fetch in a
/// common time; when nothing is left to give, an idle connection takes over part of the range that would end last.
package struct RangeScheduler: Sendable {
  /// A place for one connection at a time, 0 and up.
  package typealias Slot = Int

  package enum Action: Hashable, Sendable {
    /// Ask for these bytes.
    case start(Slot, ByteRange)
    /// Stop at this offset instead of the range's end: what is beyond went to another connection.
    case shorten(Slot, end: Int64)
    /// Drop the connection; what it has not fetched is queued again already.
    case stop(Slot, StopReason)
  }

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
  }

  package let stallTime: Double
  /// The whole file comes as one body over one connection, and after a failure from its beginning again.
  package let isStream: Bool
  let minimumSplit: Int64
  /// Bytes that nobody fetches yet.
  private(set) package var missing: ByteRangeSet
  private(set) package var active: [Slot: ActiveRange] = [:]
  var limit: AdaptiveLimit
  private var slots: [SlotHistory]
  /// No new request before this time: a Retry-After, or a back-off that holds for all.
  private(set) package var quietUntil = -Double.infinity
  private var latency = 0.2
  /// Failures in a row of all connections together; requests that were under way at the last one count with it.
  private var streak = 0
  private var streakBegan = -Double.infinity
  /// How often a silent connection was overtaken: each time the next one may be silent for twice as long.
  var overtakes = 0
  /// What a stream's body holds from its beginning to its end.
  private var stream: ByteRange?

  /// `stallTime` in seconds.
  package init(missing: ByteRangeSet, limit: ConnectionLimit, minimumSplit: Int64, stallTime: Double) {
    self.missing = missing
    self.limit = AdaptiveLimit(limit)
    self.minimumSplit = max(1, minimumSplit)
    self.stallTime = stallTime
    isStream = false
    slots = Array(repeating: SlotHistory(), count: self.limit.most)
  }

  /// Fetches `range` as one body, never in parts: from the file's beginning to its end, or to `unknownEnd`. What came
  /// of a body that failed does not count.
  package init(stream range: ByteRange, stallTime: Double) {
    missing = ByteRangeSet(range)
    limit = AdaptiveLimit(.fixed(1))
    minimumSplit = 1
    self.stallTime = stallTime
    isStream = true
    stream = range
    slots = [SlotHistory()]
  }

  /// Everything was fetched.
  package var isComplete: Bool { missing.isEmpty && active.isEmpty }
  /// Bytes that are not here yet; of a stream without a known end, a number without meaning.
  package var remaining: Int64 { active.values.reduce(missing.count) { $0.addingClamped($1.remaining) } }
}

extension RangeScheduler {
  /// Takes over a request that is under way already: the first one, sent before the length was known.
  package mutating func adopt(_ slot: Slot, range: ByteRange, at now: Double) {
    if isStream {
      stream = range
      missing = ByteRangeSet()
    }
    missing.remove(range)
    var adopted = ActiveRange(range: range, startedAt: now, generation: limit.generation)
    adopted.requestedAt = now
    adopted.answeredAt = now
    active[slot] = adopted
  }

  /// The connection is made and the request goes out: from now on silence is a stall.
  package mutating func requested(_ slot: Slot, at now: Double) {
    guard active[slot]?.requestedAt == nil else { return }
    active[slot]?.requestedAt = now
    active[slot]?.heardAt = now
  }

  /// A byte of the head came.
  package mutating func heard(_ slot: Slot, at now: Double) { active[slot]?.heardAt = now }

  /// The head was accepted: the body follows. `end` where the server answers for less than was asked, or where a
  /// stream turns out to end.
  package mutating func answered(_ slot: Slot, end: Int64? = nil, at now: Double) {
    guard var range = active[slot] else { return }
    if let end, end < range.end {
      let end = max(end, range.position)
      if isStream { stream = ByteRange(range.start, end) } else { missing.insert(ByteRange(end, range.end)) }
      range.end = end
    }
    if let requested = range.requestedAt { latency += (max(0, now - requested) - latency) * 0.3 }
    range.answeredAt = now
    range.heardAt = now
    active[slot] = range
  }

  /// `count` bytes of the body were written.
  package mutating func received(_ slot: Slot, _ count: Int64, at now: Double) {
    guard active[slot] != nil else { return }
    active[slot]!.received(count, at: now)
    slots[slot].failures = 0
    slots[slot].rate = active[slot]!.rate ?? slots[slot].rate
    streak = 0
  }

  /// The range's last byte was written.
  package mutating func finished(_ slot: Slot, at now: Double) {
    guard let range = active.removeValue(forKey: slot) else { return }
    slots[slot].rate = range.averageRate(at: now) ?? slots[slot].rate
    slots[slot].notBefore = now
  }

  /// The range ended early: what is left of it is queued again. `random` in 0..<1 spreads the back-off.
  package mutating func failed(_ slot: Slot, _ trouble: Trouble, random: Double, at now: Double) {
    guard let range = active.removeValue(forKey: slot) else { return }
    missing.insert(stream ?? range.rest)
    slots[slot].failures += 1
    guard trouble != .immediate else {
      slots[slot].notBefore = now
      return
    }
    if range.startedAt >= streakBegan {
      streak += 1
      streakBegan = now
    }
    let working = active.values.count { $0.answeredAt != nil }
    var wait = BackOff.delay(attempt: max(streak, slots[slot].failures), random: random)
    var holdsForAll = working == 0
    if case .slowDown(let retryAfter) = trouble {
      limit.refused(generation: range.generation, working: working, at: now)
      wait = retryAfter ?? wait
      holdsForAll = holdsForAll || retryAfter != nil
    }
    slots[slot].notBefore = now + wait
    if holdsForAll { quietUntil = max(quietUntil, now + wait) }
  }

  /// Bytes that were believed to be here are not.
  package mutating func lost(_ range: ByteRange) {
    guard let stream else { return missing.insert(range) }
    if active.isEmpty { missing.insert(stream) }
  }

  /// Whether nothing is under way because everything waits on purpose, for what the server asked.
  package func isWaiting(at now: Double) -> Bool { active.isEmpty && quietUntil > now }
}

extension RangeScheduler {
  /// What is to be done now. To be called after events and several times a second.
  package mutating func next(at now: Double) -> [Action] {
    var actions = stopStalled(at: now)
    limit.grow(rate: totalRate, busy: missing.isEmpty ? 0 : active.count, remaining: remaining, at: now)
    guard now >= quietUntil else { return actions }
    while active.count < limit.current, let slot = idleSlot(at: now) {
      if let range = takeFromFront(for: slot) {
        actions.append(begin(slot, range, at: now))
      } else if let theft = takeOver(for: slot, at: now) {
        actions += theft
      } else {
        break
      }
    }
    return actions
  }

  private func idleSlot(at now: Double) -> Slot? {
    slots.indices.first { active[$0] == nil && slots[$0].notBefore <= now }
  }

  private mutating func begin(_ slot: Slot, _ range: ByteRange, at now: Double) -> Action {
    active[slot] = ActiveRange(range: range, startedAt: now, generation: limit.generation)
    return .start(slot, range)
  }

  private mutating func stopStalled(at now: Double) -> [Action] {
    var actions: [Action] = []
    for (slot, range) in active where range.isStalled(at: now, stallTime: stallTime) {
      failed(slot, .immediate, random: 0, at: now)
      actions.append(.stop(slot, .stalled))
    }
    return actions
  }

  /// Bytes a second over all connections.
  package var totalRate: Double { active.values.reduce(0) { $0 + ($1.rate ?? 0) } }
}

/// A range that a connection fetches.
package struct ActiveRange: Hashable, Sendable {
  package let start: Int64
  /// May move towards the start, when the rest goes to another connection.
  package internal(set) var end: Int64
  /// The next byte to come.
  package private(set) var position: Int64
  let startedAt: Double
  /// Which state of the connection limit the request belongs to.
  let generation: Int
  var requestedAt: Double?
  var answeredAt: Double?
  var heardAt: Double
  /// Bytes a second, over windows of 200 ms and more.
  private(set) var rate: Double?
  private var windowStart: Double?
  private var windowBytes: Int64 = 0

  init(range: ByteRange, startedAt: Double, generation: Int) {
    start = range.start
    end = range.end
    position = range.start
    self.startedAt = startedAt
    self.generation = generation
    heardAt = startedAt
  }

  package var remaining: Int64 { end - position }
  var rest: ByteRange { ByteRange(position, end) }

  mutating func received(_ count: Int64, at now: Double) {
    position = min(end, position.addingClamped(count))
    heardAt = now
    guard let begun = windowStart else {
      windowStart = now
      return
    }
    windowBytes += count
    guard now - begun >= 0.2 else { return }
    let measured = Double(windowBytes) / (now - begun)
    rate = rate.map { $0 + (measured - $0) * 0.4 } ?? measured
    windowStart = now
    windowBytes = 0
  }

  /// Over the whole range, for ranges too short for a window.
  func averageRate(at now: Double) -> Double? {
    guard let answeredAt, now > answeredAt, position > start else { return rate }
    return rate ?? Double(position - start) / (now - answeredAt)
  }

  /// No byte for the stall time since the request went out, or a head that takes more than three times that.
  func isStalled(at now: Double, stallTime: Double) -> Bool {
    guard let requestedAt else { return false }
    if now - heardAt >= stallTime { return true }
    return answeredAt == nil && now - requestedAt >= 3 * stallTime
  }
}

/// What is known of a slot's earlier requests.
struct SlotHistory: Hashable, Sendable {
  /// Bytes a second of its last range.
  var rate: Double?
  /// In a row, without a byte between them.
  var failures = 0
  /// No request before this time.
  var notBefore = -Double.infinity
}

extension RangeScheduler {
  func knownRate(_ slot: Slot) -> Double? { slots[slot].rate ?? meanRate }

  /// The mean over the slots that have one.
  var meanRate: Double? {
    let rates = slots.compactMap(\.rate)
    return rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
  }

  /// Seconds from a request to its answer.
  var requestTime: Double { latency }

  mutating func take(_ range: ByteRange) { missing.remove(range) }

  mutating func shorten(_ slot: Slot, to end: Int64) { active[slot]!.end = end }

  mutating func drop(_ slot: Slot) { active[slot] = nil }

  mutating func add(_ slot: Slot, _ range: ByteRange, at now: Double) -> Action { begin(slot, range, at: now) }
}

extension Int64 {
  /// The sum, or the largest number there is.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
