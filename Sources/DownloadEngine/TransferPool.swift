import DownloadCore
import Glibc

/// The transfers under way, on one thread: starts them, waits for them, and says what happened.
final class TransferPool {
  enum Event {
    case news(Transfer, Transfer.News)
    /// The transfer has left the pool.
    case ended(Transfer, CurlCode)
  }

  let job: DownloadRequest
  private let began: Double
  private let multi: MultiHandle
  private let signals: SignalSource
  /// HEAD has a place of its own: the first GET may be under way beside it.
  static let headSlot = -1
  /// Wakes the pool when another thread has something to tell.
  let wakeup = Wakeup()
  private var clock = MonotonicClock()
  private(set) var transfers: [RangeScheduler.Slot: Transfer] = [:]
  private var touched: [Transfer] = []
  let limiter: RateLimiter?
  /// Nothing from this offset of the file on is taken: it waits for a reader of what is before it.
  var horizon = Int64.max
  /// Asked whenever the pool waits: throws what ends the download from elsewhere.
  var checkElsewhere: (() throws(DownloadError) -> Void)?
  /// Those whose next piece the limit on the rate or the horizon holds back, in the order in which they are to get it.
  var heldBack: [Transfer] = []
  /// Those that ended when they got it.
  private var endedLate: [(transfer: Transfer, code: CurlCode)] = []
  /// A piece of a file of this machine had to wait for the limit since `takeWaited`.
  var hasWaited = false
  /// Counts the times at which everything under way lost its meaning: events of transfers that were started before
  /// may still be on their way to whoever waits.
  private(set) var epoch = 0

  /// The shortest time for which what is held back is left alone, in seconds: several pieces are passed on at once, which
  /// spares the processor.
  private static let shortestHold = 0.01

  /// The connections that the downloads beside it leave; nil where there are none.
  private let lease: ConnectionLease?
  /// So many connections may be open, whether a transfer is on them or not.
  private var mostOpen = 0

  /// `limiter`: what limits the rate, if anything does. `lease`: what limits the connections.
  init(
    job: DownloadRequest, signals: SignalSource, limiter: RateLimiter? = nil, lease: ConnectionLease? = nil
  ) {
    self.job = job
    self.lease = lease
    self.signals = signals
    self.limiter = limiter
    began = clock.now()
    multi = MultiHandle(connections: ConnectionLimit.most)
  }

  deinit { stopAll() }

  /// A line for `--verbose`.
  func trace(_ slot: RangeScheduler.Slot, _ text: String) -> DownloadEvent {
    trace("\(TraceText.place(slot)) \(text)")
  }

  /// The same of no connection.
  func trace(_ text: String) -> DownloadEvent { .trace("\(TraceText.time(after: now - began)) \(text)") }

  /// In seconds; stands still while the process is stopped. Nothing here takes as long as a second on purpose.
  var now: Double { clock.now() }

  @discardableResult
  func start(
    _ request: TransferRequest, slot: RangeScheduler.Slot = 0, redirects: Int = 0, writer: PartWriter? = nil,
    mirror: Source? = nil
  ) -> Transfer {
    var request = request
    request.mostOfFile = mostOfFile
    let transfer = Transfer(slot: slot, request, job: job, redirects: redirects, writer: writer, mirror: mirror)
    transfer.epoch = epoch
    transfer.startedAt = now
    transfer.onNews = { [unowned self] in touched.append($0) }
    if limiter != nil || horizon < .max {
      transfer.mayTake = { [unowned self] transfer, count throws(DownloadError) in try mayTake(count, of: transfer) }
    }
    precondition(transfers[slot] == nil, "a slot has one transfer at a time")
    transfers[slot] = transfer
    mostOpen = max(mostOpen, transfers.count)
    transfer.join(multi)
    return transfer
  }

  /// Ends a transfer; what it has written stays.
  func stop(_ transfer: Transfer) {
    guard transfers[transfer.slot] === transfer else { return }
    transfer.leave(multi)
    transfer.commit()
    transfers[transfer.slot] = nil
    heldBack.removeAll { $0 === transfer }
  }

  /// Ends a transfer in the middle of its answer, and so its connection.
  func cutOff(_ transfer: Transfer) {
    guard transfers[transfer.slot] === transfer else { return }
    stop(transfer)
    mostOpen = max(transfers.count, mostOpen - 1)
  }

