import DownloadCore

/// One request for a file that may be small, whose body is kept in memory; libcurl points back at it.
final class SmallTransfer: CurlReceiver {
  let job: SmallJob
  let request: TransferRequest
  /// Redirects that led here.
  let redirects: Int
  /// What they announced of the file.
  let linked: AnnouncedDigests
  /// Whose it is until the transfer has ended.
  let handle: PreparedHandle
  private var parser = ResponseHeadParser()
  private(set) var head: ResponseHead?
  /// What follows from the head; nil before it is here.
  private(set) var step: SmallFileRule.Step?
  private(set) var body: [UInt8] = []
  /// The body is longer than a small file's.
  private(set) var isTooLong = false
  /// In the seconds of whoever waits; moved on by `hears`.
  var heardAt: Double
  private var hasNews = false
  /// The request has gone out.
  private(set) var wasAsked = false

  /// Whether a piece of so many bytes may be taken now; where not, it is asked for again by `takeHeldBack`.
  var mayTake: ((SmallTransfer, Int) -> Bool)?
  private var isHeldBack = false

  /// An answer that is no file is read to its end where that is cheaper than another connection.
  private var drains = false
  private static let mostDrained: Int64 = 16 << 10

  init(
    _ job: SmallJob, _ request: TransferRequest, _ handle: PreparedHandle, redirects: Int = 0,
    linked: AnnouncedDigests = AnnouncedDigests(), at now: Double
  ) {
    self.job = job
    self.request = request
    self.handle = handle
    self.redirects = redirects
    self.linked = linked
    heardAt = now
    super.init()
    handle.easy.setReceiver(self)
  }

  override func requestGoesOut() -> Bool {
    hasNews = true
    wasAsked = true
    return true
  }

  override func takeHeader(_ line: UnsafeRawBufferPointer) -> Int {
    hasNews = true
    let wasComplete = parser.isComplete
    do throws(MalformedHead) {
      try parser.add(line: line.assumingMemoryBound(to: UInt8.self))
    } catch {
      return 0
    }
    // libcurl sends a request again by itself when a kept connection turns out to be dead: then a new head begins.
    if wasComplete, !parser.isComplete { begin() }
    guard !wasComplete, let head = parser.head else { return line.count }
    self.head = head
    return judge(head) ? line.count : 0
  }

  override func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    parser.bodyBegan()
    hasNews = true
    guard case .take = step else { return drains ? bytes.count : 0 }
    guard body.count + bytes.count <= Int(SmallFileRule.mostBytes) else {
      isTooLong = true
      return 0
    }
    guard mayTake?(self, bytes.count) ?? true else {
      isHeldBack = true
      return Self.pause
    }
    body += bytes
    return bytes.count
  }

  /// Whether the body is to be taken. That of a long file is not begun.
  private func judge(_ head: ResponseHead) -> Bool {
    guard request.method == .get else { return true }
    let step = SmallFileRule.step(head, for: job.request)
    self.step = step
    if case .take(let length) = step {
      body.reserveCapacity(Int(length ?? 0))
      return true
    }
    drains = head.contentLength.count.map { $0 <= Self.mostDrained } ?? false
    return drains
  }

  private func begin() {
    head = nil
    step = nil
    drains = false
    body = []
  }
}

extension SmallTransfer {
  /// What libcurl calls it.
  var identity: UnsafeMutableRawPointer { handle.easy.raw }

  func join(_ multi: borrowing MultiHandle) { multi.add(handle.easy) }
  func leave(_ multi: borrowing MultiHandle) { multi.remove(handle.easy) }

  /// Notes when something of the answer came last.
  func hears(at now: Double) {
    if hasNews || isHeldBack { heardAt = now }
    hasNews = false
  }

  /// Asks again for the piece that `mayTake` has held back. Gives a failure where the transfer is to end for what came.
  func takeHeldBack() -> CurlCode {
    isHeldBack = false
    return handle.easy.goOn()
  }
}
