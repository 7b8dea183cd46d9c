import DownloadCore
import Glibc

/// One libcurl handle at work on one request; the only thing that libcurl points back at.
final class Transfer: CurlReceiver {
  let slot: RangeScheduler.Slot
  private(set) var request: TransferRequest
  /// Redirects that led here.
  let redirects: Int
  /// Of the pool, when it was started.
  var epoch = 0
  /// Of the pool's seconds.
  var startedAt = 0.0
  var requestedAt: Double?
  /// Whose request it is, where that is not the main source's.
  private(set) weak var mirror: Source?
  /// It brings a block for the comparison, into memory.
  var isSample = false
  private(set) var handle = EasyHandle()
  private var parser = ResponseHeadParser()
  /// Stands in for the parser where no HTTP is spoken.
  private var plain: PlainTalk?

  /// The judgement of the head, made before the first byte of the body is taken.
  private(set) var verdict: ResponseCheck.Verdict?
  private(set) var head: ResponseHead?
  /// The next byte of the file that is to come.
  private(set) var position: Int64
  /// The body is wanted up to here; moves towards the start when another connection takes over the rest.
  private(set) var end: Int64
  private var present: ArraySlice<ByteRange>
  /// No byte from here on is ever written.
  private let most: ByteCount?
  /// Bytes that were not here before.
  private(set) var written: Int64 = 0
  /// The body goes on behind the end.
  private var isTooLong = false
  /// What is behind the end is read and thrown away, so that the connection can be used again.
  private var drainsRest = false
  /// A local failure, or a head that cannot be understood.
  private(set) var failure: DownloadError?
  /// How it ended, where it has.
  var code: CurlCode? { didSet { judgeEnd() } }

  /// OpenSSL's, by its address, where its end is the body's.
  private var secureConnection: Int?

  /// Where the body goes; until it is known, the first bytes are kept here.
  private var writer: PartWriter?
  private var early: [UInt8] = []
  private var piece = PartWriter.OpenPiece()

  /// The answer is no use, but its body is so short that reading it is cheaper than another connection.
  private var drains = false
  private static let mostDrained: Int64 = 16 << 10

  private var news = News()
  /// Told once when there is news after none.
  var onNews: ((Transfer) -> Void)?
  private var hasNews = false

  /// More than a body's first bytes are never kept in memory: as much as libcurl hands over before it lets go. A probe
  /// that has brought so many waits until it is known where they go.
  var mostEarly = 4 << 20
  private(set) var isPaused = false
  /// Nothing more is wanted of a server that speaks no HTTP.
  private var isTurnedAway = false
  /// What comes behind the end may be wanted yet: the response waits there.
  private(set) var holdsAtEnd = false
  /// Whether a piece of so many bytes may be taken now; where not, it is asked for again by `takeHeldBack`. Throws where
  /// nothing more is to be taken.
  var mayTake: ((Transfer, Int) throws(DownloadError) -> Bool)?
  /// It does, and has come there.
  var waitsAtEnd: Bool { holdsAtEnd && (isPaused || hasAll) }
  /// The request has gone out.
  private(set) var wasAsked = false
  /// Where that one's request has not gone out, this one's must not.
  weak var follows: Transfer?

  init(
    slot: RangeScheduler.Slot, _ request: TransferRequest, job: DownloadRequest, redirects: Int, writer: PartWriter?,
    mirror: Source? = nil
  ) {
    self.mirror = mirror
    self.slot = slot
    self.request = request
    self.redirects = redirects
    self.writer = writer
    position = request.wanted.start
    end = request.wanted.end
    present = request.present[...]
    // What a part has is known before the first byte of it is asked for.
    most = job.range == nil ? job.maximumSize : nil
    mostEarly = request.mostKept ?? mostEarly
    super.init()
    handle.prepare(request, job)
    do throws(DownloadError) {
      plain = try PlainTalk(request)
    } catch {
      (plain, failure) = (PlainTalk.nobody, error)
      handle.forbid()
    }
    handle.setReceiver(self)
  }

  override func requestGoesOut() -> Bool {
    guard follows?.wasAsked ?? true else { return false }
    wasAsked = true
    change { $0.isRequested = true }
    return true
  }

  override func takeHeader(_ line: UnsafeRawBufferPointer) -> Int {
    change { $0.isHeard = true }
    if plain != nil, !plain!.isLeftToHTTP {
      guard takePlain(line) else { return 0 }
      guard plain!.isLeftToHTTP else { return line.count }
      // What was asked for has no end, in HTTP as well.
      request.range = request.range.flatMap { $0.start == 0 ? nil : ByteRange($0.start, unknownEnd) }
    }
    let wasComplete = parser.isComplete
    do throws(MalformedHead) {
      try parser.add(line: line.assumingMemoryBound(to: UInt8.self))
    } catch {
      // What a server sent too much of the answer before is no answer to this request.
      if handle.isOnNewConnection || error == .tooLarge { failure = Self.refusal(error, request.url) }
      return 0
    }
    if wasComplete, !parser.isComplete { begin() }
    guard !wasComplete, let head = parser.head else { return line.count }
    self.head = head
    return judge(head) ? line.count : 0
  }

