import FaultCatalogue
import TestSupport
import Testing

/// `--keep-manifest`: what is left beside a finished file trips nobody up.
@Suite(.waiting) struct KeptManifestTests {
  private static func kept(_ options: String...) throws -> Trial {
    let trial = try Trial.parts()
    trial.expect(try trial.command(["--keep-manifest"] + options).run(), code: 0)
    #expect(trial.names == ["file.bin", "file.bin.part.json"])
    return trial
  }

  @Test func itClaimsAllOfTheFile() throws {
    let trial = try Self.kept()
    let manifest = try #require(try trial.manifest())
    #expect(manifest.done == trial.content.length && manifest.finished == true)
    try #expect(manifest.firstLie(trial.folder, trial.placed("file.bin"), trial.content) == nil)
    #expect(manifest.segments.allSatisfy { $0.end - $0.start <= 1 << 20 })
  }

  @Test func theDigestIsInIt() throws {
    let content = Content.pattern(length: 20_000_001)
    let digest = try DigestTests.digest("sha256", of: content)
    let trial = try Self.kept("--sha256", digest)
    #expect(try trial.manifest()?.digests == ["sha256": digest])
  }

  /// The same command again, with and without the option, with and without a digest.
  @Test(arguments: [[], ["--keep-manifest"], ["--sha256"]]) func theSameCommandAgain(options: [String]) throws {
    let trial = try Self.kept()
    let digest = try options == ["--sha256"] ? [trial.sha256()] : []
    trial.expect(try trial.command(options + digest).run(), code: 0, says: "already complete")
    #expect(trial.names == ["file.bin", "file.bin.part.json"])
    try trial.expect("file.bin", is: 0..<trial.content.length)
  }

  @Test func forceReplacesBoth() throws {
    let trial = try Self.kept()
    trial.expect(try trial.run("--force"), code: 0)
    #expect(trial.names == ["file.bin"])
    try trial.expect("file.bin", is: 0..<trial.content.length)
  }

  /// The file was taken away: that is no part that could be gone on with.
  @Test func theFileHasGone() throws {
    let trial = try Self.kept()
    trial.folder.remove(trial.placed("file.bin"))
    trial.expect(try trial.swoop("resume", "file.bin.part"), code: 11, says: "no partial file")
    trial.expect(try trial.run(), code: 0, says: "saved")
    #expect(trial.names == ["file.bin"])
  }

  @Test func resumeFindsNoPart() throws {
    let trial = try Self.kept()
    trial.expect(try trial.swoop("resume", "file.bin.part"), code: 11, says: "no part")
    let status = try trial.swoop("status", "file.bin.part")
    #expect(status.exitCode == 0 && status.output.contains("missing  nothing"), "\(status.output)")
  }

  /// As long as the server's and no older: only the manifest tells that it is another version.
  @Test func theServersFileChanges() throws {
    let new = Content.pattern(length: 20_000_001, seed: 2)
    let trial = try Trial(new, .file(.pattern(length: 20_000_001)))
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    trial.heal()
    trial.expect(try trial.run(), code: 10, says: "--force")
    #expect(trial.names == ["file.bin", "file.bin.part.json"])
  }

  /// A part with its manifest is known again; another part of the same length is not taken for it.
  @Test func aPartIsKnownAgain() throws {
    let trial = try Trial.parts()
    try trial.fetchPart("0-999999", as: "a")
    trial.expect(try trial.run("--range", "0-999999", "-o", "a"), code: 0, says: "already complete")
    trial.expect(try trial.run("--range", "1000000-1999999", "-o", "a"), code: 10)
    try trial.expect("a", is: 0..<1_000_000)
  }
}
