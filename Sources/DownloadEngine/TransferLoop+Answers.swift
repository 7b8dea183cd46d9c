import DownloadCore

/// What follows from answers and from the ends of transfers.
extension TransferLoop {
  /// A head was accepted: the body follows.
  func answered(_ transfer: Transfer) throws(DownloadError) {
    if let head = transfer.head { onEvent(pool.trace(transfer.slot, TraceText.head(head))) }
    scheduler.answered(transfer.slot, end: transfer.end, at: pool.now)
    if !hasAnswer || takesOneResponse {
      adoptVersion(of: transfer)
    } else if let verdict = transfer.judgedAgain(by: resource.validator, length: resource.length),
      try isRefuted(transfer, verdict)
    {
      return
    }
    hasAnswer = true
    lengthIsProved = lengthIsProved || transfer.isPart
    trust.accepted()
    try noteAnnounced(by: transfer)
    // A signed address that works again is the one to ask from now on.
    currentURL = transfer.request.url
    if case .partial(let part, _) = transfer.verdict, part.count < transfer.request.wanted.count, !scheduler.isStream,
      let decision = trust.tookShort(part)
    {
      return try apply(decision, to: transfer)
    }
    guard case .whole = transfer.verdict, !scheduler.isStream else { return }
    let verdict = ResponseCheck.Verdict.rangeIgnored("the whole file was sent instead of a range")
    try apply(trust.decide(verdict, circumstances(of: transfer)), to: transfer)
  }

  /// Whether an answer that was accepted is none, by what another one has told since it was asked for.
  private func isRefuted(_ transfer: Transfer, _ verdict: ResponseCheck.Verdict) throws(DownloadError) -> Bool {
    switch verdict {
    case .partial, .whole: return false
    case .changed:
      // What it has written goes with all the rest.
      pool.stop(transfer)
      var circumstances = circumstances(of: transfer)
      circumstances.isCertain = true
      try apply(trust.decide(verdict, circumstances), to: transfer)
    default:
      try disbelieve(transfer, "an answer that is not the file")
    }
    return true
  }

  /// Takes back what an accepted answer has brought: it was none. Once that may be an accident.
  private func disbelieve(_ transfer: Transfer, _ reason: String) throws(DownloadError) {
    try forget(transfer)
    guard trust.forgives(circumstances(of: transfer)) else {
      throw .cannotUnderstand(transfer.request.url, reason)
    }
    noteTrouble(reason, .refused, of: transfer)
    fail(transfer, .transient)
  }

  /// What the first GET says of the version counts, whatever HEAD said.
  private func adoptVersion(of transfer: Transfer) {
    guard let head = transfer.head else { return }
    let validator = Validator(head: head, length: resource.length)
    resource.validator.etag = validator.etag
    // With If-Range a part's head may leave the date out (RFC 9110, 15.3.7).
    let mayLeaveOutDate = transfer.request.ifRange != nil && head.status == .partialContent && validator.etag != nil
    if validator.lastModified != nil || !mayLeaveOutDate { resource.validator.lastModified = validator.lastModified }
    resource.lastModified = resource.validator.lastModified.flatMap { HTTPDate($0) }
    resource.isEncoded = head.isContentEncoded
    session.isEncoded = resource.isEncoded
    session.keep(resource.validator)
  }

  /// A transfer has left the pool.
  func ended(_ transfer: Transfer, _ code: CurlCode) throws(DownloadError) {
    if let failure = transfer.failure { return try odd(transfer, failure) }
    onEvent(pool.trace(transfer.slot, TraceText.end(transfer)))
    if transfer.isAccepted { return try endedBody(transfer, code) }
    guard let verdict = transfer.verdict, let head = transfer.head else { return try broken(transfer, code) }
    onEvent(pool.trace(transfer.slot, TraceText.head(head)))
    if case .redirect = verdict {
      do throws(DownloadError) { return try follow(head, transfer) } catch { return try odd(transfer, error) }
    }
    // It was asked for before the length was known.
    if case .unsatisfiable = verdict, transfer.position >= resource.length ?? unknownEnd {
      return scheduler.finished(transfer.slot, at: pool.now)
    }
    if transfer.request.isGuess, !speaksOfAnotherFile(verdict, head) {
      // What is refused to a guess may be the one request too many: what is under way goes on, and others are asked
      // for when there is room.
      onEvent(pool.trace(transfer.slot, "* \(transfer.request.wanted): a guess, refused"))
      return fail(transfer, .slowDown(retryAfter: head.retryAfter))
    }
    try rejected(transfer, verdict, head)
  }

