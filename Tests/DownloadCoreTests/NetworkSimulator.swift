import DownloadCore

/// A network in virtual time that does what a scheduler says and tells it what happens.
///
/// Fluid connections: between two events every answered request gets its connection's rate, less where all share a
/// bottleneck.
struct NetworkSimulator {
  /// Bytes a second over all connections.
  var capacity = Double.infinity
  /// The nth connection made, from 0.
  var link: (Int) -> SimulatedLink = { _ in SimulatedLink() }
  /// Where this is set, a connection takes the lowest free place of the network instead: the place, from 0, and how
  /// many connections it had before.
  var place: ((Int, Int) -> SimulatedLink)?
  var server = SimulatedServer()
  /// Bytes a second of each source, its connections, and what it says instead of an answer: where there are several.
  var sourceCapacity: [Double] = []
  var sourceLink: ((Int) -> SimulatedLink)?
  var sourceTrouble: (Int, Double) -> RangeScheduler.Trouble? = { _, _ in nil }
  /// When a source is dropped.
  var departures: [(source: Int, at: Double)] = []
  /// What the server says to a request instead of an answer: at this time, with so many requests being served.
  var trouble: (Double, Int) -> RangeScheduler.Trouble? = { _, _ in nil }
  /// When the process is paused, and for how many seconds of the network's time; its own clock stands still.
  var pause: (at: Double, seconds: Double)?
  /// Virtual seconds; a run that takes longer hangs.
  var mostSeconds = 600.0
  /// With less than this missing a connection may be idle.
  var mostIdle = Int64.max
  var random = SeededGenerator(seed: 1)

  private(set) var scheduler: RangeScheduler
  private(set) var record = SimulationRecord()
  private(set) var now = 0.0
  private var requests: [Request?]
  private var active = 0
  /// Connections whose last request ended well.
  private var warm: [SimulatedConnection?]
  private var lives: [Int]
  private var isTaken: [Bool]
  /// Since when a place is free that should not be.
  private var idleSince: Double?
  private let minimumSplit: Int64
  private let places: Int

  /// Seconds from look to look where nothing but bytes comes.
  private static let tick = 0.1

  private struct Request {
    var range: ByteRange
    var connection: SimulatedConnection
    var isWarm: Bool
    var requestedAt: Double?
    var isAnswered = false
    var heardAt = 0.0
    /// Bytes of the body that came, and of these the ones that the scheduler was told of.
    var delivered = 0.0
    var told: Int64 = 0
    /// Bytes a second, until the next event.
    var speed = 0.0
    var wasShortened = false

    var left: Double { Double(range.count) - delivered }
    var untilBroken: Double { Double(connection.link.breaksAfter) - connection.bytes }
  }

  init(
    length: Int64, limit: ConnectionLimit, minimumSplit: Int64 = 64 << 10, stallTime: Double = 10,
    missing: ByteRangeSet? = nil
  ) {
    let missing = missing ?? ByteRangeSet(ByteRange(0, length))
    let count = if case .fixed(let count) = limit { count } else { ConnectionLimit.automaticMost }
    self.init(
      RangeScheduler(missing: missing, limit: limit, minimumSplit: minimumSplit, stallTime: stallTime),
      connections: count, minimumSplit: minimumSplit)
  }

  init(stream range: ByteRange, stallTime: Double = 10) {
    self.init(RangeScheduler(stream: range, stallTime: stallTime), connections: 1, minimumSplit: 1)
  }

  private init(_ scheduler: RangeScheduler, connections: Int, minimumSplit: Int64) {
    self.scheduler = scheduler
    self.minimumSplit = minimumSplit
    places = connections
    requests = Array(repeating: nil, count: connections)
    warm = Array(repeating: nil, count: connections)
    lives = Array(repeating: 0, count: connections)
    isTaken = Array(repeating: false, count: connections)
  }

  /// So many sources more, which may be asked from the beginning.
  mutating func addMirrors(_ count: Int) {
    for _ in 0..<count { scheduler.open(scheduler.addSource(at: now)) }
    let more = count * places
    requests += Array(repeating: nil, count: more)
    warm += Array(repeating: nil, count: more)
    lives += Array(repeating: 0, count: more)
    isTaken += Array(repeating: false, count: more)
  }

  private mutating func takeDepartures() {
    for (source, at) in departures where now >= at {
      for slot in scheduler.drop(source) { drop(slot) }
    }
    departures.removeAll { now >= $0.at }
  }

