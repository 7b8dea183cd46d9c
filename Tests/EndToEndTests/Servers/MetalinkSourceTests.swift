import FaultCatalogue
import TestSupport
import Testing

/// Several sources in a metalink, one of which is wrong, dead, or has another file.
@Suite(.waiting) struct MetalinkSourceTests {
  private static let content = Content.pattern(length: 4_000_001)
  /// The piece that is damaged at one of them.
  private static let piece: Range<Int64> = 2_300_000..<2_400_000

  private static func damaged(at places: [Int64]) throws -> Content {
    var bytes = try content.bytes(in: 0..<content.length)
    for place in places { bytes[Int(place)] ^= 1 }
    return .bytes(bytes)
  }

  /// `others` in front of the healthy server.
  private func run(_ trial: Trial, behind others: [String]) throws -> CommandResult {
    let urls = (others + [trial.server.url()]).enumerated().map { "<url priority=\"\($0 + 1)\">\($1)</url>" }
    return try trial.runMetalink(MetalinkText.document(MetalinkText.file("file.bin", Self.content, urls)), "-v")
  }

  @Test func aWrongPieceComesFromTheOther() throws {
    let wrong = try Self.damaged(at: [2_350_000])
    let other = try ScriptedServer(.file(wrong), rate: 20_000_000)
    let trial = try Trial(Self.content, .file(Self.content))
    let result = try run(trial, behind: [other.url()])
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    // Whoever brought it at first: in the end it is the right one's.
    let isBlamed = result.error.contains("bytes 2300000-2399999 from \(other.url()) do not match")
    let brought = trial.asked().contains { $0.overlaps(Self.piece) }
    #expect(brought && (isBlamed || !result.error.contains("do not match")), "\(result.error)")
  }

  /// All that the first one sends is wrong: it is asked no more, and named.
  @Test func whoBringsManyIsLeftOut() throws {
    let liar = try ScriptedServer(.file(.pattern(length: Self.content.length, seed: 9)))
    let trial = try Trial(Self.content, .file(Self.content))
    let result = try run(trial, behind: [liar.url()])
    let says = "\(liar.url()): it serves pieces that are not the file's; going on without it"
    try trial.expect(result, exit: 0, .file, says: says, "sha256 verified")
  }

  @Test func oneOfAnotherLength() throws {
    let short = try ScriptedServer(.file(.pattern(length: Self.content.length - 1)))
    let trial = try Trial(Self.content, .file(Self.content))
    let result = try run(trial, behind: [short.url()])
    let says = "4000000 bytes long, and the file that is wanted has 4000001"
    try trial.expect(result, exit: 0, .file, says: says, "sha256 verified")
  }

  @Test func oneThatIsDeadAndOneThatHasNothing() throws {
    let dead = try RefusingPort()
    let empty = try ScriptedServer(.status(404))
    let trial = try Trial(Self.content, .file(Self.content))
    let result = try run(trial, behind: [empty.url(), dead.origin + "/file.bin"])
    try trial.expect(result, exit: 0, .file, says: "404", "sha256 verified")
  }

  /// The next metalink names other addresses of the same file: its length and digest say so, and in the end the digest is
  /// compared. Of another file, the part is left alone.
  @Test(arguments: [true, false]) func theAddressesAreOthersNow(isSame: Bool) throws {
    let former = try ScriptedServer(.file(Self.content) { $0.stallAfter = 400_000 })
    let trial = try Trial(Self.content, .file(Self.content))
    let first = MetalinkText.document(
      try MetalinkText.file("file.bin", Self.content, [former.url()], hasPieces: false))
    let begun = try trial.runMetalink(first, "--stall-timeout", "1", "--give-up-after", "1")
    try trial.expect(begun, exit: 3, .part)
    let here = try trial.manifest()?.segments.reduce(0) { $0 + Int64($1.range.count) } ?? 0
    try #require(here >= 300_000, "\(begun.error)")
    let digest = isSame ? nil : String(repeating: "0", count: 64)
    let second = MetalinkText.document(
      try MetalinkText.file("file.bin", Self.content, [trial.server.url()], digest: digest, hasPieces: false))
    let result = try trial.runMetalink(second, "--json")
    guard isSame else { return try trial.expect(result, exit: 11, .part, says: "left alone") }
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    #expect(try ParsedJSON(parsing: result.output)["resumed"].integer ?? 0 >= here, "\(result.output)")
  }

