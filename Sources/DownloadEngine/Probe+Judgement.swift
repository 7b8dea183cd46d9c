import DownloadCore

extension Probe {
  /// What follows from an answer; nil: ask again, or another way.
  func judge(_ transfer: Transfer, _ head: ResponseHead) throws(DownloadError) -> Answer? {
    let url = transfer.request.url
    guard head.contentLength != .tooLarge else { throw .tooLarge(url) }
    if question == .head {
      // A server that asks for time gets it before the first GET, too.
      if head.status.isTransient, let wait = head.retryAfter {
        try pause(wait, status: head.status, url)
      }
      return judgeHead(head, url)
    }
    switch transfer.verdict {
    case .partial(_, let total):
      var length = total
      if length == nil { length = try hintedLength(for: transfer, head) }
      guard let length else {
        pool.stop(transfer)
        question = .whole
        return nil
      }
      var resource = Resource(url: url, head: head, length: length)
      // Whatever it says, it can.
      resource.offersRanges = true
      return Answer(resource: resource, body: Body(transfer: transfer))
    case .whole(let length):
      if let answer = try answerOfHEAD(insteadOf: transfer) {
        pool.stop(transfer)
        return answer
      }
      var resource = Resource(url: url, head: head, length: length)
      // It was asked for a range and sent the whole: unless it says that it can do ranges, it cannot.
      resource.offersRanges = resource.offersRanges && head.acceptsRanges == true
      return Answer(resource: resource, body: Body(transfer: transfer))
    default:
      pool.stop(transfer)
      return try judgeRefusal(transfer.verdict, head, url)
    }
  }

  /// HEAD is a hint, never a need: without a length, or refused, the first GET answers instead. A length of 0 is
  /// what some servers say to every HEAD.
  private func judgeHead(_ head: ResponseHead, _ url: RemoteURL) -> Answer? {
    question = head.acceptsRanges == false ? .whole : .range
    return resource(from: head, url).map { Answer(resource: $0, body: nil) }
  }

  /// The whole file's length from HEAD, where that speaks of the version of which a part has come; nil where nothing
  /// tells it. One that was overtaken gets a little time more, while the body's first bytes come.
  private func hintedLength(for body: Transfer, _ head: ResponseHead) throws(DownloadError) -> Int64? {
    try awaitHint { body.body.count < Self.mostBeforeHint }
    guard let hint, let length = hint.length, case .partial(let part, _) = body.verdict, part.end <= length else {
      return nil
    }
    if case .changed = hint.validator.matches(Validator(head: head, length: length)) { return nil }
    return length
  }

  /// Gives a HEAD that was overtaken a little time more, as long as `isWorthIt`.
  func awaitHint(while isWorthIt: () -> Bool = { true }) throws(DownloadError) {
    let end = pool.now + Self.hintTime
    while hint == nil, pool.transfers[TransferPool.headSlot] != nil, pool.now < end, isWorthIt() {
      for case .ended(let transfer, _) in try pool.wait(atMost: 0.02) { notePassing(transfer) }
    }
  }

  /// A whole body may be anything. Where HEAD, which was overtaken, tells of a file that it cannot be, what HEAD says
  /// counts as if the first GET had waited for it. Nil: it may be that file, or HEAD is the one that is wrong.
  private func answerOfHEAD(insteadOf body: Transfer) throws(DownloadError) -> Answer? {
    guard wentAhead else { return nil }
    try awaitHint { body.body.count < Self.mostBeforeHint }
    guard let hint else { return nil }
    switch body.judgedAgain(by: hint) {
    case nil, .whole, .partial: return nil
    case .changed where Self.isRight(body.head, about: hint): return nil
    default: return Answer(resource: hint, body: nil)
    }
  }

  /// A GET that names another version, or that has another length where nothing has a version, is right. One that has
  /// another length only, or none of the names that HEAD has, may be of anything.
  private static func isRight(_ head: ResponseHead?, about hint: Resource) -> Bool {
    guard let head else { return false }
    if case .changed = hint.validator.matches(Validator(head: head, length: hint.length)) { return true }
    return hint.validator.isEmpty
  }

  /// What a HEAD's answer tells; nil where that is not enough.
  func resource(from head: ResponseHead, _ url: RemoteURL) -> Resource? {
    guard head.status == .ok, !head.isContentEncoded, head.transferCoding == .none,
      let length = head.contentLength.count, length > 0
    else { return nil }
    return Resource(url: url, head: head, length: length)
  }

