/// Everything that is sent for one answer: decided here, performed by `Connection`.
struct ResponsePlan {
  /// The part of a content that makes up a body, and how it ends.
  struct Body {
    var content: Content?
    /// Where the body begins in the content, which is taken as endless repetition of itself.
    var offset: Int64 = 0
    var count: Int64 = 0
    /// Bytes after those of the content.
    var extra: [UInt8] = []
    var isChunked = false
    /// The body ends, without a last chunk, after this many bytes.
    var limit: Int64?
    var gate: BodyGate?
    var ending = Reply.Ending.keep
  }

  var status: Int
  var reason = ""
  var fields: HTTPFields = [:]
  var body = Body()

  /// The status line, the fields and the empty line.
  var head: [UInt8] {
    var text = "HTTP/1.1 \(status) \(reason.isEmpty ? Self.reason(of: status) : reason)\r\n"
    for field in fields.fields { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static func reason(of status: Int) -> String {
    switch status {
    case 200: "OK"
    case 206: "Partial Content"
    case 302: "Found"
    case 404: "Not Found"
    case 416: "Range Not Satisfiable"
    case 429: "Too Many Requests"
    case 503: "Service Unavailable"
    default: "Scripted"
    }
  }
}

extension ResponsePlan {
  /// A status with a short body.
  init(status: Int, reason: String, headers: HTTPFields, body: [UInt8], to request: Request) {
    self.init(status: status, reason: reason)
    fields.append("Date", HTTPDate.now())
    fields.append(headers)
    if !headers.contains("Content-Length") { fields.append("Content-Length", String(body.count)) }
    if request.method != "HEAD" { self.body.extra = body }
  }

  /// A file, as far as the request asks for it, with the faults it was given.
  init(_ reply: FileReply, to request: Request) {
    let length = reply.content.length
    switch reply.answeredRange(to: request) {
    case .whole:
      self.init(status: 200)
      appendFields(of: reply, bodyLength: length, to: request)
      planBody(of: reply, range: 0..<length, to: request)
    case .part(let range):
      self.init(status: 206)
      appendFields(of: reply, bodyLength: Int64(range.count), to: request)
      let right = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
      let value = reply.contentRange.map { $0(range, length) } ?? right
      if let value { fields.append("Content-Range", value) }
      planBody(of: reply, range: range, to: request)
    case .unsatisfiable:
      self.init(status: 416)
      fields.append("Date", HTTPDate.now())
      fields.append("Content-Range", "bytes */\(length)")
      fields.append("Content-Length", "0")
    }
  }

  private mutating func appendFields(of reply: FileReply, bodyLength: Int64, to request: Request) {
    fields.append("Date", HTTPDate.now())
    if let etag = reply.etag { fields.append("ETag", etag) }
    if let date = reply.lastModified { fields.append("Last-Modified", date) }
    if let ranges = reply.acceptRanges { fields.append("Accept-Ranges", ranges) }
    if let disposition = reply.contentDisposition { fields.append("Content-Disposition", disposition) }
    for value in reply.lengthFields(bodyLength: bodyLength, method: request.method) {
      fields.append("Content-Length", value)
    }
    if reply.isChunked { fields.append("Transfer-Encoding", "chunked") }
    if reply.isCloseDelimited { fields.append("Connection", "close") }
    fields.append(reply.headers)
  }

  private mutating func planBody(of reply: FileReply, range: Range<Int64>, to request: Request) {
    if reply.isCloseDelimited { body.ending = .close }
    guard request.method != "HEAD" else { return }
    body.content = reply.content
    body.offset = range.lowerBound + reply.bodyShift
    body.count = Int64(range.count)
    body.extra = reply.extraBytes
    body.isChunked = reply.isChunked
    body.gate = reply.gate
    let ends: [(Int64?, Reply.Ending)] = [
      (reply.cutAfter, .close), (reply.resetAfter, .reset), (reply.stallAfter, .hang),
    ]
    for case (let limit?, let ending) in ends where limit < body.limit ?? .max {
      body.limit = limit
      body.ending = ending
    }
  }
}

extension FileReply {
  /// The range that is answered, with Range, If-Range and the faults weighed.
  fileprivate func answeredRange(to request: Request) -> AskedRange {
    guard honoursRange, request.method == "GET", ifRangeHolds(for: request) else { return .whole }
    let asked = request.asked(ofLength: content.length)
    guard case .part(let range) = asked, let sliceLimit else { return asked }
    return .part(range.lowerBound..<min(range.upperBound, range.lowerBound + sliceLimit))
  }

  private func ifRangeHolds(for request: Request) -> Bool {
    guard let condition = request.headers["If-Range"], ifRange != .ignored else { return true }
    let isDate = !condition.hasPrefix("\"") && !condition.hasPrefix("W/")
    if isDate { return condition == lastModified }
    return ifRange == .honoured && condition == etag && !condition.hasPrefix("W/")
  }

  fileprivate func lengthFields(bodyLength: Int64, method: String) -> [String] {
    if method == "HEAD" {
      switch headLength {
      case .same: break
      case .missing: return []
      case .other(let length): return [String(length)]
      }
    }
    if let contentLengths { return contentLengths }
    return isChunked || isCloseDelimited ? [] : [String(bodyLength)]
  }
}
