import DownloadCore

/// Compares a piece of what is here with the server's bytes, where no validator tells one version from another.
struct Sample {
  let pool: TransferPool
  let session: PartSession
  let resource: Resource
  /// The length that HEAD told, where that is not the resource's.
  var toldLength: Int64?

  /// In bytes.
  private static let length: Int64 = 64 << 10
  /// The longest of so many of the last segments is the first choice.
  private static let favoured = 8
  /// So many samples are compared where the server names another version.
  private static let spread: Int64 = 4
  /// No other transfer has it.
  private static let slot = ConnectionLimit.most

  enum Outcome {
    case same
    /// How the bytes differ.
    case different(String)
    /// The disk has damaged all that is here: it differs from every version.
    case nothingIntact
  }

  /// Throws `network` or `refused` where the server cannot be asked: that is no reason to throw away what is here.
  func compare() throws(DownloadError) -> Outcome {
    guard let range = try intactRange() else { return .nothingIntact }
    guard let theirs = try fetch(range) else { return .different("a sample of it could not be compared") }
    return try isMine(theirs.bytes, range) ? .same : .different("a sample of its bytes differs")
  }

  /// The same with bytes from all over what is here, too.
  func compareWidely() throws(DownloadError) -> Outcome {
    let outcome = try compare()
    guard case .same = outcome else { return outcome }
    for range in try spreadRanges() {
      guard let theirs = try fetch(range) else { return .different("a sample of it could not be compared") }
      guard try isMine(theirs.bytes, range) else { return .different("a sample of its bytes differs") }
    }
    return .same
  }

  /// Samples whose distances are the same, counted in bytes that are here and intact.
  private func spreadRanges() throws(DownloadError) -> [ByteRange] {
    let step = session.ledger.done / (2 * Self.spread)
    var ranges: [ByteRange] = []
    for number in 0..<Self.spread {
      var place = step * (2 * number + 1)
      for segment in session.ledger.segments {
        guard place >= segment.range.count else {
          let start = max(segment.range.start, min(segment.range.start + place, segment.range.end - Self.length))
          let range = ByteRange(start, min(start + Self.length, segment.range.end))
          let isSound: Bool
          if session.isTrusted { isSound = true } else { isSound = try isIntact(segment) }
          if isSound { ranges.append(range) }
          break
        }
        place -= segment.range.count
      }
    }
    return ranges
  }

  /// The server may have sent less than the sample.
  private func isMine(_ bytes: [UInt8], _ range: ByteRange) throws(DownloadError) -> Bool {
    try bytes == mine(ByteRange(range.start, range.start + Int64(bytes.count)))
  }

  /// Whether a GET names the part's version although HEAD names another: GET is right. The sample itself must be the
  /// same, too.
  func isNamedByGET() throws(DownloadError) -> Bool {
    guard let range = try intactRange(), let theirs = try fetch(range), try isMine(theirs.bytes, range) else {
      return false
    }
    return session.manifest.validator.matches(Validator(head: theirs.head, length: resource.length)) == .same
  }

  /// What a GET names as the file's version where it tells the length of what is here, whatever HEAD does: GET is right.
  /// The sample itself must be the same, too. Nil where it is not, or where GET tells another length or none.
  func versionByGET() throws(DownloadError) -> Validator? {
    let length = session.manifest.length
    guard let range = try intactRange(), let theirs = try fetch(range), try isMine(theirs.bytes, range),
      case .value(let told) = theirs.head.contentRange, told.total == length
    else { return nil }
    return Validator(head: theirs.head, length: length)
  }

  /// Where the sample is taken from.
  private func intactRange() throws(DownloadError) -> ByteRange? {
    try intactSegment().map { ByteRange(max($0.start, $0.end - Self.length), $0.end) }
  }

  private func intactSegment() throws(DownloadError) -> ByteRange? {
    let segments = session.ledger.segments
    let favoured = segments.suffix(Self.favoured).sorted { $0.range.count > $1.range.count }
    for segment in favoured + segments.dropLast(Self.favoured).reversed() {
      if session.isTrusted { return segment.range }
      try pool.checkSignals()
      if try isIntact(segment) { return segment.range }
    }
    return nil
  }

  private func isIntact(_ segment: Segment) throws(DownloadError) -> Bool {
    var crc: UInt32 = 0
    var start = segment.range.start
    while start < segment.range.end {
      let bytes = try mine(ByteRange(start, min(segment.range.end, start + 1 << 20)))
      guard !bytes.isEmpty else { return false }
      crc = bytes.withUnsafeBytes { CRC32.update(crc, $0) }
      start += Int64(bytes.count)
    }
    return crc == segment.crc32
  }

