import TestSupport
import Testing

/// Connections that break, stall or crawl (T01 to T08, T24).
@Suite struct ConnectionTests {
  /// T01: each connection once.
  @Test func resetOnce() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.method == "GET", request.connection < 8 { $0.resetAfter = 777_777 } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    // What a reset takes with it is what was on its way: the client's and the server's buffers, at most.
    let inFlight: Int64 = 8 * 777_777
    #expect(trial.server.settledLog().bodyBytesSent <= Content.ten.length + inFlight)
    try trial.expectCleanRerun()
  }

  /// T02: always, but with progress each time.
  @Test func resetAlways() throws {
    let content = Content.pattern(length: 3_000_001)
    let trial = try Trial(content, .file(content) { $0.resetAfter = 64 << 10 })
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// T04
  @Test func endsEarlyOnce() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.indexOfMethod == 0 { $0.cutAfter = 100_000 } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// T04: nothing behind the middle ever comes.
  @Test(arguments: [true, false])
  func endsEarlyAlways(honoursRange: Bool) throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) {
        $0.honoursRange = honoursRange
        if !honoursRange { $0.acceptRanges = "none" }
        $0.cutAfter = max(0, 5_000_000 - (honoursRange ? request.firstByte : 0))
      }
    }
    let result = try trial.run("--give-up-after", "2")
    try trial.expect(result, exit: 3, .part, says: "run the same command again to resume")
    // Some bytes of the second half may be in the block that the first half's end is in, no more.
    #expect(try trial.manifest()?.done ?? 0 <= 5_000_000)
    try trial.expectCleanRerun()
  }

  /// T05
  @Test func neverAnswers() throws {
    let trial = try Trial(.ten, .silence)
    let result = try trial.run("--stall-timeout", "0.5", "--give-up-after", "2")
    try trial.expect(result, exit: 3, .nothing, says: "no answer")
    #expect(result.elapsed >= .seconds(2))
    try trial.expectCleanRerun()
  }

  /// T06
  @Test(arguments: [0, 2])
  func oneStalls(which: Int) throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 2_000_000
    let trial = try Trial(.ten, settings: settings) { request in
      .file(.ten) { if request.method == "GET", request.indexOfMethod == which { $0.stallAfter = 300_000 } }
    }
    try trial.expect(trial.run("--stall-timeout", "1"), exit: 0, .file)
  }

  /// T24: all of them, and nothing answers any more.
  @Test func allStall() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", request.indexOfMethod >= 4 { return .silence }
      return .file(.ten) { if request.method == "GET" { $0.stallAfter = 300_000 } }
    }
    let result = try trial.run("--stall-timeout", "0.5", "--give-up-after", "2")
    try trial.expect(result, exit: 3, .part, says: "no byte for", "run the same command again to resume")
    try trial.expectCleanRerun()
  }

  /// T07: at 1 KiB/s the slow one alone would take 40 minutes.
  @Test func oneCrawls() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 2_000_000
    let trial = try Trial(.ten, settings: settings) { request in
      .file(.ten) { if request.method == "GET", request.indexOfMethod == 1 { $0.rate = 1024 } }
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(result.elapsed < .seconds(30))
  }

  /// T08: no single byte is late, but the head never ends.
  @Test func headsDrip() throws {
    let trial = try Trial(.ten, .file(.ten) { $0.headBytesPerSecond = 5 })
    let result = try trial.run("--stall-timeout", "0.5", "--give-up-after", "3")
    try trial.expect(result, exit: 3, .nothing)
    #expect(trial.server.log.connections >= 2)
    try trial.expectCleanRerun()
  }

  @Test func oneHeadDrips() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.method == "GET", request.indexOfMethod == 1 { $0.headBytesPerSecond = 5 } }
    }
    try trial.expect(trial.run("--stall-timeout", "0.5", "--give-up-after", "10"), exit: 0, .file)
  }

  /// A body that drips makes no progress that counts, though no connection is ever silent.
  @Test func bodiesDrip() throws {
    let trial = try Trial(.ten) { request in .file(.ten) { if request.method == "GET" { $0.rate = 2000 } } }
    let result = try trial.run("--give-up-after", "3")
    try trial.expect(result, exit: 3, .part)
    try trial.expectCleanRerun()
  }

  /// T22: the server comes up while it is tried.
  @Test func refusedAtFirst() throws {
    let trial = try Trial(.ten, .file(.ten))
    let port = try RefusingPort()
    let command = try trial.command([], url: "\(port.origin)/file.bin").start()
    #expect(command.waitForOutput(containing: "trying again"))
    var settings = ScriptedServer.Settings()
    settings.port = port.release()
    let late = try ScriptedServer(settings: settings) { _ in .file(.ten) }
    try trial.expect(command.result(), exit: 0, .file)
    late.stop()
  }

  @Test func refusedForGood() throws {
    let trial = try Trial(.ten, .file(.ten))
    let port = try RefusingPort()
    let result = try trial.run("--give-up-after", "1", url: "\(port.origin)/file.bin")
    try trial.expect(result, exit: 3, .nothing)
  }

  /// T23: of the name's two addresses nobody listens on one.
  @Test(.enabled(if: Machine.hasBothLoopbacks, "localhost has no IPv6 address here"), arguments: [false, true])
  func oneDeadAddress(usesIPv6: Bool) throws {
    var settings = ScriptedServer.Settings()
    settings.usesIPv6 = usesIPv6
    let server = try ScriptedServer(settings: settings) { _ in .file(.ten) }
    let trial = try Trial(.ten, .file(.ten))
    try trial.expect(trial.run(url: "http://localhost:\(server.port)/file.bin"), exit: 0, .file)
  }

  /// T23
  @Test func noSuchName() throws {
    let trial = try Trial(.ten, .file(.ten))
    let result = try trial.run("--give-up-after", "1", url: "http://no-such-host.invalid/file.bin")
    try trial.expect(result, exit: 3, .nothing)
  }
}
