internal import Cprocess
internal import Glibc

/// An HTTP/1.1 server on a loopback address, whose every answer is decided by a script.
///
///     let server = try ScriptedServer(.file(content))
///     let server = try ScriptedServer { request in
///       request.method == "HEAD" ? .status(405) : .file(content) { $0.resetAfter = 65_536 }
///     }
///
/// Each connection has a thread, so a script may block. The server stops when it is let go of.
package final class ScriptedServer: Sendable {
  /// Decides the answer to a request. Called on the connection's thread.
  package typealias Script = @Sendable (Request) -> Reply

  /// What happens beyond a number of connections.
  package enum Limit: Sendable {
    /// No more than so many requests are answered at a time; others get 429, with Retry-After in seconds, and their
    /// connection is closed. A connection between two requests does not count, as with nginx's `limit_conn`.
    case tooManyRequests(beyond: Int, retryAfter: Int? = nil)
    /// No more than so many connections are open at a time; others are reset before anything is read.
    case reset(beyond: Int)
  }

  /// What holds for all requests.
  package struct Settings: Sendable {
    /// Bytes of bodies in a second, for each connection over all its requests; nil for no limit.
    package var rate: Double?
    /// Bytes of bodies in a second, for all connections together; nil for no limit.
    package var totalRate: Double?
    /// What happens beyond a number of connections.
    package var limit: Limit?
    /// The port; 0 for one that is free.
    package var port: UInt16 = 0
    /// A bound socket to listen on instead, which the server closes at its end.
    package var socket: Int32?
    /// Listens on [::1] instead of 127.0.0.1.
    package var usesIPv6 = false
    /// The size of each connection's send buffer, in bytes: how far the server may be ahead of the client.
    package var sendBuffer: Int?

    package init() {}
  }

  /// The port that is listened on.
  package let port: UInt16
  private let listener: Int32
  private let state: ServerState

  /// A server that gives every request the same reply.
  package convenience init(_ reply: Reply, rate: Double? = nil, totalRate: Double? = nil, limit: Limit? = nil) throws {
    var settings = Settings()
    settings.rate = rate
    settings.totalRate = totalRate
    settings.limit = limit
    try self.init(settings: settings) { _ in reply }
  }

  /// A server that asks `script` about every request. Throws `SystemCallFailure`.
  package init(settings: Settings = Settings(), script: @escaping Script) throws {
    listener = try LoopbackAddress(port: settings.port, isIPv6: settings.usesIPv6).listen(on: settings.socket)
    port = try LoopbackAddress.port(of: listener)
    state = ServerState(settings: settings, script: script)
    state.guarded.change { $0.threads += 1 }
    do {
      try BackgroundThread.start { [listener, state] in Self.accept(on: listener, state) }
    } catch {
      close(listener)
      throw error
    }
  }

  deinit {
    stop()
  }

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  package var origin: String {
    state.settings.usesIPv6 ? "http://[::1]:\(port)" : "http://127.0.0.1:\(port)"
  }

  /// The URL of a path that begins with a slash.
  package func url(_ path: String = "/file.bin") -> String {
    origin + path
  }

  /// What the server has seen and done so far.
  package var log: ServerLog {
    state.guarded.read { $0.log }
  }

  /// The log once no request is being answered: what a test looks at when the client has ended.
  package func settledLog(timeout: Duration = .seconds(10)) -> ServerLog {
    waitUntil(timeout: timeout, \.isIdle)
    return log
  }

  /// Waits until the log is as wanted, and says whether it was before `timeout` had passed.
  @discardableResult
  package func waitUntil(timeout: Duration = .seconds(10), _ predicate: (ServerLog) throws -> Bool) rethrows -> Bool {
    try state.guarded.wait(timeout: timeout) { try predicate($0.log) }
  }

  /// Closes the listener and every connection, and waits for their threads.
  package func stop() {
    state.guarded.change { guarded in
      guard !guarded.isStopping else { return }
      guarded.isStopping = true
      shutdown(listener, Int32(SHUT_RDWR))
      for descriptor in guarded.sockets.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    _ = state.guarded.wait(timeout: .seconds(10)) { $0.threads == 0 }
  }

  private static func accept(on listener: Int32, _ state: ServerState) {
    while true {
      let descriptor = swoop_accept(listener)
      guard descriptor >= 0 else {
        if state.guarded.read(\.isStopping) { break }
        // Out of descriptors, or the client has gone already.
        sched_yield()
        continue
      }
      serve(descriptor, state)
    }
    close(listener)
    state.guarded.change { $0.threads -= 1 }
  }

  private static func serve(_ descriptor: Int32, _ state: ServerState) {
    guard let index = state.admit(descriptor) else {
      Socket(descriptor: descriptor).reset()
      return
    }
    Socket(descriptor: descriptor).sendAtOnce()
    if var size = state.settings.sendBuffer.map(Int32.init(clamping:)) {
      setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    do {
      try BackgroundThread.start {
        var connection = Connection(socket: Socket(descriptor: descriptor), index: index, state: state)
        connection.run()
        state.guarded.change { $0.threads -= 1 }
      }
    } catch {
      state.release(index)
      close(descriptor)
      state.guarded.change { $0.threads -= 1 }
    }
  }
}
