import DownloadCore

/// Asks a server what the file is: by HEAD, and where that gives no answer by the first GET, whose body is kept.
final class Probe {
  /// What came of it.
  struct Answer {
    var resource: Resource
    /// Seconds from the last request to its answer.
    var latency: Double?
    /// The GET that answered, with the first bytes of its body; nil where HEAD was enough or there is no body.
    var body: Body?
  }

  struct Body {
    var transfer: Transfer
    /// How it ended, where it has.
    var code: CurlCode?
  }

  private let pool: TransferPool
  private let job: DownloadRequest
  private let onEvent: (DownloadEvent) -> Void
  /// Where the first GET begins: the first byte that is missing.
  private let offset: Int64
  private let began: Double
  private var hasAnswer = false
  private var failures = 0
  private var latency: Double?

  /// What is asked next.
  private enum Question {
    case head, range, whole
  }
  private var question = Question.head

  /// Names that do not resolve and connections that are refused are tried for this long, in seconds.
  private static let unreachableTime = 15.0
  /// A HEAD that is not answered in this time is no use, in seconds.
  private static let headTime = 5.0

  init(_ pool: TransferPool, from offset: Int64, onEvent: @escaping (DownloadEvent) -> Void) {
    self.pool = pool
    job = pool.job
    self.offset = offset
    self.onEvent = onEvent
    began = pool.now
  }

  func run() throws(DownloadError) -> Answer {
    while true {
      guard var answer = try ask() else { continue }
      answer.latency = latency
      return answer
    }
  }

  /// One question, with the redirects it meets. Nil: ask again, or another way.
  private func ask() throws(DownloadError) -> Answer? {
    var url = job.url
    for redirects in 0...RedirectRule.most {
      let request = request(for: url)
      onEvent(.trace(TraceText.request(request)))
      pool.start(request, redirects: redirects)
      switch try exchange() {
      case .silent: return try silent()
      case .broken(let transfer, let code): return try broken(transfer, code)
      case .answered(let transfer, let head, let code):
        hasAnswer = true
        onEvent(.trace(TraceText.head(head)))
        guard head.status.isRedirect else { return try judge(transfer, head, code) }
        pool.stop(transfer)
        url = try RedirectRule.next(head, from: url)
      }
    }
    throw RedirectRule.tooMany(job.url)
  }

  private func request(for url: RemoteURL) -> TransferRequest {
    let open = ByteRange(offset, unknownEnd)
    switch question {
    case .head: return TransferRequest(method: .head, isProbe: true, url: url, wanted: open)
    case .range: return TransferRequest(isProbe: true, url: url, range: open, wanted: open)
    case .whole: return TransferRequest(isProbe: true, url: url, wanted: ByteRange(0, unknownEnd))
    }
  }

  private enum Exchange {
    /// The head is here; the code where the transfer has ended already.
    case answered(Transfer, ResponseHead, CurlCode?)
    case broken(Transfer, CurlCode)
    case silent
  }

  /// Waits for the head of the one transfer under way.
  private func exchange() throws(DownloadError) -> Exchange {
    var requestedAt: Double?
    var heardAt: Double?
    while true {
      var answered: Transfer?
      for event in try pool.wait(atMost: 0.1) {
        switch event {
        case .news(let transfer, let news):
          if news.isRequested { requestedAt = requestedAt ?? pool.now }
          if news.isHeard || news.isRequested { heardAt = pool.now }
          if news.isAnswered {
            answered = transfer
            latency = requestedAt.map { pool.now - $0 }
          }
        case .ended(let transfer, let code):
          if let failure = transfer.failure { throw failure }
          guard let head = transfer.head else { return .broken(transfer, code) }
          return .answered(transfer, head, code)
        }
      }
      if let answered, question != .head, let head = answered.head { return .answered(answered, head, nil) }
      if isSilent(requestedAt: requestedAt, heardAt: heardAt) {
        pool.stopAll()
        return .silent
      }
      // A connection that is not made, or not secured, uses up the time as well.
      guard pool.now - began < job.timeouts.giveUp || heardAt != nil else {
        throw .gaveUp(job.url, "no connection for \(Int(job.timeouts.giveUp.rounded(.up))) s", tries: failures + 1)
      }
    }
  }

  private func isSilent(requestedAt: Double?, heardAt: Double?) -> Bool {
    guard let requestedAt, let heardAt else { return false }
    let patience = question == .head ? min(job.timeouts.stall, Self.headTime) : job.timeouts.stall
    return pool.now - heardAt >= patience || pool.now - requestedAt >= 3 * patience
  }
}