  override func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    parser.bodyBegan()
    if isPlain, head == nil { judgeBeforeBody() }
    guard failure == nil, isAccepted else {
      return drains && failure == nil ? bytes.count : refuseBody(of: bytes.count)
    }
    guard writer != nil else {
      guard early.count + bytes.count <= mostEarly else {
        isPaused = request.isProbe || request.awaitsTrust
        return isPaused ? Self.pause : 0
      }
      if let refusal = refusal(of: bytes.count) { return refusal }
      let kept = Int64(early.count + bytes.count)
      guard !isFTP || kept < end - request.wanted.start else { return keepLast(of: bytes) }
      early += bytes
      change { news in
        news.isHeard = true
        news.ahead += Int64(bytes.count)
      }
      return bytes.count
    }
    // libcurl waits for an FTP server's last word as soon as it has all.
    if holdsAtEnd, Int64(bytes.count) + (isFTP ? 1 : 0) > end - position {
      isPaused = true
      return Self.pause
    }
    return refusal(of: bytes.count) ?? write(bytes)
  }

  /// What libcurl is told where a piece is not to be taken now, or not at all.
  private func refusal(of count: Int) -> Int? {
    do throws(DownloadError) {
      return try mayTake?(self, count) ?? true ? nil : Self.pause
    } catch {
      failure = error
      return 0
    }
  }

  var isAccepted: Bool {
    switch verdict {
    case .partial, .whole: true
    default: false
    }
  }

  /// The request went out on a connection that was made.
  var wasRequested: Bool { handle.wasRequested }

  /// No other request was on this connection before.
  var isOnNewConnection: Bool { handle.isOnNewConnection }

  /// The first bytes of the body, where no writer was given.
  var body: [UInt8] { early }

  /// The end of the connection, which ended the body, may have been a cut.
  var mayBeCut: Bool {
    guard request.url.scheme == "https" else { return false }
    return secureConnection.map { !CloseNotify.wasHeard(on: $0) } ?? true
  }

  /// Everything that is wanted has come, or nothing more is.
  var isFull: Bool { (hasAll && !tellsItsEnd && !holdsAtEnd && !drainsRest) || isTurnedAway }

  /// Every byte up to the end has come; a body that tells its own end may go on.
  var hasAll: Bool { isAccepted && position >= end }

  /// The body is not of the length that the file was said to have.
  func hasOtherLength(_ code: CurlCode) -> Bool {
    // The last chunk is the file's end; that of a connection may be a cut.
    tellsItsEnd && (isTooLong || (code.isOK && position < end && head?.transferCoding == .chunked))
  }

  /// The length is another answer's; this one tells where the file ends by its last chunk, or by the connection's end.
  private var tellsItsEnd: Bool { verdict == .whole(length: nil) && end == request.length }
}

extension Transfer {
  /// What happened since the last call.
  func takeNews() -> News {
    hasNews = false
    defer { news = News() }
    return news
  }

  private func change(_ body: (inout News) -> Void) {
    body(&news)
    guard !hasNews else { return }
    hasNews = true
    onNews?(self)
  }

  /// Stops at an offset before the range's end. `drains`: what the response holds behind it is read and thrown away.
  func shorten(to end: Int64, drains: Bool = false) {
    self.end = min(self.end, max(end, position))
    drainsRest = drains
  }

  /// What comes now is thrown away.
  var isDraining: Bool { drainsRest && hasAll }

  /// Goes on to an offset behind the range's end, also where it waits there. `present` is not written again.
  func extend(to end: Int64, present: [ByteRange]) {
    precondition(!drainsRest, "what was thrown away cannot be gone on with")
    self.end = end
    self.present = present[...]
    if writer != nil { goOn() }
  }

  /// Says where the body goes, and writes what has come already.
  func deliver(to writer: PartWriter) {
    self.writer = writer
    let kept = early
    early = []
    // Chunks may bring more than the head said. What is behind the end is gone then: there is nothing to wait for.
    if Int64(kept.count) > end - position { holdsAtEnd = false }
    kept.withUnsafeBytes { _ = write($0) }
    goOn()
  }

  private func goOn() {
    guard isPaused else { return }
    isPaused = false
    handle.goOn()
  }

  /// Asks again for the piece that `mayTake` has held back. Gives a failure where the transfer is to end for what came.
  func takeHeldBack() -> CurlCode { handle.goOn() }

