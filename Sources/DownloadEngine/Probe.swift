import DownloadCore

/// Asks a server what the file is: by HEAD, and where that gives no answer by the first GET, whose body is kept.
///
/// Where HEAD's answer takes its time, the first GET goes out beside it: then that is what counts, and of HEAD's answer
/// only the length, where the GET's has none.
final class Probe {
  /// What came of it.
  struct Answer {
    var resource: Resource
    /// Seconds from the last request to its answer.
    var latency: Double?
    /// The GET that answered, with the first bytes of its body; nil where HEAD was enough or there is no body.
    var body: Body?
    /// Ranges that were asked for beside it, ascending.
    var early: [Body] = []
    /// What the redirects on the way announced of the file.
    var linked = AnnouncedDigests()
    /// It is one of the range (416), which tells the file's length and as a rule not the version.
    var isRefusal = false
    /// Every head on the way and the last one, each with its address.
    var heads: [(url: RemoteURL, head: ResponseHead)] = []
  }

  struct Body {
    var transfer: Transfer
    /// How it ended, where it has.
    var code: CurlCode? { transfer.code }
  }

  let pool: TransferPool
  var job: DownloadRequest
  let onEvent: (DownloadEvent) -> Void
  /// What the first GET asks for: the first bytes that are missing.
  let gap: ByteRange
  /// The first GET need not wait for HEAD's answer.
  private let mayGoAhead: Bool
  /// Where this one cannot be had, another source is asked: this one is not waited for long.
  let hasAlternative: Bool
  let began: Double
  var hasAnswer = false
  var failures = 0
  var latency: Double?
  /// What HEAD said after the first GET had gone out beside it.
  var hint: Resource?
  var wentAhead = false
  private var linked = AnnouncedDigests()
  private var heads: [(url: RemoteURL, head: ResponseHead)] = []
  /// So much of a whole body may wait in memory, in bytes; nil: what a transfer keeps anyway.
  var mostKept: Int?
  let early: EarlyTransfers

  /// What is asked next.
  enum Question {
    case head, range, whole

    var slot: RangeScheduler.Slot { self == .head ? TransferPool.headSlot : 0 }
  }
  var question: Question

  /// Names that do not resolve and connections that are refused are tried for this long, in seconds.
  static let unreachableTime = 15.0
  /// The same where another source may have the file.
  static let unreachableTimeOfMany = 2.0
  /// A HEAD that is not answered in this time is no use, in seconds.
  private static let headTime = 5.0

  /// What a HEAD that was overtaken gets more where the GET did not tell the length: in seconds, and in bytes that come.
  static let hintTime = 0.5
  static let mostBeforeHint = 1 << 20

  /// `source`: who is asked, where that is not the URL's own server; `gap`: the first bytes that are missing. `mayGoAhead`: what the first GET brings is wanted, whatever HEAD says.
  /// `mayGuess`: so are other parts of the file.
  init(
    _ pool: TransferPool, source: RemoteURL? = nil, hasAlternative: Bool = false,
    gap: ByteRange = ByteRange(0, unknownEnd), mayGoAhead: Bool, mayGuess: Bool = false,
    onEvent: @escaping (DownloadEvent) -> Void
  ) {
    self.pool = pool
    var job = pool.job
    if let source { job.url = source }
    // One that accepts connections and says nothing has had its chance after the time of a stall.
    if hasAlternative { job.timeouts.giveUp = min(job.timeouts.giveUp, job.timeouts.stall) }
    self.job = job
    self.hasAlternative = hasAlternative
    self.gap = gap
    // Where no HTTP is spoken each question is a connection and a login of its own: the first GET tells as much as HEAD.
    let isWeb = job.url.isWeb
    question = isWeb ? .head : .range
    self.mayGoAhead = mayGoAhead && isWeb
    self.onEvent = onEvent
    began = pool.now
    early = EarlyTransfers(pool, isWanted: mayGoAhead && mayGuess, in: gap, onEvent: onEvent)
  }

  func run() throws(DownloadError) -> Answer {
    while true {
      guard var answer = try askForgiving() else {
        early.stop()
        continue
      }
      answer.latency = latency
      answer.linked = linked
      answer.heads = heads
      if answer.body != nil, answer.resource.length != nil, answer.resource.canBeSplit { answer.early = early.take() }
      early.stop()
      // One that was overtaken and is not answered yet has nothing more to tell, and no connection to give.
      if let head = pool.transfers[TransferPool.headSlot] { pool.stop(head) }
      return answer
    }
  }