  private func mine(_ range: ByteRange) throws(DownloadError) -> [UInt8] { try session.bytes(of: range) }
}

/// Asking for it.
extension Sample {
  private enum Answer {
    case sample(bytes: [UInt8], head: ResponseHead)
    /// The server does not give a range of this file.
    case none
    /// It does not give the file: that says nothing of what is here.
    case denied(DownloadError)
    case elsewhere(RemoteURL)
    case trouble(String, Failure = .network, retryAfter: Double? = nil)
  }

  /// The server's bytes and the head they came with, with patience; nil where it does not give them.
  private func fetch(_ range: ByteRange) throws(DownloadError) -> (bytes: [UInt8], head: ResponseHead)? {
    let deadline = pool.now + pool.job.timeouts.giveUp
    var tries = 0
    while true {
      tries += 1
      switch try ask(for: range) {
      case .sample(let bytes, let head): return (bytes, head)
      case .none: return nil
      case .denied(let error): throw error
      case .elsewhere: throw RedirectRule.tooMany(resource.url)
      case .trouble(let reason, let failure, let retryAfter):
        let delay = retryAfter ?? BackOff.delay(attempt: tries, random: Double.random(in: 0..<1))
        let next = pool.now + delay
        guard next < deadline else {
          throw .gaveUp(resource.url, range: range, reason, failure: failure, tries: tries)
        }
        while pool.now < next { _ = try pool.wait(atMost: min(0.1, next - pool.now)) }
      }
    }
  }

  /// With the redirects that it meets.
  private func ask(for range: ByteRange) throws(DownloadError) -> Answer {
    var (answer, redirects) = (Answer.elsewhere(resource.url), -1)
    while case .elsewhere(let url) = answer, redirects < RedirectRule.most {
      answer = try ask(for: range, at: url)
      redirects += 1
    }
    return answer
  }

  private func ask(for range: ByteRange, at url: RemoteURL) throws(DownloadError) -> Answer {
    var request = TransferRequest(url: url, range: range, wanted: range)
    request.length = resource.length
    pool.start(request, slot: Self.slot)
    var heardAt = pool.now
    while let transfer = pool.transfers[Self.slot] {
      for event in try pool.wait(atMost: 0.1) {
        switch event {
        case .ended(let ended, let code) where ended === transfer: return answer(ended, code)
        case .news(let heard, let news) where heard === transfer && (news.isHeard || news.isRequested):
          heardAt = pool.now
        default: break
        }
      }
      if pool.isHeldBack(transfer) { heardAt = pool.now }
      guard pool.now - heardAt >= pool.job.timeouts.stall else { continue }
      pool.stop(transfer)
    }
    return .trouble("no answer for \(Int(pool.job.timeouts.stall.rounded(.up))) s")
  }

  private func answer(_ transfer: Transfer, _ code: CurlCode) -> Answer {
    if transfer.isComplete, let head = transfer.head { return .sample(bytes: transfer.body, head: head) }
    switch transfer.verdict {
    case .partial, nil:
      guard !code.isOK else { return .trouble("the body ended early") }
      return .trouble(transfer.reason(code), TransferFailure.kind(transfer, code))
    case .transient(let status, let retryAfter):
      return .trouble("the server answered \(status.rawValue)", .refused, retryAfter: retryAfter)
    case .refused(let status): return .denied(.refused(transfer.request.url, status))
    case .malformed(let what): return .denied(.cannotUnderstand(transfer.request.url, what))
    case .redirect: return redirected(transfer)
    case .changed(let how):
      guard isUnconfirmed(transfer.head) else { return .none }
      return .denied(.nameless(transfer.request.url, part: session.part.shownName, how))
    default: return .none
    }
  }

  private func redirected(_ transfer: Transfer) -> Answer {
    guard let head = transfer.head else { return .none }
    do throws(DownloadError) {
      return .elsewhere(try RedirectRule.next(head, from: transfer.request.url))
    } catch {
      return .denied(error)
    }
  }

  /// A whole body of no version, whose length HEAD does not tell, may be anything.
  private func isUnconfirmed(_ head: ResponseHead?) -> Bool {
    guard let head, head.status == .ok, Validator(head: head, length: nil).isEmpty else { return false }
    return head.contentLength.count != toldLength ?? resource.length
  }
}
