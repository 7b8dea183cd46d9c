/// A range that a connection fetches.
package struct ActiveRange: Hashable, Sendable {
  /// The offset of the first byte asked for.
  package let start: Int64
  /// May move towards the start, when the rest goes to another connection.
  package internal(set) var end: Int64
  /// The response goes on up to here, if it is not stopped.
  package internal(set) var reach: Int64
  /// The next byte to come.
  package private(set) var position: Int64
  /// So many bytes from there on have come, and count only once their source is proved.
  private var ahead: Int64 = 0
  let startedAt: Double
  /// Who is asked for it.
  let source: RangeScheduler.Source
  /// Which state of the connection limit the request belongs to.
  let generation: Int
  /// How often silence has cost a connection these bytes: each time the next one may be silent for twice as long.
  var silences = 0
  /// Asked for before there was a plan: its share of the file is still to be found.
  var isUnplanned = false
  /// Its request went out when this was made: times from then on are worth knowing.
  var isTimed = true
  /// Its connection is a new one.
  var isCold = true
  /// What the response holds behind the end is read and thrown away, so that the connection can be used again.
  package internal(set) var drains = false
  /// That is for the sake of what a reader waits for.
  var isFreed = false
  /// All that is wanted has come.
  var isDraining: Bool { drains && remaining == 0 }
  /// The body goes on behind the end, so that its connection cannot be used again.
  var wasShortened: Bool { end < reach && !drains }
  var requestedAt: Double?
  var answeredAt: Double?
  var heardAt: Double
  /// Bytes a second, over windows of 200 ms and of the time to an answer: of the latest one while it still grows, and
  /// smoothed from then on.
  private(set) var rate: Double?
  /// Each window so far brought more than the one before: the connection has not shown yet what it can do.
  private(set) var isGrowing = true
  private var windowStart: Double?
  private var windowBytes: Int64 = 0
  /// What has come has no room before bytes from the front have come, and when that was last seen.
  private var heldAt: Double?
  /// The next window brings what has gathered meanwhile: it says nothing.
  private var hasGathered = false

  /// Shorter than this, in seconds, a time shows no rate: what lay ready in a buffer comes at once.
  private static let leastWindow = 0.2
  /// A connection grows while a window brings so many times as much as the one before: a new one doubles what it sends
  /// with each round trip (RFC 5681).
  private static let growth = 1.25
  /// From so many bytes on, or after so many seconds of them, a connection works: a packet's worth (RFC 9293, 3.7.1).
  private static let proof: (bytes: Int64, seconds: Double) = (536, 1)

  init(range: ByteRange, startedAt: Double, source: RangeScheduler.Source = 0, generation: Int) {
    self.source = source
    start = range.start
    end = range.end
    reach = range.end
    position = range.start
    self.startedAt = startedAt
    self.generation = generation
    heardAt = startedAt
  }

  /// Bytes that are still to come.
  package var remaining: Int64 { end - position }
  var rest: ByteRange { ByteRange(position, end) }
  /// The same without those that wait for their source's proof.
  var toCome: Int64 { max(0, remaining - ahead) }

  mutating func received(_ count: Int64, at now: Double) {
    position = min(end, position.addingClamped(count))
    // What waited for its source's proof was measured when it came.
    let waited = min(ahead, count)
    ahead -= waited
    if waited > 0 { windowStart = nil }
    measure(count - waited, at: now)
  }

  /// Bytes came that count only once their source is proved.
  mutating func receivedAhead(_ count: Int64, at now: Double) {
    ahead = ahead.addingClamped(count)
    measure(count, at: now)
  }

  /// What comes has no room, so that it is not read; its silence is not its own.
  mutating func held(at now: Double) {
    (heardAt, heldAt, windowStart, hasGathered) = (now, now, nil, true)
  }

  /// Whether it is held since a moment ago.
  func isHeld(at now: Double) -> Bool { heldAt.map { $0 >= heardAt && now - $0 < Self.leastWindow } ?? false }

  private mutating func measure(_ count: Int64, at now: Double) {
    heardAt = now
    guard let begun = windowStart else {
      windowStart = now
      windowBytes = 0
      return
    }
    windowBytes += count
    guard now - begun >= window else { return }
    defer { hasGathered = false }
    if !hasGathered { note(Double(windowBytes) / (now - begun)) }
    windowStart = now
    windowBytes = 0
  }

  /// In seconds: in a shorter time than one to an answer a new connection's growth does not show.
  var window: Double {
    guard let requestedAt, let answeredAt else { return Self.leastWindow }
    return min(max(Self.leastWindow, answeredAt - requestedAt), 1)
  }

  private mutating func note(_ measured: Double) {
    guard let before = rate else {
      rate = measured
      return
    }
    isGrowing = isGrowing && measured > before * Self.growth
    rate = isGrowing ? measured : before + (measured - before) * 0.4
  }

  /// Over the whole range, for ranges too short for a window; nil where that says nothing.
  func averageRate(at now: Double) -> Double? {
    guard rate == nil, heldAt == nil, let answeredAt, now - answeredAt >= Self.leastWindow / 2 else { return rate }
    return Double(position - start) / (now - answeredAt)
  }

  /// Since then.
  func averageRate(since answered: Double, at now: Double) -> Double {
    Double(position - start) / max(now - answered, Self.leastWindow)
  }

  /// With the time to the answer in it: less than the connection can do, where nothing better is known.
  func leastRate(at now: Double) -> Double? {
    guard isTimed, now - startedAt >= 0.001 else { return nil }
    return Double(position - start) / (now - startedAt)
  }

  /// Whether enough came that failures before this say nothing any more.
  func works(at now: Double) -> Bool {
    guard let answeredAt, position > start else { return false }
    return position - start >= Self.proof.bytes || now - answeredAt >= Self.proof.seconds
  }

  /// No byte for the stall time since the request went out, or a head that takes more than three times that.
  func isStalled(at now: Double, stallTime: Double) -> Bool {
    guard let requestedAt else { return false }
    if now - heardAt >= stallTime { return true }
    return answeredAt == nil && now - requestedAt >= 3 * stallTime
  }
}

extension Int64 {
  /// The sum, or the largest number there is.
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
