/// What a scripted server has seen and done so far.
package struct ServerLog: Sendable {
  /// A request and, as far as it has come, its answer.
  package struct Entry: Sendable {
    /// The request.
    package let request: Request
    /// The status sent; nil before that, and for answers that are raw bytes or silence.
    package internal(set) var status: Int?
    /// The bytes of the body, or of what an endless reply repeats, that have been handed to the socket.
    package internal(set) var bodyBytesSent: Int64 = 0
    /// When the answer had come to its end, be it the right one or not.
    package internal(set) var end: ContinuousClock.Instant?

    /// Whether the answer has come to its end.
    package var isFinished: Bool { end != nil }
  }

  /// Every request, in the order in which they were read.
  package internal(set) var entries: [Entry] = []
  /// How many connections were accepted.
  package internal(set) var connections = 0
  /// How many connections were closed unread, or requests answered with 429, because of a limit.
  package internal(set) var refusals = 0
  /// How many connections are open.
  package internal(set) var openConnections = 0
  /// The most connections that were open at the same time.
  package internal(set) var maxConcurrentConnections = 0
  /// How many requests are being answered.
  package internal(set) var activeRequests = 0
  /// The most requests that were being answered at the same time.
  package internal(set) var maxConcurrentRequests = 0

  /// The Range fields as sent, such as `bytes=0-99`, of the requests that had one.
  package var ranges: [String] {
    entries.compactMap(\.request.range)
  }

  /// The bytes of all bodies that have been handed to sockets.
  package var bodyBytesSent: Int64 {
    entries.reduce(0) { $0 + $1.bodyBytesSent }
  }

  /// The methods, in order.
  package var methods: [String] {
    entries.map(\.request.method)
  }

  /// How many answers had this status.
  package func count(ofStatus status: Int) -> Int {
    entries.count { $0.status == status }
  }

  /// Whether every request has been answered as far as it will be.
  package var isIdle: Bool {
    entries.allSatisfy(\.isFinished)
  }
}