extension Probe {
  private func judge(_ transfer: Transfer, _ head: ResponseHead, _ code: CurlCode?) throws(DownloadError) -> Answer? {
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
      var resource = Resource(url: url, head: head, length: total)
      // Whatever it says, it can.
      resource.offersRanges = true
      return Answer(resource: resource, body: Body(transfer: transfer, code: code))
    case .whole(let length):
      var resource = Resource(url: url, head: head, length: length)
      // It was asked for a range and sent the whole: unless it says that it can do ranges, it cannot.
      resource.offersRanges = resource.offersRanges && head.acceptsRanges == true
      return Answer(resource: resource, body: Body(transfer: transfer, code: code))
    default:
      pool.stop(transfer)
      return try judgeRefusal(transfer.verdict, head, url)
    }
  }

  /// HEAD is a hint, never a need: without a length, or refused, the first GET answers instead. A length of 0 is
  /// what some servers say to every HEAD.
  private func judgeHead(_ head: ResponseHead, _ url: RemoteURL) -> Answer? {
    question = head.acceptsRanges == false ? .whole : .range
    guard head.status == .ok, !head.isContentEncoded, head.transferCoding == .none,
      let length = head.contentLength.count, length > 0
    else { return nil }
    return Answer(resource: Resource(url: url, head: head, length: length), body: nil)
  }

  private func judgeRefusal(
    _ verdict: ResponseCheck.Verdict?, _ head: ResponseHead, _ url: RemoteURL
  ) throws(DownloadError) -> Answer? {
    switch verdict {
    case .unsatisfiable(let total):
      if total == 0 || (total != nil && offset > 0) {
        return Answer(resource: Resource(url: url, head: head, length: total), body: nil)
      }
      guard question == .range else { throw .refused(url, head.status) }
      question = .whole
    case .rangeIgnored, .wrongRange:
      guard question == .range else { throw .cannotUnderstand(url, "not the file that was asked for") }
      question = .whole
    case .transient(let status, let retryAfter):
      try pause(retryAfter, status: status, url)
    case .malformed(let what): throw .cannotUnderstand(url, what)
    default: throw .refused(url, head.status, hasLogin: hasLogin(at: url))
    }
    return nil
  }

  /// Whether a request to this address carries a login.
  private func hasLogin(at url: RemoteURL) -> Bool {
    guard url.origin == job.url.origin else { return false }
    return job.http.credentials != nil || job.http.headers.contains { $0.name.lowercased() == "authorization" }
  }

  private func silent() throws(DownloadError) -> Answer? {
    guard question != .head else {
      question = .range
      return nil
    }
    let reason = "no answer for \(Int(job.timeouts.stall.rounded(.up))) s"
    try pause(nil, reason, orFail: .gaveUp(job.url, reason, tries: failures + 1))
    return nil
  }

  private func broken(_ transfer: Transfer, _ code: CurlCode) throws(DownloadError) -> Answer? {
    let reason = transfer.reason(code)
    if let fatal = TransferFailure.fatal(transfer, code) { throw fatal }
    if code.meaning != .unreachable, question == .head {
      question = .range
      return nil
    }
    let limit = code.meaning == .unreachable && !hasAnswer ? Self.unreachableTime : job.timeouts.giveUp
    try pause(nil, reason, orFail: .gaveUp(transfer.request.url, reason, tries: failures + 1), within: limit)
    return nil
  }

  /// The same for a status that may pass.
  private func pause(_ retryAfter: Double?, status: HTTPStatus, _ url: RemoteURL) throws(DownloadError) {
    let reason = "the server answered \(status)"
    try pause(retryAfter, reason, orFail: .gaveUp(url, reason, failure: .refused, tries: failures + 1))
  }

  /// Waits before the next try, or fails where the time is up.
  private func pause(
    _ retryAfter: Double?, _ reason: String, orFail error: DownloadError, within limit: Double? = nil
  ) throws(DownloadError) {
    failures += 1
    let budget = min(limit ?? job.timeouts.giveUp, job.timeouts.giveUp)
    let left = budget - (pool.now - began)
    guard left > 0 else { throw error }
    // A wait that the server asked for is kept; one of ours does not outlast the time that is left.
    let delay = retryAfter ?? min(left, BackOff.delay(attempt: failures, random: Double.random(in: 0..<1)))
    onEvent(.retry("\(job.url.redacted): \(reason); trying again in \(Int(delay.rounded(.up))) s"))
    let until = pool.now + delay
    while pool.now < until { _ = try pool.wait(atMost: min(0.1, until - pool.now)) }
  }
}
