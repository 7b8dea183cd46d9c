internal import Cprocess

/// A network of its own (network_namespaces(7)): its loopback interface is another one than everybody's, and nothing
/// else is in it. Needs root and iproute2. It goes away with this and the sockets and processes in it.
package final class NetworkNamespace: Sendable {
  private struct Queue: Sendable {
    var work: [@Sendable () -> Void] = []
    var isMade: Bool?
    var isOver = false
  }

  /// A command that could not set the network up.
  package struct SetupFailure: Error, CustomStringConvertible {
    package let description: String
  }

  private let queue = Monitor(Queue())

  /// A network whose loopback interface is up. Throws where this is not allowed, or `ip` is not installed.
  package init() throws {
    try BackgroundThread.start { [queue] in
      let isMade = swoop_make_network() == 0
      queue.change { $0.isMade = isMade }
      if isMade { Self.work(queue) }
    }
    _ = queue.wait(timeout: .seconds(10)) { $0.isMade != nil }
    guard queue.read({ $0.isMade == true }) else { throw SetupFailure(description: "no network can be made") }
    try ip("link set lo up")
    // The rules of `silence` come before the table of our own addresses.
    for family in ["-4", "-6"] {
      try ip("\(family) rule add pref 100 lookup local")
      try ip("\(family) rule del pref 0")
    }
  }

  deinit {
    queue.change { $0.isOver = true }
  }

  /// Does `body` on a thread of this network: the sockets and processes that it makes are in it.
  package func perform<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let outcome = Monitor<Result<Value, any Error>?>(nil)
    queue.change { queue in
      queue.work.append {
        let result = Result { try body() }
        outcome.change { $0 = result }
      }
    }
    _ = outcome.wait(timeout: .seconds(600)) { $0 != nil }
    guard let result = outcome.read({ $0 }) else { throw SetupFailure(description: "the network's thread is busy") }
    return try result.get()
  }

  /// Adds an address to the loopback interface.
  package func add(address: String) throws {
    try ip(address.contains(":") ? "-6 addr add \(address)/128 dev lo nodad" : "addr add \(address)/32 dev lo")
  }

  /// From now on nothing arrives that is sent from this TCP port, to the same end as if a packet filter dropped it:
  /// connections are not made, and those that are there fall silent.
  package func silence(port: UInt16) throws {
    for family in ["-4", "-6"] { try ip("\(family) rule add pref 20 ipproto tcp sport \(port) blackhole") }
  }

  /// From now on nothing arrives that is sent from this address and port.
  package func silence(port: UInt16, of address: String) throws {
    let family = address.contains(":") ? "-6" : "-4"
    try ip("\(family) rule add pref 10 from \(address) ipproto tcp sport \(port) blackhole")
  }

  /// What was silenced can be heard again.
  package func endSilence(port: UInt16) throws {
    for family in ["-4", "-6"] { try ip("\(family) rule del pref 20 ipproto tcp sport \(port)") }
  }

  private func ip(_ words: String) throws {
    let command = CommandRunner("ip", words.split(separator: " ").map(String.init))
    let result = try perform { try command.run() }
    guard result.exitCode == 0 else { throw SetupFailure(description: "ip \(words): \(result.error)") }
  }

  private static func work(_ queue: Monitor<Queue>) {
    while true {
      _ = queue.wait(timeout: .seconds(600)) { !$0.work.isEmpty || $0.isOver }
      let work = queue.change { queue in
        defer { queue.work = [] }
        return queue.work
      }
      for piece in work { piece() }
      if queue.read({ $0.isOver && $0.work.isEmpty }) { return }
    }
  }
}