  /// Runs until everything is here, or to the given time.
  mutating func run(until end: Double? = nil) -> SimulationRecord {
    perform()
    var tick = now + Self.tick
    while !scheduler.isComplete, now < end ?? mostSeconds, record.starts.count < 10_000 {
      let next = nextEvent(before: tick)
      deliver(for: next - now)
      now = next
      if isEventDue || now >= tick {
        for slot in requests.indices { tell(slot) }
        pauseIfDue()
        takeDepartures()
        for slot in requests.indices { advance(slot) }
        perform()
        tick = now + Self.tick
      }
    }
    record.expect(record.starts.count < 10_000, "a storm of requests")
    if scheduler.isComplete { record.end = now }
    for slot in requests.indices { note(slot) }
    return record
  }
}

// What the scheduler asks for.
extension NetworkSimulator {
  private mutating func perform() {
    var shortened: Int64?
    var overtaken = false
    record.looks += 1
    for action in scheduler.next(at: now) {
      switch action {
      case .start(let slot, let range):
        check(range, shortened: shortened, overtaken: overtaken)
        start(slot, range)
      case .shorten(let slot, let end):
        record.expect(end >= requests[slot]!.range.start + requests[slot]!.told, "a shortening of what came")
        requests[slot]!.range.end = end
        requests[slot]!.wasShortened = true
        record.shortened += 1
      case .extend(let slot, let end): requests[slot]!.range.end = end
      case .stop(let slot, let reason):
        record.stops.append((now, slot, reason))
        drop(slot)
      }
      if case .shorten(_, let end) = action { shortened = end } else { shortened = nil }
      if case .stop = action { overtaken = true }
    }
    record.mostActive = max(record.mostActive, active)
    record.expect(scheduler.active.count == active, "the scheduler thinks of other requests")
    noteIdle()
  }

  private mutating func start(_ slot: Int, _ range: ByteRange) {
    record.expect(requests[slot] == nil && !range.isEmpty, "a bad start in slot \(slot)")
    let connection = warm[slot] ?? connect(slot)
    requests[slot] = Request(range: range, connection: connection, isWarm: warm[slot] != nil)
    warm[slot] = nil
    active += 1
    record.starts.append((now, slot, range))
  }

  private mutating func connect(_ slot: Int) -> SimulatedConnection {
    let free = isTaken.firstIndex(of: false)!
    let link = place?(free, lives[free]) ?? sourceLink?(scheduler.source(of: slot)) ?? link(record.connections)
    isTaken[free] = true
    lives[free] += 1
    record.connections += 1
    if link.later?.rate == 0 || link.breaksAfter < .max { record.deaths += 1 }
    return SimulatedConnection(link, place: free, madeAt: now + link.connectTime)
  }

  private mutating func check(_ range: ByteRange, shortened: Int64?, overtaken: Bool) {
    let isStolen = shortened == range.start
    let isRest = !isStolen && (overtaken || !scheduler.missing.contains(range.end))
    record.expect(isRest || range.count >= minimumSplit, "a range of \(range.count)")
  }

  private mutating func noteIdle() {
    let isIdle =
      active < places && !scheduler.isComplete && now >= scheduler.quietUntil
      && scheduler.remaining > mostIdle && canShare
    guard isIdle else {
      idleSince = nil
      return
    }
    let since = idleSince ?? now
    idleSince = since
    record.longestIdle = max(record.longestIdle, now - since)
  }

  /// Something is missing that is long enough for two.
  private var canShare: Bool {
    !scheduler.missing.isEmpty || scheduler.active.values.contains { $0.remaining >= 2 * minimumSplit }
  }
}

// What happens in the network.
extension NetworkSimulator {
  /// Gives every answered request its speed; the time until which nothing changes.
  private mutating func nextEvent(before tick: Double) -> Double {
    var next = tick
    var answered: [Int] = []
    var demands: [Double] = []
    for slot in requests.indices {
      guard let request = requests[slot] else { continue }
      guard request.isAnswered else {
        next = min(next, dueTime(of: request))
        continue
      }
      let pace = request.connection.pace(at: now)
      answered.append(slot)
      demands.append(pace.rate)
      next = min(next, pace.until)
    }
    for (slot, speed) in zip(answered, fairShares(of: capacity, among: limitedBySource(demands, answered))) {
      requests[slot]!.speed = speed
      guard speed > 0 else { continue }
      next = min(next, now + min(requests[slot]!.left, requests[slot]!.untilBroken) / speed)
    }
    return max(next, now + 1e-7)
  }

