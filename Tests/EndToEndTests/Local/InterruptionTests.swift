import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// INT, TERM, HUP and QUIT whatever the run is at: it ends by the signal, at once, and what it leaves is honest.
@Suite(.waiting) struct InterruptionTests {
  /// What the server does while the signal comes.
  enum Phase: CaseIterable {
    /// Nothing answers.
    case silence
    /// HEAD is refused, and the GET that follows is not answered.
    case silentGET
    /// HEAD is not answered, and the first GET beside it is.
    case silentHEAD
    /// The head never comes to its end.
    case slowHead
    /// Every answer asks to come again later.
    case backOff
    /// A redirect to itself is followed, slowly.
    case redirects
  }

  /// Shorter than anything that a run waits for, which is a minute at least.
  private static let bound = Duration.seconds(10)
  private static let patience = ["--stall-timeout", "60", "--give-up-after", "60", "--connect-timeout", "60"]

  @Test(.row("L16"), arguments: Phase.allCases, [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func endsWhileItAsks(phase: Phase, signal: Int32) throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let content = Content.pattern(length: 4_000_000)
      let trial = try Trial(content) { Self.reply(phase, $0, content) }
      let command = try trial.command(Self.patience).start()
      #expect(trial.server.waitUntil { Self.isThere(phase, $0) }, "\(command.error)")
      let time = try end(command, by: signal)
      try trial.expectInvariants(interrupted: command.result())
      if phase != .silentHEAD { #expect(trial.names.isEmpty) }
      try trial.expectCleanRerun()
      return time
    }
  }

  private static func reply(_ phase: Phase, _ request: Request, _ content: Content) -> Reply {
    switch phase {
    case .silence: return .silence
    case .silentGET: return request.method == "HEAD" ? .status(405) : .silence
    case .silentHEAD: return request.method == "HEAD" ? .silence : .file(content) { $0.stallAfter = 500_000 }
    case .slowHead: return .file(content) { $0.headBytesPerSecond = 1 }
    case .backOff: return .status(503, headers: ["Retry-After": "60"])
    case .redirects: return .redirect(to: "/\(request.index)", headers: ["X": String(repeating: "x", count: 30_000)])
    }
  }

  /// Whether the server has seen what leads into the phase.
  private static func isThere(_ phase: Phase, _ log: ServerLog) -> Bool {
    switch phase {
    case .silence, .slowHead: !log.entries.isEmpty
    case .silentGET: log.methods.contains("GET")
    case .silentHEAD: log.bodyBytesSent >= 500_000
    case .backOff, .redirects: log.entries.contains { $0.status != nil }
    }
  }

  /// Nobody listens, and swoop tries again.
  @Test(.row("L16"), arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func endsWhileNobodyListens(signal: Int32) throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let port = try RefusingPort()
      let trial = try Trial.healthy()
      let command = try trial.command(Self.patience + ["-v"], url: port.origin + "/file.bin").start()
      #expect(command.waitForOutput(containing: "trying again"))
      let time = try end(command, by: signal)
      #expect(trial.names.isEmpty)
      return time
    }
  }

  /// A digest of more bytes than can be read in a minute: of a file that is here, of a part, and by `verify`.
  @Test(.row("L16"), arguments: ["file", "part", "verify"], [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func endsWhileItVerifies(what: String, signal: Int32) throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let content = Content.pattern(length: 1 << 40)
      let trial = try Trial(content, .silence)
      let digest = ["--sha512", String(repeating: "0", count: 128)]
      if what == "part" {
        try trial.plant(missing: [])
      } else {
        try trial.folder.write("", to: trial.placed("file.bin"))
        try trial.folder.truncate(trial.placed("file.bin"), to: content.length)
      }
      let isVerb = what == "verify"
      let command = try isVerb ? trial.swoop(["verify", "file.bin"] + digest).start() : trial.command(digest).start()
      try waitForReading(command)
      let names = trial.names
      let time = try end(command, by: signal)
      #expect(trial.names == names)
      if what == "part" { #expect(try trial.manifest()?.done == content.length) }
      return time
    }
  }

  /// Until it has read many bytes, which proc_pid_io(5) counts.
  private func waitForReading(_ command: RunningCommand) throws {
    for _ in 0..<1000 {
      let counts = try CommandRunner("cat", ["/proc/\(command.pid)/io"]).run().output
      let read = counts.split(separator: "\n").first { $0.hasPrefix("rchar: ") }.flatMap { Int64($0.dropFirst(7)) }
      if read ?? 0 > 50 << 20 { return }
      _ = command.waitForExit(timeout: .milliseconds(10))
    }
    Issue.record("nothing is read: \(command.error)")
  }

  /// The terminal takes nothing, in the middle of a transfer.
  @Test(.row("L16"), arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func endsWhereTheTerminalTakesNothing(signal: Int32) throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let trial = try Trial.stalling()
      var runner = trial.command(["--stall-timeout", "60", "-v"])
      runner.terminal = .init()
      let command = try runner.start()
      try command.type(Trial.stopOutput)
      #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
      let time = try end(command, by: signal)
      let manifest = try #require(try trial.manifest())
      #expect(manifest.done >= 1_000_000)
      trial.heal()
      try trial.expectResumed(keeping: manifest.segments)
      return time
    }
  }

