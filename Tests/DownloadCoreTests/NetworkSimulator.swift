import DownloadCore

/// One connection of a simulated network, from when it is made until it is dropped.
struct SimulatedLink: Sendable {
  /// Bytes a second.
  var rate = 4.0 * 1024 * 1024
  /// Seconds to make it, and from a request to its answer.
  var connectTime = 0.05
  var latency = 0.05
  /// So many seconds after it was made, it delivers so many bytes a second instead.
  var later: (after: Double, rate: Double)?
  /// Broken after so many bytes, over all its requests.
  var breaksAfter = Int64.max
  /// A byte of the head each second, and never the last one.
  var dripsHead = false
  /// The server answers for no more than this of a range.
  var slice = Int64.max
}

/// A network in virtual time that does what a scheduler says and tells it what happens.
///
/// Fluid connections: in each step every answered request gets its link's rate, less where all share a bottleneck.
struct NetworkSimulator {
  /// Bytes a second over all connections.
  var capacity = Double.infinity
  /// The nth connection made, from 0.
  var link: (Int) -> SimulatedLink = { _ in SimulatedLink() }
  /// What the server says to a request instead of an answer: at this time, with so many requests being served.
  var trouble: (Double, Int) -> RangeScheduler.Trouble? = { _, _ in nil }
  var step = 0.02
  /// Virtual seconds; a run that takes longer hangs.
  var mostSeconds = 600.0
  var random = SeededGenerator(seed: 1)

  private(set) var scheduler: RangeScheduler
  private(set) var record = SimulationRecord()
  private(set) var now = 0.0
  private var requests: [Int: Request] = [:]
  /// Links whose last request ended well.
  private var warm: [Int: (link: SimulatedLink, madeAt: Double, bytes: Int64)] = [:]
  private let connections: Int
  private let minimumSplit: Int64
  private let length: Int64

  private struct Request {
    var range: ByteRange
    var link: SimulatedLink
    var madeAt: Double
    var isWarm: Bool
    var position: Int64
    var requestedAt: Double?
    var isAnswered = false
    var heardAt = 0.0
    /// Parts of a byte that are still to come.
    var rest = 0.0
    var bytes: Int64 = 0
    var wasShortened = false
  }

  init(
    length: Int64, limit: ConnectionLimit, minimumSplit: Int64 = 64 << 10, stallTime: Double = 10,
    missing: ByteRangeSet? = nil
  ) {
    let missing = missing ?? ByteRangeSet(ByteRange(0, length))
    scheduler = RangeScheduler(missing: missing, limit: limit, minimumSplit: minimumSplit, stallTime: stallTime)
    connections = if case .fixed(let count) = limit { count } else { ConnectionLimit.automaticMost }
    self.minimumSplit = minimumSplit
    self.length = missing.count
  }

  init(stream range: ByteRange, stallTime: Double = 10) {
    scheduler = RangeScheduler(stream: range, stallTime: stallTime)
    connections = 1
    minimumSplit = 1
    length = range.count
  }

  /// Runs until everything is here, or to the given time.
  mutating func run(until end: Double? = nil) -> SimulationRecord {
    perform()
    var tick = 0.1
    while !scheduler.isComplete, now < end ?? mostSeconds, record.starts.count < 10_000 {
      now += step
      if advance() || now >= tick {
        perform()
        tick = now + 0.1
      }
    }
    record.expect(record.starts.count < 10_000, "a storm of requests")
    if scheduler.isComplete { record.end = now }
    return record
  }

  private mutating func perform() {
    var shortened: Int64?
    var overtaken = false
    for action in scheduler.next(at: now) {
      switch action {
      case .start(let slot, let range):
        check(range, shortened: shortened, overtaken: overtaken)
        start(slot, range)
      case .shorten(let slot, let end):
        requests[slot]!.range.end = end
        requests[slot]!.wasShortened = true
        record.shortened += 1
      case .stop(let slot, let reason):
        requests[slot] = nil
        record.stops.append((now, slot, reason))
      }
      if case .shorten(_, let end) = action { shortened = end } else { shortened = nil }
      if case .stop = action { overtaken = true }
    }
    record.mostActive = max(record.mostActive, requests.count)
    record.expect(requests.count <= connections, "\(requests.count) at once")
    record.expect(Set(scheduler.active.keys) == Set(requests.keys), "the scheduler thinks of other requests")
  }

  private mutating func start(_ slot: Int, _ range: ByteRange) {
    record.expect(requests[slot] == nil && !range.isEmpty && slot < connections, "a bad start in slot \(slot)")
    let old = warm.removeValue(forKey: slot)
    let link = old?.link ?? link(record.connections)
    if old == nil { record.connections += 1 }
    requests[slot] = Request(
      range: range, link: link, madeAt: old?.madeAt ?? now + link.connectTime, isWarm: old != nil,
      position: range.start, bytes: old?.bytes ?? 0)
    record.starts.append((now, slot, range))
  }

