import FaultCatalogue
import TestSupport
import Testing

/// What a kill costs: no more than what came since the last checkpoint.
@Suite(.waiting) struct KillTests {
  private static let rate = 4_000_000.0

  /// A checkpoint comes every second, and the disk may take another one for it: more than what comes in these two, and
  /// what was in flight, is never lost.
  @Test(.row("L13")) func losesNoMoreThanWhatCameSinceTheLastCheckpoint() throws {
    try TimePromise.expect(within: .seconds(2), lossOfAKill)
  }

  /// What is lost, but for the 1 MiB that may be in flight, as the time that it took to come.
  private func lossOfAKill() throws -> Duration {
    var settings = ScriptedServer.Settings()
    settings.totalRate = Self.rate
    settings.sendBuffer = 32 << 10
    let content = Content.pattern(length: 40_000_000)
    let trial = try Trial(content, .file(content), settings: settings)
    let command = try trial.command([]).start()
    #expect(trial.server.waitUntil(timeout: .seconds(30)) { $0.bodyBytesSent >= 21_000_000 })
    command.kill()
    _ = try command.result()
    let sent = trial.server.settledLog().bodyBytesSent
    let manifest = try #require(try trial.manifest())
    try manifest.expectHonest(trial.folder, trial.part, content, #_sourceLocation)
    let lost = sent - manifest.done
    print("a kill at \(sent) bytes lost \(lost), \(Double(lost) / Self.rate) s of transfer")
    return .seconds(Double(lost - 1 << 20) / Self.rate)
  }

  /// All that had come when a checkpoint was made is kept, to the byte: the server holds the rest back until that is on
  /// the disk.
  @Test(.row("L13"), arguments: ["1", "4", "16"], [false, true])
  func losesNothingOfACheckpoint(connections: String, hasDigest: Bool) throws {
    let content = Content.pattern(length: 24_000_001)
    let trial = try Trial(content, .file(content) { $0.stallAfter = 700_000 })
    let digest = hasDigest ? try ["--sha256", trial.sha256()] : []
    let command = try trial.command(["-n", connections, "--stall-timeout", "60", "--give-up-after", "60"] + digest)
      .start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 700_000 && $0.entries.count > 1 })
    for _ in 0..<1500 where try trial.manifest()?.done != trial.server.log.bodyBytesSent {
      _ = command.waitForExit(timeout: .milliseconds(20))
    }
    command.kill()
    _ = try command.result()
    let manifest = try #require(try trial.manifest())
    #expect(manifest.done == trial.server.settledLog().bodyBytesSent)
    try manifest.expectHonest(trial.folder, trial.part, content, #_sourceLocation)
    trial.heal()
    try trial.expectResumed(keeping: manifest.segments)
  }
}
