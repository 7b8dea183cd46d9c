internal import Cprocess
internal import Glibc

/// A loopback port that passes bytes on to another one and back, and breaks connections in the middle: what a cut
/// looks like to TLS, where no server can be scripted byte by byte.
package final class TCPRelay: Sendable {
  /// What becomes of a connection.
  package struct Fate: Sendable {
    /// It ends after so many bytes from the server; nil for never.
    package var limit: Int64?
    /// How it ends.
    package var ending: Reply.Ending

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

  /// A gate before each connection: SOCKS 5 (RFC 1928), as far as curl speaks it, whose greeting is answered when the
  /// gate is open. Until then the connection is not made for whoever asks for it.
  package final class Gate: Sendable {
    private let open = Monitor(0)
    package init() {}

    /// Lets the first `count` connections through, and those that come.
    package func open(_ count: Int = .max) { open.change { $0 = max($0, count) } }

    fileprivate func pass(_ client: Socket, _ index: Int) -> Bool {
      let hasGreeted = Self.receive(from: client)
      guard hasGreeted, open.wait(timeout: .seconds(10), until: { $0 > index }), Self.send([5, 0], to: client) else {
        return false
      }
      return Self.receive(from: client) && Self.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], to: client)
    }

    private static func receive(from socket: Socket) -> Bool {
      withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { (socket.receive(into: $0) ?? 0) > 0 }
    }

    private static func send(_ bytes: [UInt8], to socket: Socket) -> Bool { bytes.withUnsafeBytes { socket.send($0) } }
  }

  /// The port to connect to instead.
  package let port: UInt16
  private let listener: Int32
  private let state = Monitor(State())

  /// Passes connections on to `target`; `fate` says what becomes of each, counted from 0. With a gate this is a proxy,
  /// `socks5h://127.0.0.1:PORT`.
  package init(
    to target: UInt16, through gate: Gate? = nil, fate: @escaping @Sendable (_ connection: Int) -> Fate
  ) throws {
    listener = try LoopbackAddress(port: 0).listen()
    port = try LoopbackAddress.port(of: listener)
    state.change { $0.threads += 1 }
    try BackgroundThread.start { [listener, state] in
      while !state.read(\.isStopping) {
        let descriptor = swoop_accept(listener)
        if descriptor >= 0 { Self.relay(descriptor, to: target, state, gate, fate) }
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
    _ descriptor: Int32, to target: UInt16, _ state: Monitor<State>, _ gate: Gate?, _ fate: @Sendable (Int) -> Fate
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
      let ending = mayPass ? pump(client, server, fate) : .close
      if case .hang = ending { client.waitForEnd() }
      state.change { $0.sockets.subtract([client.descriptor, server.descriptor]) }
      if case .reset = ending { client.reset() } else { client.closeInOrder() }
      close(server.descriptor)
      state.change { $0.threads -= 1 }
    }
    // Without a thread of its own the connection has the listener's.
    do { try BackgroundThread.start(work) } catch { work() }
  }

  /// Passes bytes both ways until one side ends or the fate is fulfilled.
  private static func pump(_ client: Socket, _ server: Socket, _ fate: Fate) -> Reply.Ending {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var left = fate.limit ?? .max
    while left > 0 {
      var entries = [client, server].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      guard poll(&entries, 2, -1) > 0 || errno == EINTR else { return .close }
      if entries[0].revents != 0 && pass(from: client, to: server, buffer, upTo: .max) == nil { return .close }
      if entries[1].revents != 0 {
        guard let count = pass(from: server, to: client, buffer, upTo: left) else { return .close }
        left -= count
      }
    }
    return fate.ending
  }

  private static func pass(
    from source: Socket, to sink: Socket, _ buffer: UnsafeMutableRawBufferPointer, upTo limit: Int64
  ) -> Int64? {
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(limit, Int64(buffer.count)))])
    guard let count = source.receive(into: room), count > 0 else { return nil }
    return sink.send(UnsafeRawBufferPointer(rebasing: room[..<count])) ? Int64(count) : nil
  }
}
