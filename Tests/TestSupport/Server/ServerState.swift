internal import Glibc

/// What the threads of a scripted server share.
final class ServerState: Sendable {
  /// The guarded part.
  struct Guarded: Sendable {
    var log = ServerLog()
    var sockets: [Int: Int32] = [:]
    var isStopping = false
    var threads = 0
    var countOfMethod: [String: Int] = [:]
    var pacer: Pacer?
  }

  let settings: ScriptedServer.Settings
  let script: ScriptedServer.Script
  let guarded: Monitor<Guarded>

  init(settings: ScriptedServer.Settings, script: @escaping ScriptedServer.Script) {
    self.settings = settings
    self.script = script
    var first = Guarded()
    first.pacer = settings.totalRate.map { Pacer(bytesPerSecond: $0, now: .now) }
    guarded = Monitor(first)
  }

  /// Counts a new connection, and returns its index; nil if it is to be reset at once.
  func admit(_ descriptor: Int32) -> Int? {
    guarded.change { state in
      if case .reset(let limit) = settings.limit, state.log.openConnections >= limit {
        state.log.refusals += 1
        return nil
      }
      guard !state.isStopping else { return nil }
      let index = state.log.connections
      state.log.connections += 1
      state.log.openConnections += 1
      // One that the client has closed is over for it, however late a busy server comes to see that.
      let live = state.sockets.values.count { Socket(descriptor: $0).isEstablished }
      state.log.maxConcurrentConnections = max(state.log.maxConcurrentConnections, live + 1)
      state.sockets[index] = descriptor
      state.threads += 1
      return index
    }
  }

  /// The connection is about to be closed: from now on its descriptor may belong to somebody else.
  func release(_ connection: Int) {
    guarded.change { state in
      state.log.openConnections -= 1
      state.sockets[connection] = nil
    }
  }

  /// Writes a request into the log.
  func record(_ head: RequestHead, connection: Int, indexOnConnection: Int) -> Request {
    guarded.change { state in
      let request = Request(
        method: head.method, target: head.target, headers: head.fields, index: state.log.entries.count,
        indexOfMethod: state.countOfMethod[head.method, default: 0], connection: connection,
        indexOnConnection: indexOnConnection, arrival: .now)
      state.countOfMethod[head.method, default: 0] += 1
      state.log.entries.append(ServerLog.Entry(request: request))
      return request
    }
  }

  /// Changes the log entry of a request.
  func update(_ request: Request, _ body: (inout ServerLog.Entry) -> Void) {
    guarded.change { body(&$0.log.entries[request.index]) }
  }

  /// Takes a place among the requests being answered; false if there is none.
  func beginAnswer() -> Bool {
    guard case .tooManyRequests(let limit, _) = settings.limit else { return takePlace(limit: .max) }
    // The client may have the last byte of an answer before its place is given back here.
    _ = guarded.wait(timeout: .milliseconds(20)) { $0.log.activeRequests < limit }
    return takePlace(limit: limit)
  }

  private func takePlace(limit: Int) -> Bool {
    guarded.change { state in
      guard state.log.activeRequests < limit else {
        state.log.refusals += 1
        return false
      }
      state.log.activeRequests += 1
      state.log.maxConcurrentRequests = max(state.log.maxConcurrentRequests, state.log.activeRequests)
      return true
    }
  }

  /// Gives the place back.
  func endAnswer() {
    guarded.change { $0.log.activeRequests -= 1 }
  }

  /// When `count` bytes may be sent as far as the rate of all connections together is concerned.
  func paceAll(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    guard settings.totalRate != nil else { return now }
    return guarded.change { $0.pacer?.take(count, now: now) ?? now }
  }
}
