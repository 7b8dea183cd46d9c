import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// A part that somebody gave the file's name, beside the manifest that it had: nothing is said of it that was not found
/// out by reading it.
@Suite(.waiting) struct HandRenamedRegressionTests {
  private static let zeros = String(repeating: "0", count: 64)

  private func renamePart(of trial: Trial) {
    #expect(rename(trial.folder.path(trial.part), trial.folder.path(trial.placed("file.bin"))) == 0)
  }

  private func expectLeftAlone(_ trial: Trial, _ result: CommandResult, location: SourceLocation = #_sourceLocation)
    throws
  {
    #expect(result.termination == .exited(10), "\(result.error)", sourceLocation: location)
    let said = result.error + result.output
    #expect(!said.contains("verified") && !said.contains("saved"), "\(said)", sourceLocation: location)
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")), sourceLocation: location)
    #expect(trial.names.contains("file.bin.part.json"), sourceLocation: location)
    Trial.expectPlain(result, location)
  }

  /// With the same digest again, or with that which the manifest knows.
  @Test(arguments: [true, false]) func refutedPart(namesDigestAgain: Bool) throws {
    let trial = try Trial.healthy()
    try trial.expect(trial.run("--sha256", Self.zeros), exit: 5, .part)
    renamePart(of: trial)
    try expectLeftAlone(trial, trial.command(namesDigestAgain ? ["--sha256", Self.zeros] : []).run())
  }

  /// A run that was killed when all was here and nothing of it read yet.
  @Test(arguments: [true, false]) func partThatWasNotReadToItsEnd(isRight: Bool) throws {
    let trial = try Trial.healthy()
    try trial.plant(missing: [], isHole: false)
    var manifest = try #require(try trial.manifest())
    let digest = try isRight ? DigestTests.digest("sha256", of: trial.content) : Self.zeros
    manifest.digests = ["sha256": digest]
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    renamePart(of: trial)
    let result = try trial.command([]).run()
    guard isRight else { return try expectLeftAlone(trial, result) }
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    #expect(trial.server.log.entries.isEmpty)
  }

  /// What the server announced counts as long as nobody wants it otherwise.
  @Test(arguments: [[], ["--no-server-digest"]]) func partThatTheAnnouncedDigestRefutes(options: [String]) throws {
    let trial = try Trial.healthy()
    try trial.plant(missing: [], isHole: false)
    var manifest = try #require(try trial.manifest())
    manifest.announced = ["sha256": Self.zeros]
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    renamePart(of: trial)
    let result = try trial.command(options).run()
    guard !options.isEmpty else { return try expectLeftAlone(trial, result) }
    try trial.expect(result, exit: 0, .file, says: "saved")
    #expect(result.error.contains("not verified") && !result.error.contains("sha256"), "\(result.error)")
  }
}