  /// How many connections there may be now, with regard to the downloads beside it; nil: as many as were asked for.
  func share() -> Int? { lease?.adjust(inUse: mostOpen) }

  /// The same for the first requests, before there is a plan.
  var connections: ConnectionLimit { share().map { job.connections.atMost($0) } ?? job.connections }

  /// Stops everything, but for a transfer that goes on as if it began now.
  func stopAll(but kept: Transfer? = nil) {
    epoch += 1
    for transfer in transfers.values where transfer !== kept { stop(transfer) }
    kept?.epoch = epoch
    touched = touched.filter { $0 === kept }
  }

  /// Whether an event is of a transfer that still means something.
  func isCurrent(_ event: Event) -> Bool {
    switch event {
    case .news(let transfer, _), .ended(let transfer, _): transfer.epoch == epoch
    }
  }

  /// Lets the transfers work, and waits up to `seconds` for something to happen.
  ///
  /// Throws `interrupted` when a signal that ends the download has come.
  func wait(atMost seconds: Double) throws(DownloadError) -> [Event] {
    try checkSignals()
    var events = perform()
    if events.isEmpty {
      let patience = min(seconds, hold ?? seconds)
      multi.poll([signals.descriptor, wakeup.descriptor], milliseconds: Int((patience * 1000).rounded(.up)))
      wakeup.clear()
      events = perform()
    }
    // What has happened is told first: bytes that were written belong to the answer that says what they are.
    if events.isEmpty { try checkSignals() }
    return events
  }

  func isBeyondHorizon(_ transfer: Transfer) -> Bool { transfer.position >= horizon && !transfer.isDraining }

  /// Whether the limit on the rate is why nothing more comes of a transfer.
  func isHeldBack(_ transfer: Transfer) -> Bool { heldBack.contains { $0 === transfer } }

  private func perform() -> [Event] {
    passOn()
    multi.perform()
    return takeEvents()
  }

  /// Gives what is held back to those who wait for it, as far as the limit and the horizon go.
  private func passOn() {
    guard !heldBack.isEmpty else { return }
    var waiting = heldBack[...]
    var beyond: [Transfer] = []
    heldBack = []
    while limiter?.delay ?? 0 == 0, let transfer = waiting.popFirst() {
      guard !isBeyondHorizon(transfer) else {
        beyond.append(transfer)
        continue
      }
      let code = transfer.takeHeldBack()
      if !code.isOK { endedLate.append((transfer, code)) }
    }
    // Who is held back again comes after those that have had nothing yet.
    heldBack = waiting + beyond + heldBack
  }

  /// Seconds until the next piece that is held back may be taken; nil where there is none, or a reader is waited for.
  private var hold: Double? {
    guard heldBack.contains(where: { !isBeyondHorizon($0) }) else { return nil }
    return max(Self.shortestHold, limiter?.delay ?? 0)
  }

  /// Lets so much time pass in which nothing is read, less where another thread or a signal has something to tell.
  func rest(milliseconds: Int32) throws(DownloadError) {
    var descriptors = [signals.descriptor, wakeup.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    wakeup.clear()
    try checkSignals()
  }

  /// Throws `interrupted` when a signal that ends the download has come.
  func checkSignals() throws(DownloadError) {
    if let signal = signals.pending() { throw .interrupted(signal) }
    try checkElsewhere?()
  }

  private func takeEvents() -> [Event] {
    var events: [Event] = []
    for transfer in touched { events.append(.news(transfer, transfer.takeNews())) }
    touched = []
    for (transfer, code) in endedLate where transfers[transfer.slot] === transfer && !transfer.isFull {
      stop(transfer)
      transfer.code = code
      events.append(.ended(transfer, code))
    }
    endedLate = []
    while let (easy, code) = multi.nextDone() {
      guard let transfer = transfers.values.first(where: { $0.owns(easy) }) else { continue }
      stop(transfer)
      transfer.code = code
      events.append(.ended(transfer, code))
    }
    for case .news(let transfer, _) in events where transfer.isFull && transfers[transfer.slot] === transfer {
      stop(transfer)
      transfer.code = .ok
      events.append(.ended(transfer, .ok))
    }
    return events
  }
}