  private func speaksOfAnotherFile(_ verdict: ResponseCheck.Verdict, _ head: ResponseHead) -> Bool {
    switch verdict {
    case .unsatisfiable(let total): total != nil
    // A whole answer to a guess may be a page that says no.
    case .changed: head.status == .partialContent
    default: false
    }
  }

  private func endedBody(_ transfer: Transfer, _ code: CurlCode) throws(DownloadError) {
    if try beganElsewhere(transfer) || endsShortAgain(transfer, code) { return try beginWithoutOffsets() }
    if isContradicted(transfer, code) {
      return try disbelieve(transfer, "a short answer in place of the file, which names neither version nor length")
    }
    if transfer.hasOtherLength(code), transfer.position > 0 { return try takeAsItComes(transfer) }
    if transfer.hasAll {
      if transfer.verdict == .whole(length: nil), transfer.endsWithConnection { noteUnverifiedLength() }
      return scheduler.finished(transfer.slot, isCut: !code.isOK, at: pool.now)
    }
    let endsWithConnection = transfer.end == unknownEnd && transfer.endsWithConnection
    let isCut = endsWithConnection && transfer.mayBeCut
    if transfer.end == unknownEnd, code.isOK, !isCut {
      if endsWithConnection { noteUnverifiedLength() }
      return scheduler.finished(transfer.slot, at: pool.now)
    }
    guard !takesOneResponse else { throw changedAgain("the one response was cut: \(transfer.reason(code))") }
    if endsEarlyAgain(transfer, code) { return try takeAsItComes(transfer) }
    let reason = code.isOK ? "the body ended early" : transfer.reason(code)
    noteTrouble(reason, .network, of: transfer)
    if resource.length == nil {
      let isWhole = isContinued ? false : try isProved()
      guard isWhole else { return try restartUnknown(transfer) }
      return scheduler.finished(transfer.slot, at: pool.now)
    }
    // The next body may be of another version, and nothing would tell.
    if scheduler.isStream, resource.validator.isEmpty { return try restartUnknown(transfer) }
    fail(transfer, transfer.written >= 4 << 10 ? .immediate : .transient)
  }

  /// A whole body, of no version and no length, has ended in good order before the end of the file that other answers
  /// speak of: what it has brought may be anything.
  private func isContradicted(_ transfer: Transfer, _ code: CurlCode) -> Bool {
    guard lengthIsProved, !takesAnyLength, !takesOneResponse, let length = resource.length, let head = transfer.head
    else { return false }
    return transfer.verdict == .whole(length: nil) && code.isOK && transfer.position < min(length, transfer.end)
      && Validator(head: head, length: nil).isEmpty
  }

  /// A connection that ends early is a cut; one that does so at the same place twice is the file's end, whatever HEAD
  /// said.
  private func endsEarlyAgain(_ transfer: Transfer, _ code: CurlCode) -> Bool {
    guard code.isOK, transfer.verdict == .whole(length: nil), transfer.endsWithConnection, !transfer.mayBeCut,
      transfer.end == resource.length, transfer.position > 0
    else { return false }
    defer { lastEarlyEnd = transfer.position }
    return lastEarlyEnd == transfer.position
  }

  /// HEAD, or an earlier answer, told a length that the body does not have.
  private func takeAsItComes(_ transfer: Transfer) throws(DownloadError) {
    let reason = "the body does not have the length that was announced"
    guard !takesAnyLength, !lengthIsProved else { throw changedAgain(reason) }
    takesAnyLength = true
    onEvent(.restarted("\(transfer.request.url.redacted): \(reason): taking it as it comes"))
    var resource = resource
    resource.validator.length = nil
    resource.offersRanges = false
    try restart(resource, asStream: true)
  }