  /// The response waits at its end until `letGo`, so that it can be extended.
  func hold() { holdsAtEnd = true }

  /// What is behind the end now is not wanted.
  func letGo() {
    guard holdsAtEnd else { return }
    holdsAtEnd = false
    change { _ in }
    goOn()
  }

  /// Puts what was written so far into the ledger.
  func commit() { writer?.commit(&piece) }

  /// What was written and not committed yet.
  var uncommitted: ByteRange { piece.written }
}

extension Transfer {
  /// libcurl sends a request again by itself when a kept connection turns out to be dead: then a new head begins.
  private func begin() {
    head = nil
    verdict = nil
    drains = false
  }

  /// Whether the body is to be taken.
  private func judge(_ head: ResponseHead) -> Bool {
    change { $0.isAnswered = true }
    guard request.method == .get else { return true }
    var verdict = ResponseCheck.judge(head, request.expectation)
    if request.takesPartsOnly, case .whole = verdict {
      verdict = .rangeIgnored("the whole file was sent instead of a range")
    }
    self.verdict = verdict
    drains = !isPlain && head.contentLength.count.map { $0 <= Self.mostDrained } ?? false
    switch verdict {
    case .partial(let range, let total):
      end = min(end, range.end, total ?? end)
      return true
    case .whole(let length):
      if length == nil, head.transferCoding == .none { secureConnection = CloseNotify.connection(of: handle.raw) }
      end = min(end, length ?? end)
      return true
    default: return drains
    }
  }

  /// No HTTP is spoken.
  private var isPlain: Bool { plain.map { !$0.isLeftToHTTP } ?? false }
  private var isFTP: Bool { isPlain && request.url.isFTP }

  /// False where the server's words are too many.
  private func takePlain(_ line: UnsafeRawBufferPointer) -> Bool {
    do throws(MalformedHead) {
      if let head = try plain?.add(line: line, { handle.toldFile }), self.head == nil { take(head) }
      return true
    } catch {
      failure = Self.refusal(error, request.url)
      return false
    }
  }

  private func judgeBeforeBody() { if let head = plain?.headBeforeBody() { take(head) } }

  /// Of an answer without a body, or without any: why, as far as the server said it.
  private func judgeEnd() {
    guard isPlain, head == nil, failure == nil, let code else { return }
    // Its end is the news.
    onNews = nil
    if let head = plain?.head(after: code, { handle.toldFile }) { take(head) }
  }

  private func take(_ head: ResponseHead) {
    self.head = head
    _ = judge(head)
  }

  /// Keeps what is wanted of an FTP server's last piece: it was not told where to end.
  private func keepLast(of bytes: UnsafeRawBufferPointer) -> Int {
    early += bytes.prefix(Int(end - request.wanted.start) - early.count)
    isTurnedAway = true
    change { $0.isHeard = true }
    return Self.pause
  }

  /// Takes no more of the body. At an error of ours libcurl waits for an FTP server's last word before it goes on with
  /// anything: it is left waiting instead, until the pool lets go of the transfer.
  private func refuseBody(of count: Int) -> Int {
    guard isFTP, failure != nil || !isAccepted || hasAll else { return 0 }
    // Where it ends only its last word tells.
    guard !tellsItsEnd || failure != nil else { return isTooLong ? 0 : count }
    isTurnedAway = true
    change { _ in }
    return Self.pause
  }

  /// What the answer must be of, known only since the request went out.
  func expect(_ resource: Resource) { request.expect(resource) }

  /// Writes what is wanted of a piece of the body; what is beyond the range never is.
  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let wanted = Int(min(Int64(bytes.count), end - position))
    let before = position
    isTooLong = wanted < bytes.count
    let target = position + Int64(wanted)
    do throws(DownloadError) {
      try write(upTo: min(target, most?.bytes ?? target), bytes)
      if let most, target > most.bytes { throw .aboveMaximum(request.url, length: nil, most: most) }
    } catch {
      failure = error
    }
    change { news in
      news.isHeard = true
      news.received += position - before
    }
    if failure == nil, drainsRest { return bytes.count }
    let isLast = isFTP && hasAll
    return failure == nil && wanted == bytes.count && !isLast ? bytes.count : refuseBody(of: bytes.count)
  }

  private func write(upTo target: Int64, _ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
    let origin = position
    while position < target {
      while let first = present.first, first.end <= position { present.removeFirst() }
      if let first = present.first, first.start <= position {
        position = min(target, first.end)
        continue
      }
      let stop = min(target, present.first?.start ?? target)
      let piece = bytes[Int(position - origin)..<Int(stop - origin)]
      try writer!.write(UnsafeRawBufferPointer(rebasing: piece), at: position, &self.piece)
      written += stop - position
      position = stop
    }
  }
}