  private mutating func check(_ range: ByteRange, shortened: Int64?, overtaken: Bool) {
    let isStolen = shortened == range.start
    let isRest = !isStolen && (overtaken || !scheduler.missing.contains(range.end))
    record.expect(isRest || range.count >= minimumSplit, "a range of \(range.count)")
  }

  /// One step of time; whether anything but bytes happened.
  private mutating func advance() -> Bool {
    let demand = requests.values.reduce(0.0) { $0 + ($1.isAnswered ? rate($1.link, madeAt: $1.madeAt) : 0) }
    let portion = demand > capacity ? capacity / demand : 1
    var happened = false
    for slot in requests.keys.sorted() where advance(slot, portion: portion) { happened = true }
    return happened
  }

  private func rate(_ link: SimulatedLink, madeAt: Double) -> Double {
    guard let later = link.later, now - madeAt >= later.after else { return link.rate }
    return later.rate
  }

  private mutating func advance(_ slot: Int, portion: Double) -> Bool {
    guard let request = requests[slot] else { return false }
    guard let requestedAt = request.requestedAt else {
      guard request.isWarm || now >= request.madeAt else { return false }
      requests[slot]!.requestedAt = now
      requests[slot]!.heardAt = now
      scheduler.requested(slot, at: now)
      return true
    }
    guard !request.isAnswered else { return receive(slot, portion: portion) }
    if request.link.dripsHead {
      guard now - request.heardAt >= 1 else { return false }
      requests[slot]!.heardAt = now
      scheduler.heard(slot, at: now)
      return true
    }
    guard now - requestedAt >= request.link.latency else { return false }
    answer(slot)
    return true
  }

  private mutating func answer(_ slot: Int) {
    if let trouble = trouble(now, requests.values.count { $0.isAnswered } + 1) {
      record.refusals += 1
      fail(slot, trouble)
      return
    }
    requests[slot]!.isAnswered = true
    let range = requests[slot]!.range
    let end = range.start + min(range.count, requests[slot]!.link.slice)
    requests[slot]!.range.end = end
    scheduler.answered(slot, end: end < range.end ? end : nil, at: now)
  }

  private mutating func fail(_ slot: Int, _ trouble: RangeScheduler.Trouble) {
    let request = requests.removeValue(forKey: slot)!
    if scheduler.isStream { record.received.remove(ByteRange(request.range.start, request.position)) }
    if scheduler.isStream { record.bytes -= request.position - request.range.start }
    scheduler.failed(slot, trouble, random: Double.random(in: 0..<1, using: &random), at: now)
  }

  private mutating func receive(_ slot: Int, portion: Double) -> Bool {
    var request = requests[slot]!
    let due = request.rest + rate(request.link, madeAt: request.madeAt) * step * portion
    let count = min(Int64(due), request.range.end - request.position, request.link.breaksAfter - request.bytes)
    request.rest = due - due.rounded(.down)
    if count > 0 {
      record.received.insert(ByteRange(request.position, request.position + count))
      record.bytes += count
      request.position += count
      request.bytes += count
      scheduler.received(slot, count, at: now)
    }
    requests[slot] = request
    if request.position == request.range.end { return finish(slot, request) }
    guard request.bytes >= request.link.breaksAfter else { return false }
    fail(slot, .transient)
    return true
  }

  private mutating func finish(_ slot: Int, _ request: Request) -> Bool {
    requests[slot] = nil
    if !request.wasShortened { warm[slot] = (request.link, request.madeAt, request.bytes) }
    scheduler.finished(slot, at: now)
    return true
  }
}

/// What happened in a simulated network.
struct SimulationRecord {
  /// When the last byte came; nil where it never did.
  var end: Double?
  var starts: [(time: Double, slot: Int, range: ByteRange)] = []
  var stops: [(time: Double, slot: Int, reason: RangeScheduler.StopReason)] = []
  var shortened = 0
  var refusals = 0
  var connections = 0
  var mostActive = 0
  var received = ByteRangeSet()
  /// Of all answers that count together.
  var bytes: Int64 = 0
  /// What should not have happened.
  var problems: Set<String> = []

  mutating func expect(_ isRight: Bool, _ problem: @autoclosure () -> String) {
    if !isRight { problems.insert(problem()) }
  }

  /// Each byte came, and none twice.
  func isWhole(_ length: Int64) -> Bool { bytes == length && received.count == length }
}