  /// Whether what came is the whole file although nothing says so: a digest does.
  private func isProved() throws(DownloadError) -> Bool {
    let expected = session.manifest.digestsToCompare
    guard !expected.isEmpty else { return false }
    return try finishDigests() == expected
  }

  private func follow(_ head: ResponseHead, _ transfer: Transfer) throws(DownloadError) {
    guard transfer.redirects < RedirectRule.most else { throw RedirectRule.tooMany(sources.main.url) }
    let url = try RedirectRule.next(head, from: transfer.request.url)
    // The range may have been shortened since it was asked for.
    let rest = ByteRange(min(transfer.position, transfer.end), transfer.end)
    start(transfer.slot, rest, at: url, redirects: transfer.redirects + 1)
  }

  /// Nothing that could be judged came.
  private func broken(_ transfer: Transfer, _ code: CurlCode) throws(DownloadError) {
    if let fatal = TransferFailure.fatal(transfer, code) { return try odd(transfer, fatal) }
    guard !takesOneResponse else { throw changedAgain(transfer.reason(code)) }
    noteTrouble(transfer.reason(code), TransferFailure.kind(transfer, code), of: transfer)
    let isLeftOver = code.meaning == .protocolError && !transfer.isOnNewConnection
    let other: RangeScheduler.Trouble = isLeftOver ? .leftOver : .transient
    fail(transfer, code.meaning == .unreachable ? .slowDown(retryAfter: nil) : other)
  }

  /// An answer that is none: once it may be an accident, of a server that has answered well before. What this machine
  /// failed at, and a certificate, are none.
  private func odd(_ transfer: Transfer, _ error: DownloadError) throws(DownloadError) {
    guard error.failure == .refused, !takesOneResponse, trust.forgives(circumstances(of: transfer)) else { throw error }
    noteTrouble("an answer that cannot be used", .refused, of: transfer)
    fail(transfer, .transient)
  }

  func fail(_ transfer: Transfer, _ trouble: RangeScheduler.Trouble) {
    scheduler.failed(transfer.slot, trouble, random: Double.random(in: 0..<1), at: pool.now)
  }

  private func rejected(
    _ transfer: Transfer, _ verdict: ResponseCheck.Verdict, _ head: ResponseHead
  ) throws(DownloadError) {
    guard head.contentLength != .tooLarge else { throw .tooLarge(transfer.request.url) }
    var verdict = verdict
    if case .changed = verdict, hasAnswer, !takesOneResponse {
      // Other answers may have come since it was asked for.
      verdict = transfer.judgedAgain(by: resource.validator, length: resource.length) ?? verdict
    }
    let length = length(in: head)
    if case .changed = verdict, !hasAnswer, session.ledger.done == 0, !takesOneResponse {
      guard transfer.request.wanted.start == 0 || !Validator(head: head, length: nil).isEmpty else {
        // HEAD is right until an answer for the file's beginning, or one of a version, says otherwise.
        let doubtful = ResponseCheck.Verdict.malformed("an answer that names neither the version nor the known length")
        return try apply(trust.decide(doubtful, circumstances(of: transfer)), to: transfer)
      }
      onEvent(.warning("HEAD and GET disagree about \(transfer.request.url.redacted): believing GET"))
      hasAnswer = true
      return try restart(newVersion(transfer, head, length), asStream: false)
    }
    try apply(trust.decide(verdict, circumstances(of: transfer)), to: transfer)
  }

  private func circumstances(of transfer: Transfer) -> ServerTrust.Circumstances {
    let length = transfer.head.flatMap { self.length(in: $0) }
    var circumstances = ServerTrust.Circumstances()
    circumstances.sentIfRange = transfer.request.ifRange != nil
    circumstances.wasRedirected = transfer.request.url != sources.main.url && transfer.redirects == 0
    circumstances.lengthStayed = length == nil || length == resource.length
    circumstances.askedOldAddress = askedOldAddress(transfer)
    circumstances.isCertain =
      transfer.head.map { head in
        head.status == .partialContent && !circumstances.lengthStayed
          && (resource.validator.isEmpty || !Validator(head: head, length: nil).isEmpty)
      } ?? false
    circumstances.hasWorked = hasAnswer
    circumstances.othersWork = scheduler.active.keys.contains { slot in
      guard scheduler.source(of: slot) == 0 else { return false }
      // One that has left the pool may have been answered well, or be led elsewhere: that comes next.
      return slot != transfer.slot && pool.transfers[slot]?.isRefused != true
    }
    return circumstances
  }

