/// A gate before each connection of a relay: SOCKS 5 (RFC 1928), as far as curl speaks it, whose greeting is answered
/// when the gate is open. Until then the connection is not made for whoever asks for it.
package final class RelayGate: Sendable {
  private let passing = Monitor(0)

  /// A gate that is shut.
  package init() {}

  /// Lets the first `count` connections through, and those that come.
  package func open(_ count: Int = .max) { passing.change { $0 = max($0, count) } }

  /// Waits until the gate is open for a connection, ten seconds at most, and says whether it is.
  func pass(_ client: Socket, _ index: Int) -> Bool {
    guard receive(from: client), passing.wait(timeout: .seconds(10), until: { $0 > index }) else { return false }
    // No login is needed; the connection is made.
    return send([5, 0], to: client) && receive(from: client) && send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], to: client)
  }

  private func receive(from socket: Socket) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { (socket.receive(into: $0) ?? 0) > 0 }
  }

  private func send(_ bytes: [UInt8], to socket: Socket) -> Bool { bytes.withUnsafeBytes { socket.send($0) } }
}
