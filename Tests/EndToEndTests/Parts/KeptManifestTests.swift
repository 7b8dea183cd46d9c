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
    let words = "neither file.bin.part nor file.bin is here, only the manifest file.bin.part.json"
    for verb in ["resume", "status"] {
      let result = try trial.swoop(verb, "file.bin.part")
      trial.expect(result, code: 11, says: words)
      #expect(result.output.isEmpty && result.error.count(of: "\n") == 1, "\(result.output)\(result.error)")
    }
    let object = try ParsedJSON(parsing: trial.swoop("status", "--json", "file.bin.part").output)
    #expect(object["exit"].integer == 11 && object["done"] == .null, "\(object)")
    #expect(object["error"].string?.contains(words) == true && object["path"].string == "file.bin.part", "\(object)")
    trial.expect(try trial.run(), code: 0, says: "saved")
    #expect(trial.names == ["file.bin"])
  }

  /// The part was taken away before it was complete.
  @Test func thePartHasGone() throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    trial.folder.remove(trial.placed("file.bin.part"))
    for verb in ["resume", "status"] {
      trial.expect(try trial.swoop(verb, "file.bin.part"), code: 11, says: "neither file.bin.part nor file.bin is here")
    }
    #expect(trial.names == ["file.bin.part.json"])
  }

  /// A file that was filled in place was taken away.
  @Test func theFilledFileHasGone() throws {
    let trial = try Trial.parts()
    try trial.fill("0-999999", of: "disk")
    let status = try trial.swoop("status", "disk.0-999999.part")
    #expect(status.exitCode == 0 && status.output.contains("missing  nothing"), "\(status.output)")
    trial.folder.remove(trial.placed("disk"))
    for verb in ["resume", "status"] {
      let result = try trial.swoop(verb, "disk.0-999999.part")
      trial.expect(result, code: 11, says: "disk is not here, only the manifest disk.0-999999.part.json")
    }
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