  /// An address that was given up meanwhile says nothing of the one that is asked now.
  func askedOldAddress(_ transfer: Transfer) -> Bool {
    transfer.redirects == 0 && transfer.request.url != currentURL
  }

  /// The whole file's length as an answer tells it.
  private func length(in head: ResponseHead) -> Int64? {
    if case .value(let range) = head.contentRange { return range.total }
    return head.status == .ok && head.transferCoding == .none ? head.contentLength.count : nil
  }

  private func newVersion(_ transfer: Transfer, _ head: ResponseHead, _ length: Int64?) -> Resource {
    var resource = Resource(url: transfer.request.url, head: head, length: length ?? self.resource.length)
    // A 416 tells the length and nothing else.
    if head.status == .rangeNotSatisfiable { resource.offersRanges = self.resource.offersRanges }
    return resource
  }

  private func apply(_ decision: ServerTrust.Decision, to transfer: Transfer) throws(DownloadError) {
    // What is here is another's as well: there is no reason to begin again for one source's sake.
    if sources.hasTrustedMirror, let reason = decision.reasonToLeave, canGoOn(without: sources.main) {
      return lose(sources.main, reason)
    }
    switch decision {
    case .retry(let trouble, let reason): retry(transfer, trouble, reason)
    case .oneStream(let reason):
      // Asked for no range, it has no other way left.
      guard !scheduler.isStream else { throw refusal(transfer, .refused, reason) }
      onEvent(.message("the server's ranges are no use (\(reason)): fetching the file over one connection"))
      try becomeStream()
    case .beginAgain(let reason):
      guard let head = transfer.head else { return }
      onEvent(.restarted("the file changed on the server (\(reason)): beginning again"))
      try restart(newVersion(transfer, head, length(in: head)), asStream: false)
    case .oneResponse(let reason):
      guard let head = transfer.head else { return }
      onEvent(.restarted("the file's version changes with every answer (\(reason)): taking one response as it comes"))
      takesOneResponse = true
      var resource = newVersion(transfer, head, nil)
      // Its own head tells how long it is.
      resource.validator.length = nil
      try restart(resource, asStream: true)
    case .resolveAgain(let reason):
      noteTrouble("\(reason) at the address that \(sources.main.url.redacted) led to", .refused, of: transfer)
      currentURL = sources.main.url
      fail(transfer, .immediate)
    case .fail(let failure, let reason): throw refusal(transfer, failure, reason)
    }
  }

  /// A whole answer that is under way goes on to its range's end; everything else is queued again.
  private func retry(_ transfer: Transfer, _ trouble: RangeScheduler.Trouble, _ reason: String) {
    guard !transfer.isAccepted else { return }
    // An oddity whose remedy is known is nobody's business but a curious one's.
    if trouble == .immediate {
      onEvent(pool.trace(transfer.slot, "* \(transfer.request.wanted): \(reason)"))
    } else {
      noteTrouble(reason, .refused, of: transfer)
    }
    fail(transfer, trouble)
  }

  private func refusal(_ transfer: Transfer, _ failure: Failure, _ reason: String) -> DownloadError {
    guard failure != .remoteChanged, session.ledger.done > 0 || failure != .refused else {
      return failure == .remoteChanged
        ? .remoteChanged(transfer.request.url, reason)
        : .refused(transfer.request.url, reason)
    }
    let status: HTTPStatus? = if case .refused(let status) = transfer.verdict { status } else { nil }
    return .refused(
      transfer.request.url, range: transfer.request.wanted, reason, status: status, failure: failure,
      isKept: session.lasting != nil)
  }

  func changedAgain(_ reason: String) -> DownloadError { .remoteChanged(resource.url, reason) }
}
