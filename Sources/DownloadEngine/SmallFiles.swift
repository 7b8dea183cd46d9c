import DownloadCore

/// Files that may be small, each asked for by one request, all of them over the connections of one libcurl handle.
final class SmallFiles {
  /// What came of one.
  enum Conclusion {
    case ended(Int, Result<DownloadReport, DownloadError>)
    /// All of it is here, to be written.
    case complete(SmallFile)
    /// It is not as simple as that.
    case handOver(Int)
  }

  /// The connections to one host.
  private struct Host {
    /// Those with a transfer.
    var active = 0
    /// Those that may be open, which the budget counts.
    var open = 0
  }

  private let budget: ConnectionBudget
  private let limiter: RateLimiter?
  private let isVerbose: Bool
  private let onEvent: (DownloadEvent, Int) -> Void
  private let began = MonotonicClock.seconds()
  private var multi = SmallFiles.newMulti()
  private var transfers: [UnsafeMutableRawPointer: SmallTransfer] = [:]
  private var hosts: [String: Host] = [:]
  /// One that waits for a connection.
  private var held: (job: SmallJob, method: TransferRequest.Method)?
  /// Somebody wants the connections that are kept here without use: they can only be closed all together.
  private var isMakingRoom = false
  /// Those whose next piece the limit on the rate holds back.
  private var heldBack: [SmallTransfer] = []
  /// Those of transfers that went well.
  private var spare: [PreparedHandle] = []
  /// When it was looked last who says nothing, in seconds.
  private var lookedAt = 0.0

  init(
    budget: ConnectionBudget, limiter: RateLimiter?, isVerbose: Bool, onEvent: @escaping (DownloadEvent, Int) -> Void
  ) {
    self.budget = budget
    self.limiter = limiter
    self.isVerbose = isVerbose
    self.onEvent = onEvent
  }

  deinit { stop() }

  private static func newMulti() -> MultiHandle { MultiHandle(connections: ConnectionLimit.most) }

  /// Files that are under way here.
  var count: Int { transfers.count + (held == nil ? 0 : 1) }
  /// Another one could not begin now.
  var isHeldUp: Bool { held != nil || isMakingRoom }

  /// How to ask for a file: by GET, or by HEAD where one of its name is here, which may be it. Nil: not here.
  static func method(for job: SmallJob) throws(DownloadError) -> TransferRequest.Method? {
    let (request, name, folder) = (job.request, job.likelyName, job.folder)
    guard SmallFileRule.mayTry(request) else { return nil }
    let part = try folder.status(of: name + PartFile.suffix)
    let found = try folder.status(of: name)
    // Whether there is a manifest all alone, the writer sees.
    guard part != nil || found != nil else { return .get }
    guard try !hasRemains(part, of: name, in: folder) else { return nil }
    guard let status = found else { return .get }
    guard status.kind == .regular else { return nil }
    if request.replacesExisting { return request.digests.isEmpty ? .get : nil }
    return request.digests.isEmpty ? .head : nil
  }

  /// An earlier run has left something that may be worth more than a request, or is in the way. A small part without a
  /// manifest is what a killed run leaves of a small file.
  private static func hasRemains(
    _ part: FileStatus?, of name: String, in folder: Folder
  ) throws(DownloadError) -> Bool {
    if try folder.status(of: name + ManifestFile.suffix) != nil { return true }
    guard let part else { return false }
    return part.kind != .regular || part.size > SmallFileRule.mostBytes
  }

  /// Begins now, or as soon as there is a connection.
  func begin(_ job: SmallJob, _ method: TransferRequest.Method, at now: Double) {
    guard takeConnection(to: job.host) else {
      budget.wait(job.host)
      held = (job, method)
      return makeRoom()
    }
    start(job, method, job.request.url, at: now)
  }

  private func start(
    _ job: SmallJob, _ method: TransferRequest.Method, _ url: RemoteURL, redirects: Int = 0,
    linked: AnnouncedDigests = AnnouncedDigests(), at now: Double
  ) {
    let request = TransferRequest(method: method, isProbe: true, url: url, wanted: ByteRange(0, unknownEnd))
    trace(TraceText.request(request), of: job)
    let handle = PreparedHandle.handle(for: request, job.request, from: &spare)
    let transfer = SmallTransfer(job, request, handle, redirects: redirects, linked: linked, at: now)
    if let limiter {
      transfer.mayTake = { [unowned self] transfer, count in
        guard !limiter.take(count) else { return true }
        heldBack.append(transfer)
        return false
      }
    }
    transfers[transfer.identity] = transfer
    transfer.join(multi)
  }

