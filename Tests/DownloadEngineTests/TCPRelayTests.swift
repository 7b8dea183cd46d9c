import Testing

@testable import TestSupport

/// The path that the benchmarks measure over: late by so much at least, fast by so much at most.
@Suite struct TCPRelayTests {
  private let content = Content.pattern(length: 3_000_001)
  private let delay = Duration.milliseconds(30)

  private func fate(delay: Duration = .zero, rate: Double? = nil) -> TCPRelay.Fate {
    var fate = TCPRelay.Fate()
    fate.delay = delay
    fate.rate = rate
    return fate
  }

  /// Asks for a range; returns what came and how long that took.
  private func fetch(_ client: RawClient, _ range: Range<Int64>) throws -> (bytes: [UInt8], time: Duration) {
    let start = ContinuousClock.now
    try client.request("GET", "/file.bin", ["Range": "bytes=\(range.lowerBound)-\(range.upperBound - 1)"])
    let body = try client.response().body
    return (body, ContinuousClock.now - start)
  }

  @Test func passesEveryByteOn() throws {
    let server = try ScriptedServer(.file(content))
    let relay = try TCPRelay(to: server.port, totalRate: 60e6) { _ in fate(delay: .milliseconds(5), rate: 40e6) }
    let clients = try (0..<3).map { _ in try RawClient(port: relay.port) }
    for client in clients { try client.request() }
    for client in clients { #expect(try client.response().body == content.bytes(in: 0..<3_000_001)) }
    #expect(relay.connections == 3)
  }

  @Test func isLateInBothDirections() throws {
    let server = try ScriptedServer(.file(content))
    let relay = try TCPRelay(to: server.port) { _ in fate(delay: delay) }
    let start = ContinuousClock.now
    let client = try RawClient(port: relay.port)
    _ = try fetch(client, 0..<10)
    #expect(ContinuousClock.now - start >= delay * 4)
    #expect(try fetch(client, 10..<20).time >= delay * 2)
    let arrivals = server.log.entries.map(\.request.arrival)
    #expect(arrivals[0] - start >= delay * 3)
    #expect(arrivals[1] - arrivals[0] >= delay * 2)
  }

  @Test func limitsTheRateOverTheRequestsOfAConnection() throws {
    let server = try ScriptedServer(.file(content))
    let relay = try TCPRelay(to: server.port) { _ in fate(delay: .milliseconds(5), rate: 1e6) }
    let client = try RawClient(port: relay.port)
    let start = ContinuousClock.now
    for range in [0..<200_000, 200_000..<400_000] as [Range<Int64>] {
      #expect(try fetch(client, range).bytes == content.bytes(in: range))
    }
    // 400,000 bytes less one burst of at most 65,536.
    #expect(ContinuousClock.now - start >= .milliseconds(334))
  }

  @Test func limitsTheRateOfAllConnectionsTogether() throws {
    let server = try ScriptedServer(.file(content))
    let relay = try TCPRelay(to: server.port, totalRate: 1e6) { _ in fate() }
    let clients = try (0..<2).map { _ in try RawClient(port: relay.port) }
    let start = ContinuousClock.now
    for client in clients { try client.request("GET", "/file.bin", ["Range": "bytes=0-199999"]) }
    for client in clients { #expect(try client.response().body.count == 200_000) }
    #expect(ContinuousClock.now - start >= .milliseconds(334))
  }

  @Test func givesEachConnectionItsFate() throws {
    let server = try ScriptedServer(.file(content))
    let relay = try TCPRelay(to: server.port) { connection in fate(rate: connection == 1 ? 1e6 : nil) }
    let clients = try (0..<2).map { _ in try RawClient(port: relay.port) }
    #expect(try fetch(clients[0], 0..<3_000_000).bytes.count == 3_000_000)
    #expect(try fetch(clients[1], 0..<200_000).time >= .milliseconds(134))
  }

  @Test func passesTheEndsOn() throws {
    let server = try ScriptedServer(.file(content))
    let relay = try TCPRelay(to: server.port) { _ in fate(delay: delay, rate: 50e6) }
    let closed = try RawClient(port: relay.port)
    try closed.request("GET", "/file.bin", ["Connection": "close"])
    let rest = closed.readToEnd()
    #expect(rest.bytes.suffix(3_000_001) == (try content.bytes(in: 0..<3_000_001))[...])
    #expect(!rest.wasReset)
    do {
      let left = try RawClient(port: relay.port)
      _ = try fetch(left, 0..<10)
    }
    #expect(server.waitUntil { $0.openConnections == 0 })
  }

  /// What is under way when a client goes is not waited for, and `stop` leaves nothing behind.
  @Test func endsWithTheClient() throws {
    let server = try ScriptedServer(.endless("HTTP/1.1 200 OK\r\n", repeating: "X: y\r\n"))
    let relay = try TCPRelay(to: server.port) { _ in fate(delay: delay) }
    do {
      let client = try RawClient(port: relay.port)
      try client.request()
      _ = try client.read(1_000_000)
    }
    #expect(server.waitUntil { $0.openConnections == 0 })
    let other = try RawClient(port: relay.port)
    try other.request()
    _ = try other.read(1000)
    relay.stop()
    #expect(server.waitUntil { $0.openConnections == 0 })
  }
}

/// One direction of the path, without a clock.
@Suite struct DelayLineTests {
  private let start = ContinuousClock.now

  @Test func givesNothingBeforeItsTime() {
    var line = DelayLine(room: 100)
    #expect(line.due == nil)
    line.append([1, 2, 3], due: start + .seconds(1))
    line.append([4], due: start + .seconds(2))
    #expect(line.next(at: start + .milliseconds(999)) == nil)
    #expect(line.next(at: start + .seconds(1)) == [1, 2, 3])
    line.remove(2)
    #expect(line.next(at: start + .seconds(1)) == [3])
    line.remove(1)
    #expect(line.next(at: start + .seconds(1)) == nil)
    #expect(line.due == start + .seconds(2))
    #expect(line.next(at: start + .seconds(2)) == [4])
  }

  @Test func keepsTheOrder() {
    var line = DelayLine(room: 100)
    line.append([1], due: start + .seconds(2))
    line.append([2], due: start)
    #expect(line.next(at: start) == nil)
    #expect(line.next(at: start + .seconds(2)) == [1])
  }

  @Test func holdsNoMoreThanItsRoomAndOnePiece() {
    var line = DelayLine(room: 1000)
    var all: [UInt8] = []
    for number in 0..<10_000 {
      while !line.hasRoom, let bytes = line.next(at: start) {
        all += bytes
        line.remove(bytes.count)
      }
      line.append([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 7), due: start)
      #expect(line.count < 1007)
    }
    while let bytes = line.next(at: start) {
      all += bytes
      line.remove(bytes.count)
    }
    #expect(line.count == 0 && line.due == nil)
    #expect(all == (0..<10_000).flatMap { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 7) })
  }
}