  /// A checkpoint waits for a slow disk: what came until now is saved all the same, and the end waits for nothing.
  @Test(
    .row("L16"), .enabled(if: Machine.hasFaultShim, Machine.noFaultShim), arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func endsWhileACheckpointWaitsForTheDisk(signal: Int32) throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let trial = try Trial.stalling()
      let slow = Fault("fdatasync", names: ".part", count: 0, .wait(seconds: 60))
      let run = try FaultyRun(trial, ["--stall-timeout", "60"], [slow])
      #expect(trial.server.waitUntil { $0.bodyBytesSent >= 4_000_000 })
      #expect(try isPlayed(0, of: run))
      let time = try end(run.command, by: signal)
      let manifest = try #require(try trial.manifest())
      #expect(manifest.done >= 3_900_000, "\(manifest.done)")
      trial.heal()
      try trial.expectResumed(keeping: manifest.segments)
      return time
    }
  }

  /// Who cannot wait for what is saved after the first signal sends another one.
  @Test(
    .row("L16"), .enabled(if: Machine.hasFaultShim, Machine.noFaultShim),
    arguments: [[SIGINT, SIGINT], [SIGTERM, SIGTERM], [SIGHUP, SIGINT], [SIGINT, SIGTERM]])
  func endsByTheSecondSignalWhileItSaves(signals: [Int32]) throws {
    try TimePromise.expect(within: TimePromise.signal) {
      let trial = try Trial.stalling()
      // No checkpoint comes to its end; then the first save after the one at the beginning is that of the first signal.
      let slow = [
        Fault("fdatasync", names: ".part", count: 0, .wait(seconds: 60)),
        Fault("renameat", names: ".new", first: 2, count: 0, .wait(seconds: 60)),
      ]
      let run = try FaultyRun(trial, ["--stall-timeout", "60"], slow)
      #expect(trial.server.waitUntil { $0.bodyBytesSent >= 4_000_000 })
      #expect(try isPlayed(0, of: run))
      run.command.signal(signals[0])
      #expect(try isPlayed(1, of: run), "nothing was saved")
      #expect(run.command.isRunning)
      let time = try end(run.command, by: signals[1])
      try trial.manifest()?.expectHonest(trial.folder, trial.part, trial.content, #_sourceLocation)
      try trial.expectCleanRerun()
      return time
    }
  }

  /// Waits until a fault has happened, for some seconds at most.
  private func isPlayed(_ index: Int, of run: FaultyRun) throws -> Bool {
    for _ in 0..<500 {
      if let outcome = try? run.play.outcomes()[index], outcome.played > 0 { return true }
      _ = run.command.waitForExit(timeout: .milliseconds(20))
    }
    return false
  }

  /// The time until the signal has ended the run.
  private func end(_ command: RunningCommand, by signal: Int32) throws -> Duration {
    let start = ContinuousClock.now
    command.signal(signal)
    guard let result = command.waitForExit(timeout: Self.bound) else {
      Issue.record("signal \(signal) does not end it: \(command.error)")
      command.kill()
      return Self.bound
    }
    let time = ContinuousClock.now - start
    print("signal \(signal): ended after \(time)")
    #expect(result.termination == .signalled(signal), "\(result.error)")
    return time
  }
}