  private func trace(_ text: @autoclosure () -> String, of job: SmallJob) {
    guard isVerbose else { return }
    let time = TraceText.time(after: MonotonicClock.seconds() - began)
    onEvent(.trace("\(time) \(TraceText.place(0)) \(text())"), job.number)
  }
}

/// The connections.
extension SmallFiles {
  /// One that is open without a transfer, or a new one.
  private func takeConnection(to host: String) -> Bool {
    var entry = hosts[host] ?? Host()
    if entry.active == entry.open {
      guard budget.takeOne(host) else { return false }
      entry.open += 1
    }
    entry.active += 1
    hosts[host] = entry
    return true
  }

  /// Closes the connections that are not in use, as soon as none is.
  func makeRoom() {
    guard hosts.values.contains(where: { $0.open > $0.active }) else { return }
    isMakingRoom = true
    makeRoomNow()
  }

  private func makeRoomNow() {
    guard isMakingRoom, transfers.isEmpty else { return }
    isMakingRoom = false
    multi = Self.newMulti()
    for (host, entry) in hosts { budget.giveBack(entry.open, host) }
    hosts = [:]
  }

  private func beginHeld(at now: Double) {
    guard !isMakingRoom, let (job, method) = held else { return }
    guard takeConnection(to: job.host) else { return makeRoom() }
    held = nil
    budget.waitNoMore(job.host)
    start(job, method, job.request.url, at: now)
  }

  private func leave(_ transfer: SmallTransfer) {
    transfer.leave(multi)
    transfers[transfer.identity] = nil
    hosts[transfer.request.url.origin.host]?.active -= 1
    if !heldBack.isEmpty { heldBack.removeAll { $0 === transfer } }
  }

  /// Drops everything.
  func stop() {
    for transfer in transfers.values { leave(transfer) }
    held = nil
  }
}

/// What happens.
extension SmallFiles {
  /// The longest wait, in seconds.
  private static let pause = 0.1

  /// Waits for something to happen here or on one of the descriptors, a tenth of a second at most.
  func wait(_ descriptors: [Int32]) {
    let hold = heldBack.isEmpty ? Self.pause : limiter.map { max(0.01, $0.delay) } ?? Self.pause
    multi.poll(descriptors, milliseconds: Int((min(Self.pause, hold) * 1000).rounded(.up)))
  }

  /// Lets the transfers work, and hands over what came of those that are through. `now` in seconds.
  func takeEvents(at now: Double, _ conclude: (Conclusion) -> Void) {
    for transfer in passOn() where transfers[transfer.identity] === transfer {
      leave(transfer)
      conclude(.handOver(transfer.job.number))
    }
    multi.perform()
    while let (easy, code) = multi.nextDone() {
      guard let transfer = transfers[easy] else { continue }
      leave(transfer)
      if code.isOK { spare.append(transfer.handle) }
      if let conclusion = ended(transfer, code, at: now) { conclude(conclusion) }
    }
    dropSilent(at: now, conclude)
    makeRoomNow()
    beginHeld(at: now)
  }

  /// Gives what is held back to those who wait for it, as far as the limit goes; returns those that it ended.
  private func passOn() -> [SmallTransfer] {
    guard let limiter, !heldBack.isEmpty else { return [] }
    var waiting = heldBack[...]
    var ended: [SmallTransfer] = []
    heldBack = []
    while limiter.delay == 0, let transfer = waiting.popFirst() {
      if !transfer.takeHeldBack().isOK { ended.append(transfer) }
    }
    heldBack = waiting + heldBack
    return ended
  }

  /// Who says nothing for too long is asked again by who has more patience, unless that is all that there is to be.
  private func dropSilent(at now: Double, _ conclude: (Conclusion) -> Void) {
    guard now - lookedAt >= Self.pause || now < lookedAt else { return }
    lookedAt = now
    for transfer in transfers.values {
      transfer.hears(at: now)
      let (job, timeouts) = (transfer.job, transfer.job.request.timeouts)
      let patience = transfer.wasAsked ? timeouts.stall : timeouts.connect + 1
      guard now - transfer.heardAt > min(patience, timeouts.giveUp) else { continue }
      leave(transfer)
      guard patience > timeouts.giveUp else {
        conclude(.handOver(job.number))
        continue
      }
      let reason = "no \(transfer.wasAsked ? "byte" : "connection") for \(Int(timeouts.giveUp.rounded(.up))) s"
      conclude(.ended(job.number, .failure(.gaveUp(transfer.request.url, reason, tries: 1))))
    }
  }