  /// As `ask`. What the first GET gets for an answer beside HEAD may be an accident where HEAD's is good: then it is sent
  /// again, once, and alone.
  private func askForgiving() throws(DownloadError) -> Answer? {
    do throws(DownloadError) { return try ask() } catch {
      guard error.failure == .refused, wentAhead, question == .range, failures == 0 else { throw error }
      try awaitHint()
      guard hint != nil else { throw error }
      pool.stopAll()
      try pause(nil, "an answer that cannot be used", orFail: error)
      return nil
    }
  }

  /// One question, with the redirects it meets. Nil: ask again, or another way.
  private func ask() throws(DownloadError) -> Answer? {
    var url = job.url
    var redirects = 0
    while redirects <= RedirectRule.most {
      let request = request(for: url)
      onEvent(pool.trace(question.slot, TraceText.request(request)))
      let transfer = pool.start(request, slot: question.slot, redirects: redirects)
      if wentAhead, question == .range, failures == 0, redirects == 0 { early.follow(transfer) }
      switch try exchange() {
      case .overtaken: continue
      case .silent: return try silent()
      case .broken(let transfer, let code): return try broken(transfer, code)
      case .answered(let transfer, let head):
        hasAnswer = true
        onEvent(pool.trace(transfer.slot, TraceText.head(head)))
        heads.append((url, head))
        guard head.status.isRedirect else { return try judge(transfer, head) }
        early.stop()
        pool.stop(transfer)
        do throws(DownloadError) { url = try RedirectRule.next(head, from: url) } catch { return try misled(error) }
        redirects += 1
        let announced = AnnouncedDigests(redirect: head)
        if announced.strongest != nil { linked = announced }
      }
    }
    return try misled(RedirectRule.tooMany(job.url))
  }

  /// Only HEAD may be led astray: the first GET answers instead.
  private func misled(_ error: DownloadError) throws(DownloadError) -> Answer? {
    guard question == .head else { throw error }
    question = .range
    return nil
  }

  private func request(for url: RemoteURL) -> TransferRequest {
    switch question {
    case .head: return TransferRequest(method: .head, isProbe: true, url: url, wanted: gap)
    case .range:
      var request = TransferRequest(isProbe: true, url: url, range: gap, wanted: gap)
      request.awaitsLength = hint != nil || pool.transfers[TransferPool.headSlot] != nil
      return request
    case .whole:
      var request = TransferRequest(isProbe: true, url: url, wanted: ByteRange(0, unknownEnd))
      request.mostKept = mostKept
      return request
    }
  }

  private enum Exchange {
    /// The head is here.
    case answered(Transfer, ResponseHead)
    case broken(Transfer, CurlCode)
    case silent
    /// The first GET is to go out beside HEAD.
    case overtaken
  }

  /// Waits for the head of the question's transfer. A HEAD that was overtaken goes on meanwhile.
  private func exchange() throws(DownloadError) -> Exchange {
    let (slot, startedAt) = (question.slot, pool.now)
    var requestedAt: Double?
    var heardAt: Double?
    while true {
      var (answered, ended): (Transfer?, (transfer: Transfer, code: CurlCode)?)
      early.advance()
      for event in try pool.wait(atMost: canGoAhead ? HeadStart.shortConnection : early.patience) {
        switch event {
        case .news(let transfer, let news):
          guard transfer.slot == slot else { continue }
          if news.isRequested { requestedAt = requestedAt ?? pool.now }
          if news.isHeard || news.isRequested { heardAt = pool.now }
          if news.isAnswered {
            answered = transfer
            latency = requestedAt.map { pool.now - $0 }
          }
        case .ended(let transfer, let code):
          if transfer.slot == slot { ended = (transfer, code) } else { notePassing(transfer) }
        }
      }
      if let ended {
        if let failure = ended.transfer.failure, question != .head { throw failure }
        guard let head = ended.transfer.head else { return .broken(ended.transfer, ended.code) }
        return .answered(ended.transfer, head)
      }
      if let answered, question != .head, let head = answered.head { return .answered(answered, head) }
      if canGoAhead, HeadStart.isOver(begun: pool.now - startedAt, requested: requestedAt.map { pool.now - $0 }) {
        question = .range
        wentAhead = true
        return .overtaken
      }
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
    let patience = question == .head ? min(job.timeouts.answer, Self.headTime) : job.timeouts.answer
    return pool.now - heardAt >= patience || pool.now - requestedAt >= 3 * patience
  }

  private var canGoAhead: Bool { question == .head && mayGoAhead && failures == 0 }

  /// The end of a HEAD that the first GET has overtaken, or of an early range: that one keeps it.
  func notePassing(_ transfer: Transfer) {
    guard transfer.slot == TransferPool.headSlot, let head = transfer.head else { return }
    onEvent(pool.trace(transfer.slot, TraceText.head(head)))
    hint = resource(from: head, transfer.request.url)
  }
}