  private func judgeRefusal(
    _ verdict: ResponseCheck.Verdict?, _ head: ResponseHead, _ url: RemoteURL
  ) throws(DownloadError) -> Answer? {
    switch verdict {
    case .unsatisfiable(let total):
      // It is no file: one is asked for without Range before that is believed.
      if question == .range {
        question = .whole
        return nil
      }
      guard total == 0 else { throw .refused(url, head.status) }
      return Answer(resource: Resource(url: url, head: head, length: total), body: nil, isRefusal: true)
    case .rangeIgnored, .wrongRange:
      guard question == .range else { throw .cannotUnderstand(url, "not the file that was asked for") }
      question = .whole
    case .transient(let status, let retryAfter):
      try pause(retryAfter, status: status, url)
    case .malformed(let what): throw .cannotUnderstand(url, what)
    case .refused(let status) where status.meansExpired && mayBeOneTooMany:
      pool.stopAll()
      try pause(nil, status: status, url)
    default:
      throw .refused(url, head.status, hasLogin: hasLogin(at: url), usesNetrc: isAtHome(url) && job.http.netrc != nil)
    }
    return nil
  }

  /// Whether the first GET may have been refused for what was under way beside it: HEAD was not. Then it is sent again,
  /// once, and alone.
  private var mayBeOneTooMany: Bool {
    wentAhead && question == .range && failures == 0 && (hint != nil || pool.transfers[TransferPool.headSlot] != nil)
  }

  /// Whether a request to this address carries a login.
  private func hasLogin(at url: RemoteURL) -> Bool {
    guard isAtHome(url) else { return false }
    return job.http.credentials != nil || job.http.headers.contains { $0.name.lowercased() == "authorization" }
  }

  /// Whether what is given for the URL's own origin goes there.
  private func isAtHome(_ url: RemoteURL) -> Bool { url.origin == pool.job.url.origin }

  func silent() throws(DownloadError) -> Answer? {
    guard question != .head else {
      question = .range
      return nil
    }
    let reason = "no answer for \(Int(job.timeouts.answer.rounded(.up))) s"
    try pause(nil, reason, orFail: .gaveUp(job.url, reason, tries: failures + 1))
    return nil
  }

  func broken(_ transfer: Transfer, _ code: CurlCode) throws(DownloadError) -> Answer? {
    let reason = transfer.reason(code)
    // What cannot be understood of HEAD's answer may be understood of GET's.
    if question == .head, transfer.wasRequested {
      question = .range
      return nil
    }
    if let fatal = TransferFailure.fatal(transfer, code) { throw fatal }
    if code.meaning != .unreachable, question == .head {
      question = .range
      return nil
    }
    if code.meaning == .unreachable, wentAhead, !hasAnswer {
      pool.stopAll()
      question = .head
    }
    let patience = hasAlternative ? Self.unreachableTimeOfMany : Self.unreachableTime
    let limit = code.meaning == .unreachable && !hasAnswer ? patience : job.timeouts.giveUp
    let kind = TransferFailure.kind(transfer, code)
    let error = DownloadError.gaveUp(transfer.request.url, reason, failure: kind, tries: failures + 1)
    try pause(nil, reason, orFail: error, within: limit)
    return nil
  }

  /// The same for a status that may pass.
  private func pause(_ retryAfter: Double?, status: HTTPStatus, _ url: RemoteURL) throws(DownloadError) {
    let reason = "the server answered \(status)"
    try pause(retryAfter, reason, orFail: .gaveUp(url, reason, failure: .refused, tries: failures + 1))
  }

  /// Waits before the next try, or fails where the time is up.
  func pause(
    _ retryAfter: Double?, _ reason: String, orFail error: DownloadError, within limit: Double? = nil
  ) throws(DownloadError) {
    failures += 1
    early.stop()
    let budget = min(limit ?? job.timeouts.giveUp, job.timeouts.giveUp)
    let left = budget - (pool.now - began)
    guard left > 0, !hasAlternative || retryAfter ?? 0 <= left else { throw error }
    // A wait that the server asked for is kept; one of ours does not outlast the time that is left.
    let delay = retryAfter ?? min(left, BackOff.delay(attempt: failures, random: Double.random(in: 0..<1)))
    onEvent(.retry("\(job.url.redacted): \(reason); trying again in \(Int(delay.rounded(.up))) s"))
    let until = pool.now + delay
    while pool.now < until { _ = try pool.wait(atMost: min(0.1, until - pool.now)) }
  }
}
