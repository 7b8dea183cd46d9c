import TestSupport
import Testing

/// The server that the other tests stand on.
@Suite struct ScriptedServerTests {
  private let content = Content.pattern(length: 3_000_001)

  @Test func answersAHealthyRange() throws {
    let server = try ScriptedServer(.file(content))
    let client = try RawClient(port: server.port)
    try client.request("HEAD")
    let head = try client.response(hasBody: false)
    #expect(head.status == 200)
    #expect(head.fields["content-length"] == "3000001")
    #expect(head.fields["Accept-Ranges"] == "bytes")

    try client.request("GET", "/file.bin", ["Range": "bytes=1000000-2999999"])
    let part = try client.response()
    #expect(part.status == 206)
    #expect(part.fields["Content-Range"] == "bytes 1000000-2999999/3000001")
    #expect(try part.body == content.bytes(in: 1_000_000..<3_000_000))

    try client.request("GET", "/file.bin", ["Range": "bytes=3000001-"])
    #expect(try client.response().status == 416)
  }

  @Test func answersIfRange() throws {
    let server = try ScriptedServer { request in
      .file(.bytes([1, 2, 3])) {
        $0.etag = "\"a\""
        $0.ifRange = request.path == "/dates" ? .dateOnly : .honoured
      }
    }
    func status(_ path: String, ifRange: String) throws -> Int {
      let client = try RawClient(port: server.port)
      try client.request("GET", path, ["Range": "bytes=1-", "If-Range": ifRange])
      return try client.response().status
    }
    #expect(try status("/", ifRange: "\"a\"") == 206)
    #expect(try status("/", ifRange: "\"b\"") == 200)
    #expect(try status("/dates", ifRange: "\"a\"") == 200)
    #expect(try status("/dates", ifRange: "Wed, 01 Jan 2025 00:00:00 GMT") == 206)
  }

  @Test func limitsTheRateOverTheRequestsOfAConnection() throws {
    let server = try ScriptedServer(.file(content), rate: 1_000_000)
    let client = try RawClient(port: server.port)
    let start = ContinuousClock.now
    for range in ["bytes=0-199999", "bytes=200000-399999"] {
      try client.request("GET", "/file.bin", ["Range": range])
      #expect(try client.response().body.count == 200_000)
    }
    // 400,000 bytes less one burst of at most 65,536.
    #expect(ContinuousClock.now - start >= .milliseconds(334))
  }