  /// The piece is damaged everywhere.
  @Test func nobodyHasIt() throws {
    let wrong = try Self.damaged(at: [2_350_000])
    let other = try ScriptedServer(.file(wrong))
    let trial = try Trial(Self.content, .file(wrong))
    let result = try run(trial, behind: [other.url()])
    #expect(result.exitCode == 5 && result.error.contains("of piece 24 in the metalink"), "\(result.error)")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
  }
}

/// `verify --repair` by the pieces of a metalink.
@Suite(.waiting) struct MetalinkRepairTests {
  private static let content = MetalinkTests.content

  @Test(arguments: [true, false]) func onlyTheDamagedPieceIsFetched(isHere: Bool) throws {
    let trial = try MetalinkTests.serving()
    let beside = try TemporaryFolder()
    try beside.write(
      MetalinkText.document(MetalinkText.file("file.bin", Self.content, [trial.server.url()])), to: "x.meta4")
    let address = isHere ? beside.path("x.meta4") : trial.server.url("/x.meta4")
    try trial.folder.write(Self.content, to: trial.placed("file.bin"))
    let right = try trial.swoop("verify", "--repair", address, "file.bin")
    #expect(right.exitCode == 0 && right.output == "file.bin: OK\n", "\(right.error)")
    try trial.folder.flipByte(of: trial.placed("file.bin"), at: 350_000)
    let result = try trial.swoop("verify", "--repair", address, "file.bin")
    #expect(result.output == "file.bin: repaired (100000 bytes fetched again)\n", "\(result.output) \(result.error)")
    #expect(try trial.folder.firstDifference(of: trial.placed("file.bin"), from: Self.content) == nil)
    // Nobody asked for a manifest.
    #expect(trial.names == ["file.bin"])
    let asked = trial.server.settledLog().entries.map(\.request).filter { $0.path == "/file.bin" }
    // The first question is for one byte, and brings none into the file.
    #expect(asked.compactMap(\.range).filter { $0 != "bytes=0-0" } == ["bytes=300000-399999"], "\(asked)")
  }

  /// A manifest that was kept stays, and is right.
  @Test func aKeptManifestStays() throws {
    let trial = try MetalinkTests.serving()
    #expect(try trial.run("--keep-manifest", "-o", "file.bin", url: trial.server.url("/file.bin")).exitCode == 0)
    try trial.folder.flipByte(of: trial.placed("file.bin"), at: 350_000)
    let result = try trial.swoop("verify", "--repair", trial.server.url("/x.meta4"), "file.bin")
    #expect(result.exitCode == 0 && trial.names == ["file.bin", "file.bin.part.json"], "\(result.error)")
    let manifest = try #require(try trial.manifest())
    #expect(manifest.finished == true && manifest.done == Self.content.length)
    try #expect(manifest.firstLie(trial.folder, trial.placed("file.bin"), Self.content) == nil)
  }

  /// The file of a path, however much of that is given.
  @Test(arguments: ["sub/b.bin", "./sub/b.bin", "b.bin"]) func aFileInAFolder(path: String) throws {
    let trial = try MetalinkTests.serving()
    let entries = try ["sub/b.bin", "c.bin"].map {
      try MetalinkText.file($0, Self.content, [trial.server.url()])
    }
    try trial.folder.write(MetalinkText.document(entries[0], entries[1]), to: trial.placed("x.meta4"))
    _ = try trial.folder.makeFolder(trial.placed("sub"))
    try trial.folder.write(Self.content, to: trial.placed(path))
    try trial.folder.flipByte(of: trial.placed(path), at: 350_000)
    let result = try trial.swoop("verify", "--repair", "x.meta4", path)
    #expect(result.output == "\(path): repaired (100000 bytes fetched again)\n", "\(result.output) \(result.error)")
    #expect(try trial.folder.firstDifference(of: trial.placed(path), from: Self.content) == nil)
  }

  @Test func aMetalinkOfOtherFiles() throws {
    let trial = try MetalinkTests.serving { $0.replacing("</metalink>", with: "<file name=\"b\"/></metalink>") }
    try trial.folder.write(Self.content, to: trial.placed("other.bin"))
    let result = try trial.swoop("verify", "--repair", trial.server.url("/x.meta4"), "other.bin")
    #expect(result.exitCode == 4 && result.error.contains("it is not one of the files there"), "\(result.error)")
    #expect(trial.askedPaths == ["/x.meta4"])
  }
}
