/// What a script answers to a request.
package enum Reply: Sendable {
  /// A file, with whatever faults it is given.
  case file(FileReply)
  /// A status with a short body.
  case status(Int, reason: String, headers: HTTPFields, body: [UInt8])
  /// Bytes as they are, head included, and then what becomes of the connection.
  case bytes([UInt8], then: Ending)
  /// Some bytes, head included, and then others again and again, until the client or the server closes the connection.
  case endless(start: [UInt8], repeating: [UInt8])
  /// No answer at all; the connection stays open until the client or the server closes it.
  case silence

  /// What becomes of a connection after an answer.
  package enum Ending: Sendable {
    /// It is kept for the next request.
    case keep
    /// It is closed in good order.
    case close
    /// It is reset (RST), after everything before has been acknowledged.
    case reset
    /// Nothing more is sent; it stays open until the client or the server closes it.
    case hang
  }

  /// A file; `adjust` sets what differs from a healthy server.
  package static func file(_ content: Content, _ adjust: (inout FileReply) -> Void = { _ in }) -> Reply {
    var reply = FileReply(content)
    adjust(&reply)
    return .file(reply)
  }

  /// A status with a text as its body.
  package static func status(
    _ code: Int, reason: String = "", headers: HTTPFields = [:], text: String = ""
  ) -> Reply {
    .status(code, reason: reason, headers: headers, body: Array(text.utf8))
  }

  /// A redirect.
  package static func redirect(_ code: Int = 302, to location: String, headers: HTTPFields = [:]) -> Reply {
    var all: HTTPFields = ["Location": location]
    all.append(headers)
    return .status(code, reason: "", headers: all, body: [])
  }

  /// A text, head included, and then another again and again, until the client or the server closes the connection.
  package static func endless(_ start: String, repeating: String) -> Reply {
    .endless(start: Array(start.utf8), repeating: Array(repeating.utf8))
  }

  /// A text as it is, head included, and then what becomes of the connection.
  package static func raw(_ text: String, then ending: Ending = .close) -> Reply {
    .bytes(Array(text.utf8), then: ending)
  }
}
