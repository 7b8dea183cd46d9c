import FaultCatalogue
import TestSupport
import Testing

/// Disks that keep other bytes than they were given, and say nothing.
@Suite(.waiting, .enabled(if: Machine.hasFaultShim, Machine.noFaultShim)) struct DiskDamageTests {
  private static let content = Content.pattern(length: 3_000_001)

  /// What a connection that is stopped had taken already, but nobody had read, is little.
  private static func trial() throws -> Trial {
    var settings = ScriptedServer.Settings()
    settings.sendBuffer = 32 << 10
    return try Trial(content, .file(content), settings: settings)
  }

  @Test(.row("D05")) func d05FetchesOneBlockAgainWhicheverWriteWasDamaged() throws {
    let digest = try DigestTests.digest("sha256", of: Self.content)
    let sweep = FaultSweep(options: ["--sha256", digest], step: 11, trial: Self.trial) {
      Fault("pwrite", names: ".part", first: $0, .flippedBit)
    }
    let met = try sweep.run { trial, result, _ in
      try trial.expect(result, exit: 0, .file, says: "sha256 verified", "damaged")
      let asked = trial.server.settledLog().bodyBytesSent
      #expect(asked > Self.content.length, "\(asked)")
      // A block, and what was on its way when another connection took the rest of a range over.
      #expect(asked <= Self.content.length + 2 << 20, "\(asked)")
    }
    #expect(met >= 4, "\(met)")
  }

  /// Once only: a disk that damages everything is not written to for ever.
  @Test(.row("D05")) func d05GivesADiskUpThatDamagesEverything() throws {
    let trial = try Trial.healthy(Self.content)
    let digest = try DigestTests.digest("sha256", of: Self.content)
    let result = try trial.run(
      ["--sha256", digest], with: [Fault("pwrite", names: ".part", count: 0, .flippedBit)])
    #expect(result.exitCode == 5 && result.error.contains("does not match"), "\(result.error)")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
    #expect(trial.server.settledLog().bodyBytesSent <= 3 * Self.content.length)
    let rerun = try trial.command(["--restart", "--sha256", digest]).run()
    try trial.expect(rerun, exit: 0, .file, says: "sha256 verified")
  }
}