  /// What connections get where each source has a link of its own.
  private func limitedBySource(_ demands: [Double], _ slots: [Int]) -> [Double] {
    var limited = demands
    for (source, capacity) in sourceCapacity.enumerated() {
      let own = slots.indices.filter { scheduler.source(of: slots[$0]) == source }
      for (index, share) in zip(own, fairShares(of: capacity, among: own.map { demands[$0] })) {
        limited[index] = share
      }
    }
    return limited
  }

  /// When a request that is not answered has its next event.
  private func dueTime(of request: Request) -> Double {
    guard let requestedAt = request.requestedAt else { return request.isWarm ? now : request.connection.madeAt }
    return request.connection.link.dripsHead ? request.heardAt + 1 : requestedAt + request.connection.link.latency
  }

  private mutating func deliver(for seconds: Double) {
    for slot in requests.indices where requests[slot]?.isAnswered == true {
      let count = min(requests[slot]!.left, requests[slot]!.speed * seconds)
      requests[slot]!.delivered += count
      requests[slot]!.connection.pass(seconds, from: now, delivering: count)
    }
  }

  private var isEventDue: Bool {
    if let pause, now >= pause.at { return true }
    return requests.contains { request in
      guard let request else { return false }
      guard request.isAnswered else { return dueTime(of: request) <= now + 1e-6 }
      return request.left < 0.01 || request.untilBroken < 0.01
    }
  }

  /// While the process is paused the network goes on until the buffers are full.
  private mutating func pauseIfDue() {
    guard let pause, now >= pause.at else { return }
    self.pause = nil
    for slot in requests.indices where requests[slot]?.isAnswered == true {
      let waiting = min(requests[slot]!.left, min(requests[slot]!.speed * pause.seconds, 4_194_304))
      requests[slot]!.delivered += waiting
      requests[slot]!.connection.pass(0, from: now, delivering: waiting)
      tell(slot)
    }
  }

  /// Tells the scheduler of the bytes that came.
  private mutating func tell(_ slot: Int) {
    guard let request = requests[slot], request.isAnswered else { return }
    let came = min(request.range.count, Int64(request.delivered + 0.01))
    guard came > request.told else { return }
    requests[slot]!.told = came
    scheduler.received(slot, came - request.told, at: now)
  }

  private mutating func advance(_ slot: Int) {
    guard let request = requests[slot] else { return }
    if request.isAnswered {
      if request.left < 0.01 { return finish(slot, request) }
      if request.untilBroken < 0.01 { fail(slot, .transient) }
      return
    }
    guard dueTime(of: request) <= now + 1e-6 else { return }
    if request.requestedAt == nil {
      requests[slot]!.requestedAt = now
      requests[slot]!.heardAt = now
      scheduler.requested(slot, at: now)
    } else if request.connection.link.dripsHead {
      requests[slot]!.heardAt = now
      scheduler.heard(slot, at: now)
    } else {
      answer(slot)
    }
  }

  private mutating func answer(_ slot: Int) {
    let serving = requests.count { $0?.isAnswered == true }
    let ofSource = sourceTrouble(scheduler.source(of: slot), now)
    if let trouble = ofSource ?? trouble(now, serving + 1) ?? server.trouble(at: now, serving: serving) {
      record.refusals += 1
      return fail(slot, trouble)
    }
    requests[slot]!.isAnswered = true
    if requests[slot]!.connection.beganAt == nil { requests[slot]!.connection.beganAt = now }
    let range = requests[slot]!.range
    let end = range.start + min(range.count, requests[slot]!.connection.link.slice)
    requests[slot]!.range.end = end
    scheduler.answered(slot, end: end < range.end ? end : nil, at: now)
  }

  private mutating func fail(_ slot: Int, _ trouble: RangeScheduler.Trouble) {
    if scheduler.isStream { requests[slot]!.told = 0 }
    drop(slot)
    scheduler.failed(slot, trouble, random: Double.random(in: 0..<1, using: &random), at: now)
  }

  private mutating func finish(_ slot: Int, _ request: Request) {
    drop(slot)
    if !request.wasShortened {
      warm[slot] = request.connection
      isTaken[request.connection.place] = true
    }
    scheduler.finished(slot, at: now)
  }

  /// Ends a request and its connection.
  private mutating func drop(_ slot: Int) {
    note(slot)
    isTaken[requests[slot]!.connection.place] = false
    requests[slot] = nil
    active -= 1
  }

  /// Books what a request brought.
  private mutating func note(_ slot: Int) {
    guard let request = requests[slot], request.told > 0 else { return }
    record.received.insert(ByteRange(request.range.start, request.range.start + request.told))
    record.bytes += request.told
    requests[slot]!.range.start += request.told
    requests[slot]!.delivered -= Double(request.told)
    requests[slot]!.told = 0
  }
}
