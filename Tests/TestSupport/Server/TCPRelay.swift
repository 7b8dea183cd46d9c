internal import Cprocess
internal import Glibc

/// A loopback port that passes bytes on to another one and back: late, no faster than told, and broken in the middle.
/// So a cut comes to TLS, where no server can be scripted byte by byte; and a long path to a real server.
package final class TCPRelay: Sendable {
  /// What becomes of a connection.
  package struct Fate: Sendable {
    /// It ends after so many bytes from the server; nil for never.
    package var limit: Int64?
    /// The alert by which the server ends TLS 1.3 does not come.
    package var swallowsCloseNotify = false
    /// How it ends.
    package var ending: Reply.Ending
    /// How long a byte takes in each direction. The first bytes take two delays more, as if the handshake had.
    package var delay = Duration.zero
    /// Bytes in a second from the server, over all answers; nil for no limit.
    package var rate: Double?

    /// A fate.
    package init(after limit: Int64? = nil, _ ending: Reply.Ending = .close) {
      self.limit = limit
      self.ending = ending
    }
  }

  private struct State: Sendable {
    var sockets: Set<Int32> = []
    var connections = 0
    var threads = 0
    var isStopping = false
  }

  /// The port to connect to instead.
  package let port: UInt16
  private let listener: Int32
  private let state = Monitor(State())

  /// Passes connections on to `target`; `fate` says what becomes of each, counted from 0. `totalRate`: bytes in a
  /// second from the server for all connections together. With a gate this is a proxy, `socks5h://127.0.0.1:PORT`.
  /// Throws `SystemCallFailure`.
  package init(
    to target: UInt16, totalRate: Double? = nil, through gate: RelayGate? = nil,
    fate: @escaping @Sendable (_ connection: Int) -> Fate
  ) throws {
    listener = try LoopbackAddress(port: 0).listen()
    port = try LoopbackAddress.port(of: listener)
    let total = totalRate.map { TotalRate(bytesPerSecond: $0) }
    state.change { $0.threads += 1 }
    try BackgroundThread.start { [listener, state] in
      while !state.read(\.isStopping) {
        let descriptor = swoop_accept(listener)
        if descriptor >= 0 { Self.relay(descriptor, to: target, total, gate, state, fate) }
      }
      close(listener)
      state.change { $0.threads -= 1 }
    }
  }

  deinit {
    stop()
  }

  /// How many connections were accepted.
  package var connections: Int {
    state.read(\.connections)
  }

  /// Waits until nothing is on its way any more; false where that takes longer.
  @discardableResult
  package func settle(timeout: Duration = .seconds(10)) -> Bool {
    state.wait(timeout: timeout) { $0.sockets.isEmpty }
  }

  /// Closes the listener and every connection, and waits for their threads.
  package func stop() {
    state.change { state in
      guard !state.isStopping else { return }
      state.isStopping = true
      shutdown(listener, Int32(SHUT_RDWR))
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
    _ = state.wait(timeout: .seconds(10)) { $0.threads == 0 }
  }

  private static func relay(
    _ descriptor: Int32, to target: UInt16, _ total: TotalRate?, _ gate: RelayGate?, _ state: Monitor<State>,
    _ fate: @Sendable (Int) -> Fate
  ) {
    let client = Socket(descriptor: descriptor)
    guard let other = try? LoopbackAddress(port: target).connect() else { return client.reset() }
    let server = Socket(descriptor: other)
    let index = state.change { state in
      state.threads += 1
      state.connections += 1
      state.sockets.formUnion([descriptor, other])
      return state.connections - 1
    }
    // `stop` may have come between the accept and here.
    if state.read(\.isStopping) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    let fate = fate(index)
    let work: @Sendable () -> Void = {
      let mayPass = gate?.pass(client, index) ?? true
      var connection = RelayedConnection(client: client, server: server, fate: fate, total: total)
      let ending = mayPass ? connection.run() : .close
      if case .hang = ending { client.waitForEnd() }
      state.change { $0.sockets.subtract([client.descriptor, server.descriptor]) }
      if case .reset = ending { client.reset() } else { client.closeInOrder() }
      close(server.descriptor)
      state.change { $0.threads -= 1 }
    }
    // Without a thread of its own the connection has the listener's.
    do { try BackgroundThread.start(work) } catch { work() }
  }
}
