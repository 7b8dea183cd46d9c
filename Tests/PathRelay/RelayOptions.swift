internal import TestSupport

/// The command line of the relay.
struct RelayOptions {
  static let usage = """
    usage: path-relay --to PORT  [options]

      --to PORT           pass connections on to 127.0.0.1:PORT
      --delay-ms N        how long a byte takes in each direction; the first bytes of a connection take three times
                          as long towards the server, as if the handshake had taken a round trip
      --rate SIZE         bytes in a second from the server for each connection; K, M, G and T are powers of 1024
      --slow N:SIZE       no more than SIZE bytes in a second for every Nth connection
      --total-rate SIZE   bytes in a second from the server for all connections together
    """

  private(set) var target: UInt16 = 0
  private(set) var totalRate: Double?
  private var fate = TCPRelay.Fate()
  private var slow: (every: Int, rate: Double)?

  init(_ words: some Sequence<String>) throws {
    try Service.readOptions(words) { set($0, to: $1) }
    guard target > 0 else { throw Service.UsageError("--to is needed") }
  }

  /// What becomes of a connection, counted from 0.
  func fate(of connection: Int) -> TCPRelay.Fate {
    var fate = fate
    if let slow, (connection + 1).isMultiple(of: slow.every) { fate.rate = slow.rate }
    return fate
  }

  private mutating func set(_ option: String, to value: String) -> Bool {
    switch option {
    case "--to":
      target = UInt16(value) ?? 0
      return target > 0
    case "--delay-ms":
      return setDelay(value)
    case "--rate":
      fate.rate = Double(rate: value)
      return fate.rate != nil
    case "--slow":
      slow = Self.slow(value)
      return slow != nil
    case "--total-rate":
      totalRate = Double(rate: value)
      return totalRate != nil
    default:
      return false
    }
  }

  private mutating func setDelay(_ text: String) -> Bool {
    guard let milliseconds = Int32(text), milliseconds >= 0 else { return false }
    fate.delay = .milliseconds(milliseconds)
    return true
  }

  private static func slow(_ text: String) -> (every: Int, rate: Double)? {
    let parts = text.split(separator: ":").map(String.init)
    guard parts.count == 2, let every = Int(parts[0]), every > 0 else { return nil }
    return Double(rate: parts[1]).map { (every, $0) }
  }
}
