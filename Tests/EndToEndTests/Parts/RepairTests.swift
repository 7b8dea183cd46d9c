import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `swoop verify --repair`: only what is damaged is fetched again.
@Suite(.waiting) struct RepairTests {
  private static let block: Int64 = 1 << 20

  private static func kept() throws -> Trial {
    let trial = try Trial.parts()
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    return trial
  }

  private func repair(_ trial: Trial, _ options: String...) throws -> CommandResult {
    let words = ["verify", "--repair", trial.server.url(trial.path), "--give-up-after", "4", "--stall-timeout", "2"]
    return try trial.swoop(words + options + ["file.bin"]).run()
  }

  /// The file is right, its manifest beside it, and nothing else is there.
  private func expectRight(_ trial: Trial, _ result: CommandResult, location: SourceLocation = #_sourceLocation) throws
  {
    trial.expect(result, code: 0, location: location)
    #expect(trial.names == ["file.bin", "file.bin.part.json"], sourceLocation: location)
    try trial.expect("file.bin", is: 0..<trial.content.length, location: location)
    let manifest = try #require(try trial.manifest())
    #expect(manifest.finished == true && manifest.done == trial.content.length, sourceLocation: location)
  }

  /// Nothing was changed.
  private func expectLeftAlone(
    _ trial: Trial, _ result: CommandResult, _ before: [UInt8], code: Int32, says text: String,
    location: SourceLocation = #_sourceLocation
  ) throws {
    trial.expect(result, code: code, says: text, location: location)
    #expect(try trial.folder.bytes(trial.placed("file.bin")) == before, sourceLocation: location)
    #expect(!trial.names.contains("file.bin.part"), "\(trial.names)", sourceLocation: location)
  }

  @Test(arguments: [false, true]) func aRightFileIsNotAskedAbout(hasDigest: Bool) throws {
    let trial = try Self.kept()
    let count = trial.server.settledLog().entries.count
    let result = try hasDigest ? repair(trial, "--sha256", trial.sha256()) : repair(trial)
    try expectRight(trial, result)
    #expect(result.output == "file.bin: OK\n" && trial.server.settledLog().entries.count == count)
  }

  @Test(arguments: [false, true]) func onlyWhatDiffersIsFetched(hasDigest: Bool) throws {
    let trial = try Self.kept()
    try trial.damage("file.bin", at: 5_000_000)
    try trial.damage("file.bin", at: 12_000_000)
    let count = trial.server.settledLog().entries.count
    let result = try hasDigest ? repair(trial, "--sha256", trial.sha256()) : repair(trial)
    try expectRight(trial, result)
    #expect(result.output == "file.bin: repaired (2097152 bytes fetched again)\n", "\(result.output)")
    // The first question is for one byte, and brings none into the file.
    let asked = trial.asked(since: count).filter { $0 != 0..<1 }
    let damaged = [4 * Self.block..<5 * Self.block, 11 * Self.block..<12 * Self.block]
    for range in asked {
      #expect(damaged.contains { $0.contains(range.lowerBound) && $0.upperBound >= range.upperBound })
    }
    #expect(asked.reduce(0) { $0 + $1.upperBound - $1.lowerBound } >= 2 * Self.block)
    #expect(try ParsedJSON(parsing: repair(trial, "--json").output)["fetched"].integer == 0)
  }

  /// The server sends other bytes and names the same version: they are not taken, and the next try begins with what was
  /// there.
  @Test func otherBytesOfTheSameVersion() throws {
    let content = Content.pattern(length: 20_000_000)
    let lies = Monitor(false)
    let other = Content.pattern(length: content.length, seed: 9)
    let trial = try Trial(content) { _ in
      .file(lies.read(\.self) ? other : content) { ($0.etag, $0.lastModified) = ("\"same\"", nil) }
    }
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    try trial.damage("file.bin", at: 5_000_000)
    lies.change { $0 = true }
    let refused = try repair(trial)
    trial.expect(refused, code: 6, says: "not the bytes that were there before")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
    trial.expect(try repair(trial, "--sha256", trial.sha256()), code: 6, says: "not the bytes that were there before")
    lies.change { $0 = false }
    trial.expect(try repair(trial, "--sha256", trial.sha256()), code: 0)
    try trial.expect("file.bin", is: 0..<content.length)
  }

  /// A manifest that is another file's says nothing of this one.
  @Test func anotherFilesManifest() throws {
    let trial = try Self.kept()
    let before = Array("something else".utf8)
    trial.folder.remove(trial.placed("file.bin"))
    try trial.folder.write("something else", to: trial.placed("file.bin"))
    let words = "it has 14 bytes where file.bin.part.json speaks of 20000001, and no block of it is intact"
    try expectLeftAlone(trial, repair(trial), before, code: 11, says: words)
  }

  /// The manifest is its own, and of what is left of it nothing is known.
  @Test func lessThanABlockIsLeft() throws {
    let trial = try Self.kept()
    try trial.folder.truncate(trial.placed("file.bin"), to: 1000)
    let before = try trial.folder.bytes(trial.placed("file.bin"))
    let words = "it has 1000 bytes where file.bin.part.json speaks of 20000001, and no block of it is intact"
    try expectLeftAlone(trial, repair(trial), before, code: 11, says: words)
  }

  @Test func longerAndShorter() throws {
    let trial = try Self.kept()
    try trial.folder.truncate(trial.placed("file.bin"), to: trial.content.length + 1000)
    let count = trial.server.settledLog().entries.count
    try expectRight(trial, repair(trial))
    #expect(trial.asked(since: count).isEmpty)
    try trial.folder.truncate(trial.placed("file.bin"), to: 10_000_000)
    try expectRight(trial, repair(trial))
    #expect(trial.asked(since: count).allSatisfy { $0.lowerBound >= 9 * Self.block || $0 == 0..<1 })
    try trial.folder.truncate(trial.placed("file.bin"), to: 0)
    try expectRight(trial, repair(trial))
  }

  @Test func nothingToGoBy() throws {
    let trial = try Trial.parts()
    trial.expect(try trial.run(), code: 0)
    try trial.damage("file.bin", at: 5_000_000)
    let before = try trial.folder.bytes(trial.placed("file.bin"))
    let count = trial.server.settledLog().entries.count
    let result = try repair(trial, "--sha256", trial.sha256())
    try expectLeftAlone(trial, result, before, code: 11, says: "--keep-manifest")
    try trial.folder.write("nonsense", to: trial.placed("file.bin.part.json"))
    try expectLeftAlone(trial, repair(trial), before, code: 11, says: "--keep-manifest")
    #expect(trial.server.settledLog().entries.count == count)
  }

  /// Every block is as it was fetched: the digest is another file's.
  @Test func aWrongDigest() throws {
    let trial = try Self.kept()
    let before = try trial.folder.bytes(trial.placed("file.bin"))
    let count = trial.server.settledLog().entries.count
    let result = try repair(trial, "--md5", String(repeating: "0", count: 32))
    try expectLeftAlone(trial, result, before, code: 5, says: "nothing to repair")
    #expect(result.output == "file.bin: FAILED\n" && trial.server.settledLog().entries.count == count)
  }

  @Test(arguments: [20_000_001, 20_000_000]) func theServerHasAnotherVersion(length: Int64) throws {
    let new = Content.pattern(length: length, seed: 2)
    let trial = try Trial(new, .file(.pattern(length: 20_000_001)))
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    trial.heal()
    try trial.damage("file.bin", at: 5_000_000)
    let before = try trial.folder.bytes(trial.placed("file.bin"))
    try expectLeftAlone(trial, repair(trial), before, code: 6, says: "not the version")
    #expect(trial.names == ["file.bin", "file.bin.part.json"])
  }

  /// Another address: what is there is compared with what is here before anything is written.
  @Test(arguments: [true, false]) func anotherAddress(isSame: Bool) throws {
    let trial = try Self.kept()
    try trial.damage("file.bin", at: 5_000_000)
    let before = try trial.folder.bytes(trial.placed("file.bin"))
    let content = isSame ? trial.content : .pattern(length: trial.content.length, seed: 2)
    let other = try ScriptedServer { _ in .file(content) { $0.etag = "\"other\"" } }
    let words = ["verify", "--repair", other.url("/copy.bin"), "--sha256", try trial.sha256(), "file.bin"]
    let result = try trial.swoop(words).run()
    if isSame {
      try expectRight(trial, result)
    } else {
      try expectLeftAlone(trial, result, before, code: 11, says: "copy.bin")
      #expect(trial.names == ["file.bin", "file.bin.part.json"])
      try expectRight(trial, repair(trial))
    }
  }

  @Test func theServerIsGone() throws {
    let trial = try Self.kept()
    try trial.damage("file.bin", at: 5_000_000)
    let before = try trial.folder.bytes(trial.placed("file.bin"))
    let port = try RefusingPort()
    let words = ["verify", "--repair", port.origin + "/file.bin", "--give-up-after", "1", "file.bin"]
    try expectLeftAlone(trial, trial.swoop(words).run(), before, code: 3, says: "could not fetch")
    #expect(trial.names == ["file.bin", "file.bin.part.json"])
    try expectRight(trial, repair(trial))
  }

  /// Killed in the middle: nothing is lost, and the same command, or resume, goes on.
  @Test(arguments: [false, true]) func killedInTheMiddle(byName: Bool) throws {
    let content = Content.pattern(length: 20_000_001)
    let isSlow = Monitor(false)
    let trial = try Trial(content) { request in
      .file(content) { if isSlow.read({ $0 }), request.range != "bytes=0-0" { $0.stallAfter = 300_000 } }
    }
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    for place in [5_000_000, 12_000_000, 17_000_000] { try trial.damage("file.bin", at: place) }
    isSlow.change { $0 = true }
    let digest = try trial.sha256()
    let words = ["verify", "--repair", trial.server.url(trial.path), "--sha256", digest, "-n", "1", "file.bin"]
    let command = try trial.swoop(words).start()
    #expect(try trial.waitForManifest { $0.finished == nil && $0.done > content.length - 3 * Self.block })
    command.signal(SIGKILL)
    _ = try command.result()
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
    let kept = try #require(try trial.manifest()).segments
    trial.heal()
    let count = trial.server.settledLog().entries.count
    let result = try byName ? trial.swoop("resume", "file.bin.part") : trial.swoop(words).run()
    trial.expect(result, code: 0)
    try trial.expect("file.bin", is: 0..<content.length)
    for asked in trial.asked(since: count) {
      #expect(!kept.contains { $0.range.overlaps(asked) }, "\(asked) was here already")
    }
  }

  @Test func aPartOfAFile() throws {
    let trial = try Trial.parts()
    try trial.fetchPart("4000000-9999999", as: "p")
    try trial.damage("p", at: 3_000_000)
    let words = ["verify", "--repair", trial.server.url(trial.path), "p"]
    let result = try trial.swoop(words).run()
    trial.expect(result, code: 0)
    try trial.expect("p", is: 4_000_000..<10_000_000)
    #expect(result.output == "p: repaired (1048576 bytes fetched again)\n", "\(result.output)")
  }

  @Test func aServerWithoutRanges() throws {
    let content = Content.pattern(length: 20_000_001)
    let trial = try Trial(content, .file(content) { $0.honoursRange = false })
    trial.expect(try trial.run("--keep-manifest"), code: 0)
    try trial.damage("file.bin", at: 5_000_000)
    try expectRight(trial, repair(trial))
  }

  @Test func wrongWords() throws {
    let trial = try Self.kept()
    let url = trial.server.url(trial.path)
    trial.expect(try trial.swoop("verify", "--repair", url), code: 2, says: "file")
    trial.expect(try trial.swoop("verify", "--repair", url, "file.bin", "b"), code: 2, says: "one file")
    trial.expect(try trial.swoop("verify", "--repair", "nonsense://x", "file.bin"), code: 2)
    trial.expect(try trial.swoop("verify", "--repair", url, "file.bin.part"), code: 2, says: ".part")
    trial.expect(
      try trial.swoop("verify", "-H", "A: b", "--md5", String(repeating: "0", count: 32), "file.bin"), code: 2)
    trial.expect(try trial.swoop("verify", "--repair", url, "nothing"), code: 7, says: "nothing")
  }

  @Test func aHeaderGoesAlong() throws {
    let trial = try Self.kept()
    try trial.damage("file.bin", at: 5_000_000)
    let count = trial.server.settledLog().entries.count
    try expectRight(trial, repair(trial, "-H", "X-Token: one", "-n", "2"))
    let later = trial.server.settledLog().entries.dropFirst(count).map(\.request)
    #expect(!later.isEmpty && later.allSatisfy { $0.headers["X-Token"] == "one" })
  }
}
