internal import TestSupport

/// What one answer of a server can be, other than right.
enum Fault: String, CaseIterable {
  // The transport.
  case cut, reset, stall, silence, drop, slowHead
  // Answers that are none.
  case refuse, busy, gone, hostile, garbage, hugeHead
  // Strange, and still good enough.
  case slice, chunked, extra, weak, redirect, closeDelimited, anyTotal
  // Ranges that are none.
  case ignore, shift, noRange, broken, multipart, unsatisfiable, wrongTotal, wrongLength

  /// The codes that a run may end with because of it, beside 0.
  var codes: Set<Int32> {
    switch self {
    case .cut, .reset, .stall, .silence, .drop, .slowHead: [3]
    case .refuse, .busy, .hostile: [3, 4]
    case .gone, .garbage, .hugeHead: [4]
    case .slice, .chunked, .extra, .weak, .redirect, .closeDelimited: []
    // 4 where the time for another try is up, or no range was asked for.
    case .ignore, .anyTotal, .shift, .noRange, .broken, .wrongTotal, .multipart, .unsatisfiable: [4, 6]
    // What it leaves of its body spoils the next answer.
    case .wrongLength: [3, 4, 6]
    }
  }

  /// Whether a resumed run need not fetch anything again that is here.
  var isHonest: Bool {
    switch self {
    case .ignore, .anyTotal, .shift, .noRange, .broken, .multipart, .unsatisfiable, .wrongTotal, .wrongLength: false
    default: true
    }
  }

  /// The answer where it is no file at all; nil where it is one, which `spoil` changes.
  func reply(to request: Request, _ content: Content, _ chance: inout Chance) -> Reply? {
    switch self {
    case .refuse: .status(chance.pick([500, 502, 504, 408]))
    case .busy: .status(chance.pick([429, 503]), headers: chance.odds(50) ? [:] : ["Retry-After": "0"])
    case .gone: .status(chance.odds(10) ? chance.pick([404, 410, 403]) : 503)
    case .hostile:
      .status(503, reason: "\u{1B}[2J\u{9B}1A\u{202E}x", headers: ["Server": "\u{1B}]0;pwn\u{07}"], text: "\u{1B}c")
    case .garbage: .raw("gar\0bage\r\n\r\n")
    case .hugeHead: .endless("HTTP/1.1 200 OK\r\n", repeating: "X-Filler: \(String(repeating: "x", count: 1000))\r\n")
    case .silence: .silence
    case .drop: .raw("", then: chance.odds(50) ? .close : .reset)
    case .redirect: request.path == ServedFile.elsewhere ? nil : .redirect(to: ServedFile.elsewhere)
    case .unsatisfiable: .status(416, headers: ["Content-Range": "bytes */\(content.length)"])
    case .multipart: .status(206, headers: ["Content-Type": "multipart/byteranges; boundary=x"], text: "--x--")
    default: nil
    }
  }

  /// Changes a file's answer. Whatever is left without a way to tell that it is wrong is left alone.
  func spoil(_ reply: inout FileReply, to request: Request, _ chance: inout Chance) {
    let some = chance.number(0...max(1, reply.content.length / 3))
    switch self {
    case .cut: reply.cutAfter = some
    case .reset: reply.resetAfter = some
    case .stall: reply.stallAfter = some
    case .slowHead: reply.headBytesPerSecond = 20
    case .slice: reply.sliceLimit = max(1, some)
    case .chunked: reply.isChunked = true
    case .extra: reply.extraBytes = Array(repeating: 0x58, count: chance.number(1...2000))
    case .weak: reply.etag = reply.etag.map { $0.hasPrefix("W/") ? $0 : "W/" + $0 }
    case .closeDelimited: reply.isCloseDelimited = true
    case .anyTotal: reply.contentRange = { range, _ in "bytes \(range.lowerBound)-\(range.upperBound - 1)/*" }
    default: spoilRange(&reply, to: request, some)
    }
  }

  private func spoilRange(_ reply: inout FileReply, to request: Request, _ some: Int64) {
    switch self {
    case .ignore: reply.honoursRange = false
    case .shift: reply.contentRange = { "bytes \($0.lowerBound + 1)-\($0.upperBound)/\($1)" }
    case .noRange: reply.contentRange = { _, _ in nil }
    case .broken: reply.contentRange = { _, _ in "bytes 9-5/10" }
    case .wrongTotal: reply.contentRange = { "bytes \($0.lowerBound)-\($0.upperBound - 1)/\($1 + 1)" }
    // A whole body that is cut by its own length is a whole body to anybody.
    case .wrongLength where request.range != nil && reply.honoursRange: reply.contentLengths = [String(max(1, some))]
    default: break
    }
  }
}
