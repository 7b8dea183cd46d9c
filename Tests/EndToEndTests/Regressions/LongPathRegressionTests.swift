import TestSupport
import Testing

/// The first GET goes out beside HEAD, and what it brings is kept until another connection has been answered.
@Suite struct LongPathRegressionTests {
  /// A server with one thread: as long as a connection is open, no other one is answered. The first response does not
  /// wait for that.
  @Test func oneConnectionIsServedAtATime() throws {
    let content = Content.pattern(length: 8_000_000)
    let first = Latch()
    let trial = try Trial.lateHead(content) { request in
      guard request.method == "GET" else { return .file(content) }
      if request.range != "bytes=0-" { first.wait() }
      return .file(content)
    }
    let command = try trial.command(["-v", "--stall-timeout", "10", "--give-up-after", "20"]).start()
    let isLeft = trial.server.waitUntil { log in
      log.entries.contains { $0.request.range == "bytes=0-" && $0.isFinished }
    }
    first.open()
    let result = try command.result()
    #expect(isLeft)
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("no byte for"), "\(result.error)")
  }
}
