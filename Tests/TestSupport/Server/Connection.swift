/// One accepted connection: reads requests, asks the script, and performs its replies.
struct Connection {
  private let socket: Socket
  private let index: Int
  private let state: ServerState
  private var buffer = RequestBuffer()
  private var pacer: Pacer?

  init(socket: Socket, index: Int, state: ServerState) {
    self.socket = socket
    self.index = index
    self.state = state
  }

  /// Serves the connection until it ends, and closes it.
  mutating func run() {
    var ending = Reply.Ending.keep
    var served = 0
    while case .keep = ending {
      guard let head = buffer.next(from: socket) else {
        ending = .close
        break
      }
      let request = state.record(head, connection: index, indexOnConnection: served)
      ending = answer(request)
      if head.wantsClose, case .keep = ending { ending = .close }
      state.update(request) { $0.end = .now }
      served += 1
    }
    state.release(index)
    if case .reset = ending { socket.reset() } else { socket.closeInOrder() }
  }

  private mutating func answer(_ request: Request) -> Reply.Ending {
    guard state.beginAnswer() else { return refuse(request) }
    defer { state.endAnswer() }
    let ending = reply(to: request)
    if case .hang = ending { socket.waitForEnd() }
    return ending
  }

  private mutating func reply(to request: Request) -> Reply.Ending {
    switch state.script(request) {
    case .file(let reply):
      guard socket.sleep(until: .now + reply.delay) else { return .close }
      setRate(reply.rate ?? state.settings.rate)
      let plan = ResponsePlan(reply, to: request)
      return perform(plan, headBytesPerSecond: reply.headBytesPerSecond, of: request)
    case .status(let code, let reason, let headers, let body):
      let plan = ResponsePlan(status: code, reason: reason, headers: headers, body: body, to: request)
      return perform(plan, of: request)
    case .bytes(let bytes, let ending):
      return bytes.withUnsafeBytes { socket.send($0) } ? ending : .close
    case .endless(let start, let repeating):
      return sendEndlessly(start, repeating, of: request)
    case .silence:
      return .hang
    }
  }

  private mutating func refuse(_ request: Request) -> Reply.Ending {
    guard case .tooManyRequests(_, let retryAfter) = state.settings.limit else { return .reset }
    var fields: HTTPFields = ["Connection": "close"]
    if let retryAfter { fields.append("Retry-After", String(retryAfter)) }
    let plan = ResponsePlan(status: 429, reason: "", headers: fields, body: [], to: request)
    _ = perform(plan, of: request)
    return .close
  }

  /// The bucket stays as full as it is when a reply brings another rate.
  private mutating func setRate(_ rate: Double?) {
    guard let rate else {
      pacer = nil
      return
    }
    if pacer == nil { pacer = Pacer(bytesPerSecond: rate, now: .now) }
    pacer?.bytesPerSecond = rate
    pacer?.begin()
  }

  private mutating func perform(
    _ plan: ResponsePlan, headBytesPerSecond: Double? = nil, of request: Request
  ) -> Reply.Ending {
    state.update(request) { $0.status = plan.status }
    let hasBody = plan.body.count > 0 || !plan.body.extra.isEmpty
    guard sendHead(plan.head, bytesPerSecond: headBytesPerSecond, more: hasBody) else { return .close }
    return sendBody(plan.body, of: request) ? plan.body.ending : .close
  }

  private func sendHead(_ head: [UInt8], bytesPerSecond: Double?, more: Bool) -> Bool {
    guard let bytesPerSecond else { return head.withUnsafeBytes { socket.send($0, more: more) } }
    var next = ContinuousClock.now
    for byte in head {
      next += .seconds(1 / bytesPerSecond)
      guard socket.sleep(until: next), withUnsafeBytes(of: byte, { socket.send($0) }) else { return false }
    }
    return true
  }

  private mutating func sendBody(_ body: ResponsePlan.Body, of request: Request) -> Bool {
    let whole = body.count + Int64(body.extra.count)
    let end = min(whole, body.limit ?? whole)
    var sent: Int64 = 0
    while sent < end {
      var count = Int(min(end - sent, Int64(pieceLength)))
      guard pace(count) else { return false }
      if sent < body.count { count = Int(min(Int64(count), body.count - sent)) }
      if let gate = body.gate {
        guard sent != gate.after || gate.pass() else { return false }
        if sent < gate.after { count = Int(min(Int64(count), gate.after - sent)) }
      }
      // Counted first, so that whoever has received a byte finds it in the log.
      state.update(request) { $0.bodyBytesSent += Int64(count) }
      let done = sendPiece(of: body, at: sent, count: count)
      if done != count { state.update(request) { $0.bodyBytesSent -= Int64(count - (done ?? 0)) } }
      guard let done else { return false }
      sent += Int64(done)
    }
    guard body.isChunked, body.limit == nil else { return true }
    return sendText("0\r\n\r\n")
  }

  private func sendEndlessly(_ start: [UInt8], _ repeating: [UInt8], of request: Request) -> Reply.Ending {
    guard start.withUnsafeBytes({ socket.send($0) }), !repeating.isEmpty else { return .close }
    let block = Array(repeatElement(repeating, count: max(1, (64 << 10) / repeating.count)).joined())
    while block.withUnsafeBytes({ socket.send($0) }) {
      state.update(request) { $0.bodyBytesSent += Int64(block.count) }
    }
    return .close
  }

  private var pieceLength: Int {
    var length = 256 << 10
    if let pacer { length = min(length, pacer.pieceLength) }
    if let totalRate = state.settings.totalRate { length = min(length, max(1, Int(totalRate / 100))) }
    return length
  }

  private mutating func pace(_ count: Int) -> Bool {
    guard pacer != nil || state.settings.totalRate != nil else { return true }
    let now = ContinuousClock.now
    let own = pacer?.take(count, now: now) ?? now
    return socket.sleep(until: max(own, state.paceAll(count, now: now)))
  }

  /// Sends up to `count` bytes of the body, and returns how many; nil if the connection is gone.
  private func sendPiece(of body: ResponsePlan.Body, at position: Int64, count: Int) -> Int? {
    guard position < body.count, let content = body.content else {
      let start = Int(position - body.count)
      return body.extra[start..<start + count].withUnsafeBytes { send($0, chunked: body.isChunked) ? count : nil }
    }
    let remainder = (body.offset + position) % content.length
    let offset = remainder < 0 ? remainder + content.length : remainder
    if let file = content.descriptor, !body.isChunked {
      let count = Int(min(Int64(count), content.length - offset))
      return socket.sendFile(file, offset: offset, count: count) ? count : nil
    }
    return try? content.withPiece(at: offset, upTo: count) { piece in
      send(piece, chunked: body.isChunked) ? piece.count : nil
    }
  }

  private func send(_ piece: UnsafeRawBufferPointer, chunked: Bool) -> Bool {
    guard chunked else { return socket.send(piece) }
    return sendText(String(piece.count, radix: 16) + "\r\n", more: true) && socket.send(piece, more: true)
      && sendText("\r\n")
  }

  private func sendText(_ text: String, more: Bool = false) -> Bool {
    Array(text.utf8).withUnsafeBytes { socket.send($0, more: more) }
  }
}
