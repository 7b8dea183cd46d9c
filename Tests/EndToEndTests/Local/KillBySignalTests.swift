import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Signals that end a run, and those that do not.
@Suite(.waiting) struct KillBySignalTests {
  @Test(.row("L16"), arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func savesAndEndsByTheSignal(signal: Int32) throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let trial = try Trial.stalling()
      let command = try trial.command(["--stall-timeout", "30"]).start()
      #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
      let start = ContinuousClock.now
      command.signal(signal)
      let result = try command.result()
      let time = ContinuousClock.now - start
      print("signal \(signal): ended after \(time)")
      #expect(result.termination == .signalled(signal))
      let lines = result.error.split(separator: "\n").filter { !$0.contains(" % of ") }
      #expect(lines.count == 1 && lines[0].contains("interrupted by"), "\(result.error)")
      #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
      try trial.expectInvariants(interrupted: result)
      let manifest = try #require(try trial.manifest())
      #expect(manifest.done >= 1_000_000)
      trial.heal()
      try trial.expectResumed(keeping: manifest.segments)
      return time
    }
  }

  /// As a service manager stops a service, and as a terminal goes away.
  @Test(.row("L16"), arguments: [[SIGTERM, SIGHUP], [SIGHUP, SIGTERM], [SIGHUP, SIGHUP]])
  func savesWhereTwoComeTogether(signals: [Int32]) throws {
    let trial = try Trial.stalling()
    let command = try trial.command(["--stall-timeout", "30"]).start()
    #expect(try trial.waitForManifest { $0.done >= 1_000_000 })
    command.signal(SIGSTOP)
    for signal in signals { command.signal(signal) }
    command.signal(SIGCONT)
    let result = try command.result()
    #expect(result.exitCode > 128)
    #expect(result.error.contains("interrupted by"), "\(result.error)")
    #expect(try trial.manifest()?.done ?? 0 >= 1_000_000)
  }

  @Test(.row("L16")) func leavesNothingWhereNothingCame() throws {
    let trial = try Trial(.pattern(length: 1000), .silence)
    let command = try trial.command([]).start()
    #expect(trial.server.waitUntil { !$0.entries.isEmpty })
    command.signal(SIGINT)
    let result = try command.result()
    #expect(result.termination == .signalled(SIGINT))
    #expect(trial.names.isEmpty)
  }

  @Test(.row("L16")) func leavesIgnoredSignalsIgnored() throws {
    let trial = try Trial.stalling()
    let command = try Machine.shell("trap '' INT HUP", trial.command(["--stall-timeout", "30"])).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    command.signal(SIGHUP)
    #expect(command.waitForExit(timeout: .milliseconds(400)) == nil)
    command.signal(SIGTERM)
    #expect(try command.result().termination == .signalled(SIGTERM))
    #expect(try trial.manifest()?.done ?? 0 > 0)
  }

  @Test(.row("L16")) func aShellScriptStopsToo() throws {
    let trial = try Trial.stalling()
    var runner = trial.command(["--stall-timeout", "30"])
    runner.arguments = ["-c", "\"$0\" \"$@\"; echo went on", runner.executable] + runner.arguments
    runner.executable = "/bin/bash"
    runner.leadsGroup = true
    let command = try runner.start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signalGroup(SIGINT)
    let result = try command.result()
    #expect(result.termination == .signalled(SIGINT))
    #expect(!result.output.contains("went on"))
  }

  /// A stop counts for no timeout: neither does a connection stall, nor is any time for retries used up.
  @Test(.row("L17"), arguments: ["1", "4", "16"], [false, true])
  func goesOnAfterAStopThatOutlastsEveryTimeout(connections: String, hasDigest: Bool) throws {
    let content = Content.pattern(length: 4_000_000)
    let rate = 1_600_000 / (Double(connections) ?? 1)
    let trial = try Trial(content, .file(content) { $0.rate = rate })
    let digest = hasDigest ? try ["--sha256", trial.sha256()] : []
    let timeouts = ["-n", connections, "--connect-timeout", "2", "--stall-timeout", "2", "--give-up-after", "3"]
    let command = try trial.command(timeouts + digest).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 1_000_000 })
    command.signal(SIGSTOP)
    #expect(command.waitForExit(timeout: .milliseconds(3500)) == nil)
    command.signal(SIGCONT)
    let result = try command.result()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("no byte") && !result.error.contains("trying again"), "\(result.error)")
  }

  /// The same before anything was answered: while the server waits, and while a back-off does.
  @Test(.row("L17"), arguments: ["HEAD", "GET", "back-off"])
  func goesOnAfterAStopWhileItAsks(phase: String) throws {
    let content = Content.pattern(length: 1_000_000)
    let (isAsked, mayAnswer) = (Latch(), Latch())
    let trial = try Trial(content) { request in
      guard phase != "back-off" else {
        defer { isAsked.open() }
        return request.index == 0 ? .status(503, headers: ["Retry-After": "1"]) : .file(content)
      }
      if request.method == phase {
        isAsked.open()
        mayAnswer.wait()
      }
      return request.method == "HEAD" && phase == "GET" ? .status(405) : .file(content)
    }
    let command = try trial.command(["--connect-timeout", "2", "--stall-timeout", "2", "--give-up-after", "3"]).start()
    #expect(isAsked.wait())
    command.signal(SIGSTOP)
    #expect(command.waitForExit(timeout: .milliseconds(3500)) == nil)
    mayAnswer.open()
    command.signal(SIGCONT)
    try trial.expect(command.result(), exit: 0, .file)
  }

  @Test(.row("L16")) func finishesWithoutAReaderOfItsMessages() throws {
    let trial = try Trial(.pattern(length: 2_000_000), .file(.pattern(length: 2_000_000)) { $0.rate = 400_000 })
    let command = try trial.command(["-v"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 100_000 })
    command.closeError()
    let result = try command.result()
    #expect(result.termination == .exited(0))
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
  }

  @Test(.row("L16"), arguments: [true, false]) func survivesTheEndOfItsTerminal(controls: Bool) throws {
    let content = Content.pattern(length: 4_000_000)
    let trial = try Trial(content, .file(content) { $0.rate = 500_000 })
    var runner = trial.command([])
    runner.terminal = .init(forAllStreams: controls)
    let command = try runner.start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 1_000_000 })
    command.closeError()
    let result = try command.result()
    // Its own terminal sends it SIGHUP; another's is just a place that takes no more words.
    #expect(result.termination == (controls ? .signalled(SIGHUP) : .exited(0)))
    if controls {
      let manifest = try #require(try trial.manifest())
      #expect(manifest.done > 0)
      try manifest.expectHonest(trial.folder, trial.part, content, #_sourceLocation)
    } else {
      #expect(try trial.folder.holds(content, in: trial.placed("file.bin")))
    }
  }

  /// A run that has only its last words left, on a terminal that takes nothing, still ends by Ctrl-C.
  @Test(.row("L16")) func canBeInterruptedWhereTheTerminalTakesNothing() throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let content = Content.pattern(length: 1_000_000)
      let trial = try Trial(content, .file(content) { $0.rate = 500_000 })
      var runner = trial.command([])
      runner.terminal = .init()
      let command = try runner.start()
      try command.type(Trial.stopOutput)
      for _ in 0..<1500 where trial.names != ["file.bin"] { _ = command.waitForExit(timeout: .milliseconds(20)) }
      #expect(trial.names == ["file.bin"])
      #expect(command.isRunning, "nothing waits for the terminal: the test does not test anything")
      let start = ContinuousClock.now
      command.signal(SIGINT)
      let result = command.waitForExit(timeout: .seconds(10))
      let time = ContinuousClock.now - start
      #expect(result?.termination == .signalled(SIGINT))
      return time
    }
  }
}