  /// Nil: it goes on elsewhere.
  private func ended(_ transfer: SmallTransfer, _ code: CurlCode, at now: Double) -> Conclusion? {
    let job = transfer.job
    guard let head = transfer.head else { return .handOver(job.number) }
    trace(TraceText.head(head), of: job)
    do throws(DownloadError) {
      if transfer.request.method == .head {
        guard !head.status.isRedirect else { return try follow(transfer, head, at: now) }
        return code.isOK ? try judge(head, of: transfer) : .handOver(job.number)
      }
      switch transfer.step {
      case .take where code.isOK: return try complete(transfer, head, at: now)
      case .follow: return try follow(transfer, head, at: now)
      case .refuse(let status): throw refusal(status, transfer)
      default: return .handOver(job.number)
      }
    } catch {
      return .ended(job.number, .failure(error))
    }
  }

  private func refusal(_ status: HTTPStatus, _ transfer: SmallTransfer) -> DownloadError {
    let (url, http) = (transfer.request.url, transfer.job.request.http)
    let isAtHome = url.origin == transfer.job.request.url.origin
    let hasLogin = http.credentials != nil || http.headers.contains { $0.name.equalsIgnoringCase("authorization") }
    return .refused(url, status, hasLogin: isAtHome && hasLogin, usesNetrc: isAtHome && http.netrc != nil)
  }

  private func follow(
    _ transfer: SmallTransfer, _ head: ResponseHead, at now: Double
  ) throws(DownloadError) -> Conclusion? {
    let job = transfer.job
    // A HEAD may be led astray: who knows more asks by GET.
    guard transfer.request.method == .get || head.location != nil else { return .handOver(job.number) }
    guard transfer.redirects < RedirectRule.most else { throw RedirectRule.tooMany(job.request.url) }
    let url = try RedirectRule.next(head, from: transfer.request.url)
    guard takeConnection(to: url.origin.host) else { return .handOver(job.number) }
    let announced = AnnouncedDigests(redirect: head)
    start(
      job, transfer.request.method, url, redirects: transfer.redirects + 1,
      linked: announced.strongest == nil ? transfer.linked : announced, at: now)
    return nil
  }

  /// Whether the file of the name is the server's, by HEAD's answer.
  private func judge(_ head: ResponseHead, of transfer: SmallTransfer) throws(DownloadError) -> Conclusion {
    let (job, request) = (transfer.job, transfer.job.request)
    guard let resource = SmallFileRule.resource(ofHEAD: head, transfer.request.url),
      request.name(of: resource) == job.likelyName
    else { return .handOver(job.number) }
    return try existing(job.likelyName, job, resource) ?? .handOver(job.number)
  }

  /// What a file of this name means; nil where there is none, or it is to be replaced.
  private func existing(_ name: String, _ job: SmallJob, _ resource: Resource) throws(DownloadError) -> Conclusion? {
    let (request, folder) = (job.request, job.folder)
    guard let status = try folder.status(of: name) else { return nil }
    guard !request.replacesExisting, request.digests.isEmpty else { return .handOver(job.number) }
    guard try request.isComplete(folder, name, status, resource) else { throw folder.inTheWay(name) }
    return .ended(
      job.number,
      .success(DownloadReport(outcome: .alreadyComplete, path: folder.shown(name), bytes: status.size)))
  }

  private func complete(
    _ transfer: SmallTransfer, _ head: ResponseHead, at now: Double
  ) throws(DownloadError) -> Conclusion {
    let (job, request) = (transfer.job, transfer.job.request)
    let length = Int64(transfer.body.count)
    guard request.knownLength ?? length == length else { return .handOver(job.number) }
    try request.checkSize(length, of: transfer.request.url)
    let resource = Resource(url: transfer.request.url, head: head, length: length)
    let name = request.name(of: resource)
    if name != job.likelyName, let conclusion = try named(name, job, resource) { return conclusion }
    guard
      let expected = SmallFileRule.digests(
        request, head, linked: transfer.linked, offered: { MessageDigest.isOffered($0) })
    else { return .handOver(job.number) }
    return .complete(
      SmallFile(
        job, name: name, bytes: transfer.body, expected: expected,
        modified: request.keepsServerTime ? head.lastModified?.secondsSinceEpoch : nil,
        seconds: now - job.began))
  }

  /// The server gives the file a name of its own. Nil: that is free.
  private func named(_ name: String, _ job: SmallJob, _ resource: Resource) throws(DownloadError) -> Conclusion? {
    try job.claim.claim(name, in: job.request.target, shown: job.folder.shown(name))
    let part = try job.folder.status(of: name + PartFile.suffix)
    guard part == nil, try !Self.hasRemains(nil, of: name, in: job.folder) else { return .handOver(job.number) }
    return try existing(name, job, resource)
  }
}
