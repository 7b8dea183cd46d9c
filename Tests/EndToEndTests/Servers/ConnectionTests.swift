import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Connections that break, stall or crawl (T01 to T08, T24).
@Suite(.waiting) struct ConnectionTests {
  /// Each of the first connections after a number of bytes that follows from the seed.
  @Test(.row("T01"), arguments: 1...4) func resetOnce(seed: UInt64) throws {
    var chance = SplitMix64(state: seed)
    let limits = (0..<8).map { _ in Int64.random(in: 0...2_000_000, using: &chance) }
    var settings = ScriptedServer.Settings()
    settings.sendBuffer = 64 << 10
    let trial = try Trial(.ten, settings: settings) { request in
      .file(.ten) {
        if request.method == "GET", request.connection < 8 { $0.resetAfter = limits[request.connection] }
      }
    }
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
    // What a reset takes with it is what was on its way: the client's and the server's buffers, at most.
    let inFlight: Int64 = 8 * (256 << 10)
    let sent = trial.server.settledLog().bodyBytesSent
    #expect(sent <= Content.ten.length + inFlight, "\(sent), resets after \(limits)")
    try trial.expectCleanRerun()
  }

  /// Always, but with progress each time.
  @Test(.row("T02")) func resetAlways() throws {
    let trial = try Trial(.ten, .file(.ten) { $0.resetAfter = 64 << 10 })
    try trial.expect(trial.run("--give-up-after", "30"), exit: 0, .file)
    try trial.expectCleanRerun()
  }

  @Test(.row("T04")) func endsEarlyOnce() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.indexOfMethod == 0 { $0.cutAfter = 100_000 } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    try trial.expectCleanRerun()
  }

  /// Nothing behind the middle ever comes.
  @Test(.row("T04"), arguments: [true, false])
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

  @Test(.row("T05")) func neverAnswers() throws {
    let trial = try Trial(.ten, .silence)
    let result = try trial.run("--stall-timeout", "0.5", "--give-up-after", "2")
    try trial.expect(result, exit: 3, .nothing, says: "no answer")
    #expect(result.elapsed >= .seconds(2))
    try trial.expectCleanRerun()
  }

  /// The stalled one is waited for no longer than told; half a minute would be enough for all of the file.
  @Test(.row("T06"), arguments: [0, 2])
  func oneStalls(which: Int) throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 2_000_000
    let trial = try Trial(.ten, settings: settings) { request in
      .file(.ten) { if request.method == "GET", request.indexOfMethod == which { $0.stallAfter = 300_000 } }
    }
    let result = try trial.run("--stall-timeout", "1", "--give-up-after", "60")
    try trial.expect(result, exit: 0, .file)
    #expect(result.elapsed < .seconds(30))
    try trial.expectCleanRerun()
  }

  /// All of them, and nothing answers any more.
  @Test func allStall() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", request.indexOfMethod >= 4 { return .silence }
      return .file(.ten) { if request.method == "GET" { $0.stallAfter = 300_000 } }
    }
    let result = try trial.run("--stall-timeout", "0.5", "--give-up-after", "2")
    try trial.expect(result, exit: 3, .part, says: "no byte for", "run the same command again to resume")
    try trial.expectCleanRerun()
  }

  /// At 1 KiB/s the slow one alone would take 40 minutes.
  @Test(.row("T07")) func oneCrawls() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 2_000_000
    let trial = try Trial(.ten, settings: settings) { request in
      .file(.ten) { if request.method == "GET", request.indexOfMethod == 1 { $0.rate = 1024 } }
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(result.elapsed < .seconds(30))
    // Nothing comes twice but what was on its way to the slow one.
    #expect(trial.server.settledLog().bodyBytesSent <= Content.ten.length + (1 << 20))
    try trial.expectCleanRerun()
  }

  /// No single byte is late, but the head never ends.
  @Test(.row("T08")) func headsDrip() throws {
    let trial = try Trial(.ten, .file(.ten) { $0.headBytesPerSecond = 1 })
    let result = try trial.run("--stall-timeout", "0.5", "--give-up-after", "3")
    try trial.expect(result, exit: 3, .nothing)
    #expect(trial.server.log.connections >= 2)
    try trial.expectCleanRerun()
  }

  /// No line is late either, each of which is a sign of life; three times the time of a stall is enough for all of them.
  @Test(.row("T08")) func linesOfHeadsDrip() throws {
    let trial = try Trial(.ten, .file(.ten) { $0.headBytesPerSecond = 50 })
    let result = try trial.run("--stall-timeout", "1.2", "--give-up-after", "9")
    try trial.expect(result, exit: 3, .nothing)
    #expect(trial.server.log.connections >= 2)
    let first = try #require(trial.gets.first)
    #expect(try #require(first.end) - first.request.arrival >= .milliseconds(3400))
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

  /// The server comes up after five seconds.
  @Test(.row("T22")) func refusedAtFirst() throws {
    let trial = try Trial(.ten, .file(.ten))
    let port = try RefusingPort()
    let command = try trial.command(["--give-up-after", "60"], url: "\(port.origin)/file.bin").start()
    #expect(command.waitForExit(timeout: .seconds(5)) == nil, "\(command.error)")
    #expect(command.error.contains("trying again"), "\(command.error)")
    var settings = ScriptedServer.Settings()
    settings.socket = port.socket()
    let late = try ScriptedServer(settings: settings) { _ in .file(.ten) }
    try trial.expect(command.result(), exit: 0, .file)
    try trial.expectCleanRerun(url: late.url())
  }

  @Test func refusedForGood() throws {
    let trial = try Trial(.ten, .file(.ten))
    let port = try RefusingPort()
    let result = try trial.run("--give-up-after", "1", url: "\(port.origin)/file.bin")
    try trial.expect(result, exit: 3, .nothing)
  }

  /// Of the name's two addresses nobody listens on one.
  @Test(.enabled(if: Machine.hasBothLoopbacks, "localhost has no IPv6 address here"), arguments: [false, true])
  func oneDeadAddress(usesIPv6: Bool) throws {
    var settings = ScriptedServer.Settings()
    settings.usesIPv6 = usesIPv6
    let server = try ScriptedServer(settings: settings) { _ in .file(.ten) }
    let trial = try Trial(.ten, .file(.ten))
    try trial.expect(trial.run(url: "http://localhost:\(server.port)/file.bin"), exit: 0, .file)
  }

  /// It takes connections and bytes as before, since the kernel does that, and says nothing any more.
  @Test(.row("T24")) func theServerIsStopped() throws {
    let runner = CommandRunner("\(BuiltProducts.folder)/scripted-server", ["--length", "10000001", "--rate", "400K"])
    let server = try runner.start()
    try #require(server.waitForOutput(containing: "\n"), "\(server.error)")
    let url = String(server.output.prefix { $0 != "\n" })
    let trial = try Trial(.ten, .silence)
    let command = try trial.command([], url: url).start()
    let hasSome = { (try? trial.manifest()?.done ?? 0) ?? 0 > 0 }
    for _ in 0..<200 where !hasSome() { _ = command.waitForExit(timeout: .milliseconds(50)) }
    server.signal(SIGSTOP)
    let result = try command.result()
    try trial.expect(result, exit: 3, .part, says: "no byte for", "run the same command again to resume")
    #expect(result.elapsed < .seconds(40))
    server.signal(SIGCONT)
    try trial.expectCleanRerun(url: url)
  }
}