  @Test func limitsTheRateOfAllConnectionsTogether() throws {
    let server = try ScriptedServer(.file(content), totalRate: 1_000_000)
    let clients = try (0..<2).map { _ in try RawClient(port: server.port) }
    let start = ContinuousClock.now
    for client in clients { try client.request("GET", "/file.bin", ["Range": "bytes=0-199999"]) }
    for client in clients { #expect(try client.response().body.count == 200_000) }
    #expect(ContinuousClock.now - start >= .milliseconds(334))
  }

  @Test func resetsAfterSomeBytes() throws {
    let server = try ScriptedServer(.file(content) { $0.resetAfter = 100_000 })
    let client = try RawClient(port: server.port)
    try client.request()
    let head = try client.response(hasBody: false)
    #expect(head.fields["Content-Length"] == "3000001")
    let rest = client.readToEnd()
    #expect(rest.wasReset)
    #expect(try rest.bytes == content.bytes(in: 0..<100_000))
  }

  @Test func closesAfterSomeBytes() throws {
    let server = try ScriptedServer(.file(content) { $0.cutAfter = 10 })
    let client = try RawClient(port: server.port)
    try client.request()
    _ = try client.response(hasBody: false)
    let rest = client.readToEnd()
    #expect(!rest.wasReset)
    #expect(rest.bytes.count == 10)
  }

  @Test func stallsUntilItIsStopped() throws {
    let server = try ScriptedServer(.file(content) { $0.stallAfter = 5 })
    let client = try RawClient(port: server.port)
    try client.request()
    _ = try client.response(hasBody: false)
    #expect(try client.read(5) == content.bytes(in: 0..<5))
    #expect(server.log.activeRequests == 1)
    server.stop()
    #expect(client.readToEnd().bytes.isEmpty)
    #expect(server.log.isIdle)
    #expect(server.log.openConnections == 0)
  }

  @Test func liesAsTold() throws {
    let server = try ScriptedServer(
      .file(content) {
        $0.contentRange = { range, length in "bytes \(range.lowerBound + 5)-\(range.upperBound + 4)/\(length)" }
        $0.contentLengths = ["10", "11"]
        $0.bodyShift = 4
        $0.extraBytes = [7, 7]
        $0.sliceLimit = 8
      })
    let client = try RawClient(port: server.port)
    try client.request("GET", "/", ["Range": "bytes=100-199"])
    let answer = try client.response()
    #expect(answer.fields["Content-Range"] == "bytes 105-112/3000001")
    #expect(answer.fields.values(of: "Content-Length") == ["10", "11"])
    #expect(try answer.body == content.bytes(in: 104..<112) + [7, 7])
  }

  @Test func sendsChunks() throws {
    let server = try ScriptedServer(.file(.text("hello")) { $0.isChunked = true })
    let client = try RawClient(port: server.port)
    try client.request("GET", "/", ["Connection": "close"])
    let head = try client.response()
    #expect(head.fields["Transfer-Encoding"] == "chunked")
    #expect(!head.fields.contains("Content-Length"))
    #expect(client.readToEnd().bytes == Array("5\r\nhello\r\n0\r\n\r\n".utf8))
  }

  @Test func refusesTheThirdRequest() throws {
    let server = try ScriptedServer(
      .file(content) { $0.stallAfter = 0 }, limit: .tooManyRequests(beyond: 2, retryAfter: 1))
    let clients = try (0..<3).map { _ in try RawClient(port: server.port) }
    for client in clients.prefix(2) {
      try client.request()
      #expect(try client.response(hasBody: false).status == 200)
    }
    try clients[2].request()
    let answer = try clients[2].response()
    #expect(answer.status == 429)
    #expect(answer.fields["Retry-After"] == "1")
    // The first two are under way until here.
    withExtendedLifetime(clients) {
      #expect(server.log.maxConcurrentRequests == 2)
      #expect(server.log.refusals == 1)
    }
  }

  @Test func logsWhatItSees() throws {
    let server = try ScriptedServer { request in
      request.method == "HEAD" ? .status(405) : .file(content)
    }
    let client = try RawClient(port: server.port)
    try client.request("HEAD")
    _ = try client.response(hasBody: false)
    try client.request("GET", "/file.bin?x=1", ["Range": "bytes=0-9", "X-Test": "yes"])
    _ = try client.response()
    let log = server.settledLog()
    #expect(log.methods == ["HEAD", "GET"])
    #expect(log.ranges == ["bytes=0-9"])
    #expect(log.entries.map(\.status) == [405, 206])
    #expect(log.bodyBytesSent == 10)
    #expect(log.connections == 1)
    #expect(log.maxConcurrentConnections == 1)
    #expect(log.entries[1].request.path == "/file.bin")
    #expect(log.entries[1].request.headers["x-test"] == "yes")
    #expect(log.entries[1].request.indexOnConnection == 1)
    #expect(server.waitUntil { $0.activeRequests == 0 })
  }

  @Test func keepsSilent() throws {
    let server = try ScriptedServer(.silence)
    let client = try RawClient(port: server.port)
    try client.request()
    #expect(server.waitUntil { $0.activeRequests == 1 })
    server.stop()
    #expect(client.readToEnd().bytes.isEmpty)
  }

  @Test func dripsItsHeadAfterADelay() throws {
    let server = try ScriptedServer(
      .file(.text("x")) {
        $0.delay = .milliseconds(50)
        $0.headBytesPerSecond = 2000
      })
    let client = try RawClient(port: server.port)
    let start = ContinuousClock.now
    try client.request()
    let answer = try client.response()
    let elapsed = ContinuousClock.now - start
    #expect(elapsed >= .milliseconds(50) + .seconds(Double(answer.head.utf8.count) / 2000))
  }

  @Test func endsOnlyWithTheClient() throws {
    let server = try ScriptedServer(.endless("HTTP/1.1 200 OK\r\n", repeating: "X: y\r\n"))
    do {
      let client = try RawClient(port: server.port)
      try client.request()
      _ = try client.read(1_000_000)
    }
    #expect(server.waitUntil { $0.isIdle && $0.openConnections == 0 })
  }

  @Test func resetsConnectionsBeyondALimit() throws {
    let server = try ScriptedServer(.silence, limit: .reset(beyond: 1))
    let first = try RawClient(port: server.port)
    #expect(server.waitUntil { $0.openConnections == 1 })
    let second = try RawClient(port: server.port)
    #expect(second.readToEnd().wasReset)
    try first.request()
    #expect(server.waitUntil { $0.activeRequests == 1 && $0.refusals == 1 })
  }

  @Test func relaysUntilACut() throws {
    let server = try ScriptedServer(.file(content))
    let relay = try TCPRelay(to: server.port) { $0 == 0 ? .init(after: 1000, .reset) : .init() }
    let cut = try RawClient(port: relay.port)
    try cut.request()
    let rest = cut.readToEnd()
    #expect(rest.bytes.count == 1000)
    #expect(rest.wasReset)
    let whole = try RawClient(port: relay.port)
    try whole.request()
    #expect(try whole.response().body.count == 3_000_001)
  }

  @Test func listensOnIPv6() throws {
    var settings = ScriptedServer.Settings()
    settings.usesIPv6 = true
    let server = try ScriptedServer(settings: settings) { _ in .redirect(to: "/elsewhere") }
    let client = try RawClient(port: server.port, isIPv6: true)
    try client.request()
    #expect(try client.response().fields["Location"] == "/elsewhere")
  }
}
