import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Manifests that are damaged, tampered with, of another version or of another URL, and what a
/// kill in the last steps of a run leaves behind.
@Suite(.waiting) struct LocalFaultsManifestTests {
  @Test(
    .row("L27"),
    arguments: [
      "", "{", "\u{0}\u{0}\u{0}\u{0}", "null", "[]", "{\"version\":1}", "{\"version\":\"1\"}", "\u{FEFF}",
    ])
  func l27BeginsAgainWhereItCannotBeRead(text: String) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    try trial.folder.write(text, to: trial.stored)
    let refused = try trial.swoop("resume", "file.bin.part")
    #expect(refused.exitCode == 11, "\(refused.error)")
    #expect(try trial.folder.text(trial.stored) == text)
    try trial.expectResumed(keeping: [], says: "cannot be used")
  }

  @Test(.row("L28"), arguments: [2, 0, -1, 99])
  func l28LeavesAnotherVersionAlone(version: Int) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let right = try trial.folder.text(trial.stored)
    let part = try trial.folder.bytes(trial.part)
    let text = right.replacing("\"version\":1", with: "\"version\":\(version)")
    try trial.folder.write(text, to: trial.stored)
    for words in [[trial.server.url()], ["resume", "file.bin.part"], ["status", "file.bin.part"]] {
      let result = try trial.swoop(words).run()
      #expect(result.exitCode == 11 && result.error.contains("another version of swoop"), "\(result.error)")
    }
    #expect(try trial.folder.text(trial.stored) == text)
    #expect(try trial.folder.bytes(trial.part) == part)
    let restarted = try trial.command(["--restart"]).run()
    try trial.expect(restarted, exit: 0, .file)
  }

  /// Each makes the manifest break one rule.
  static let tampered: [@Sendable (inout StoredManifest) -> Void] = [
    { $0.segments[0].end = $0.length! + 1 },
    { $0.segments[0].start = -1 },
    { $0.segments[0].end = $0.segments[0].start },
    { $0.segments.append($0.segments[0]) },
    {
      $0.segments.reverse(); $0.segments.append($0.segments[0])
    },
    { $0.segments[0].crc32 = "xyz" },
    { $0.segments[0].crc32 = "+1234567" },
    { $0.length = -5 },
    { $0.length = .max },
    { $0.length = nil },
    { $0.digests = ["md5": "12"] },
    { $0.digests = ["nonsense": "00"] },
    { $0.etag = "\"" + String(repeating: "x", count: 5000) + "\"" },
  ]

  @Test(.row("L29"), arguments: tampered.indices)
  func l29RejectsWhatBreaksARule(index: Int) throws {
    let trial = try Trial.stalling()
    var manifest = try trial.leavePart()
    Self.tampered[index](&manifest)
    try trial.folder.write(manifest.text, to: trial.stored)
    try trial.expectResumed(keeping: [], says: "cannot be used")
  }

  @Test(
    .row("L29"),
    arguments: [
      "\"length\":1e400", "\"length\":18446744073709551616", "\"length\":NaN", "\"length\":10000001.5",
      "\"length\":10000001,\"part\":{\"device\":-1,\"inode\":1,\"modified\":\"1\"}",
    ])
  func l29RejectsNumbersThatAreNone(text: String) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let right = try trial.folder.text(trial.stored)
    try trial.folder.write(right.replacing("\"length\":10000001", with: text), to: trial.stored)
    try trial.expectResumed(keeping: [], says: "cannot be used")
  }

  @Test(.row("L29")) func l29TakesNoTimeOrMemoryForHugeOrDeepOnes() throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    try trial.folder.write("", to: trial.stored)
    try trial.folder.truncate(trial.stored, to: 1 << 30)
    try trial.expectResumed(keeping: [], says: "cannot be used")
    let long = try Trial.stalling()
    var manifest = try long.leavePart()
    manifest.segments = (0..<200_000).map { StoredManifest.Segment(start: $0 * 2, end: $0 * 2 + 1, crc32: "00000000") }
    try long.folder.write(manifest.text, to: long.stored)
    let result = try long.command([]).run()
    #expect(result.exitCode == 0 && result.error.contains("cannot be used"), "\(result.error)")
    #expect(Sanitizer.isOn || result.peakMemory < 160 << 10)
    let deep = try Trial.stalling()
    try deep.leavePart()
    let nested = String(repeating: "[", count: 100_000)
    try deep.folder.write("{\"version\":1,\"url\":\(nested)", to: deep.stored)
    try deep.expectResumed(keeping: [], says: "cannot be used")
  }

  /// What a manifest says goes into requests: nothing in it may make another header.
  @Test(.row("L29")) func aTamperedValidatorAddsNoHeader() throws {
    let trial = try Trial.stalling()
    var manifest = try trial.leavePart()
    manifest.etag = "\"x\"\r\nX-Evil: 1"
    manifest.lastModified = "Wed, 01 Jan 2025 00:00:00 GMT\r\nX-Evil: 1"
    try trial.folder.write(manifest.text, to: trial.stored)
    let result = try trial.command([]).run()
    try trial.expect(result, exit: 0, .file)
    for entry in trial.server.log.entries { #expect(!entry.request.headers.contains("X-Evil")) }
  }

  /// Claims that are false, of a part that somebody touched, are found out by their checksums.
  @Test(.row("L29")) func aFalseClaimIsFoundOut() throws {
    let trial = try Trial.stalling()
    var manifest = try trial.leavePart()
    manifest.segments = stride(from: 0, to: Trial.usualLength, by: 1 << 20).map {
      StoredManifest.Segment(start: $0, end: min(Trial.usualLength, $0 + 1 << 20), crc32: "12345678")
    }
    manifest.part = nil
    try trial.folder.write(manifest.text, to: trial.stored)
    try trial.expectResumed(keeping: [], says: "damaged")
  }

  /// One wrong digit in a claim makes another claim that may be true as well as the first: of a part that nobody touched
  /// it would not be compared. The manifest's own checksum tells.
  @Test func aFlippedDigitIsFoundOut() throws {
    let trial = try Trial.stalling()
    var manifest = try trial.leavePart()
    let ends = manifest.segments.dropFirst().map(\.start) + [Trial.usualLength]
    let index = try #require(manifest.segments.indices.first { manifest.segments[$0].end + 1000 < ends[$0] })
    manifest.segments[index].end += 1000
    try trial.folder.write(manifest.textAsItIs, to: trial.stored)
    let kept = manifest.segments.enumerated().filter { $0.offset != index }.map(\.element)
    try trial.expectResumed(keeping: kept, says: "damaged")
  }

  @Test(.row("L31")) func l31LeavesAnotherURLsPartAlone() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let (text, part) = (try trial.folder.text(trial.stored), try trial.folder.bytes(trial.part))
    let result = try trial.command(["-o", "file.bin"], url: trial.server.url("/other.bin")).run()
    #expect(result.exitCode == 11, "\(result.error)")
    #expect(result.error.contains("swoop resume file.bin.part --url") && result.error.contains("--restart"))
    #expect(try trial.folder.text(trial.stored) == text)
    #expect(try trial.folder.bytes(trial.part) == part)
    try trial.expectResumed(keeping: manifest.segments)
  }
}

/// States that a kill between two of the last steps leaves behind: the next run finishes without the network.
@Suite(.waiting) struct LocalFaultsLastStepsTests {
  /// Of `thirteen bytes`.
  private static let md5 = "ffe4e6579982b0b53ff4154abcd21bbb"

  /// The name, the time and perhaps the second name are there, the manifest is not removed yet.
  @Test(.row("L13"), arguments: [false, true], [[], ["--md5"]])
  func finishesWhatWasRenamed(hasSecondName: Bool, options: [String]) throws {
    let trial = try Trial.healthy(.text("thirteen bytes"))
    let options = options.isEmpty ? [] : ["--md5", Self.md5]
    let manifest = try trial.completePart(options)
    let (part, file) = (trial.folder.path(trial.part), trial.folder.path(trial.placed("file.bin")))
    #expect(hasSecondName ? link(part, file) == 0 : rename(part, file) == 0)
    var times = [timespec(), timespec(tv_sec: 1_735_689_600, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, file, &times, 0) == 0)
    #expect(manifest.done == trial.content.length)
    let requests = trial.server.log.entries.count
    // With a digest that the killed run did not know, the file is read once more.
    let result = try trial.command(options.isEmpty && hasSecondName ? ["--md5", Self.md5] : []).run()
    try trial.expect(result, exit: 0, .file, says: "file.bin")
    #expect(trial.server.log.entries.count == requests)
  }

  @Test(.row("L13")) func finishesWhatIsComplete() throws {
    let trial = try Trial.healthy()
    try trial.completePart([])
    let requests = trial.server.log.entries.count
    let result = try trial.command([]).run()
    try trial.expect(result, exit: 0, .file, says: "saved file.bin")
    #expect(trial.server.log.entries.count == requests)
    #expect(try trial.folder.modificationTime(trial.placed("file.bin")) == 1_735_689_600)
  }

  /// A file that was changed since is not the one that was finished.
  @Test func doesNotTakeAnotherFileForTheFinishedOne() throws {
    let trial = try Trial.healthy()
    try trial.completePart([])
    rename(trial.folder.path(trial.part), trial.folder.path(trial.placed("file.bin")))
    try trial.folder.flipByte(of: trial.placed("file.bin"), at: 5)
    try trial.folder.truncate(trial.placed("file.bin"), to: 5000)
    let result = try trial.command([]).run()
    #expect(result.exitCode == 10, "\(result.error)")
    #expect(try trial.folder.size(trial.placed("file.bin")) == 5000)
  }
}

extension Trial {
  /// Leaves a complete part: what a run has that finds the file's name taken in the end.
  @discardableResult
  func completePart(_ options: [String], location: SourceLocation = #_sourceLocation) throws -> StoredManifest {
    let gate = Monitor(false)
    let content = content
    let slow = try ScriptedServer(settings: sameSettings) { request in
      if request.method != "HEAD" { _ = gate.wait(timeout: .seconds(20)) { $0 } }
      return .file(content)
    }
    let command = try self.command(options, url: slow.url(path)).start()
    slow.waitUntil { $0.methods.contains("GET") }
    try folder.write("in the way", to: placed(name))
    gate.change { $0 = true }
    let result = try command.result()
    #expect(result.exitCode == 10, "\(result.error)", sourceLocation: location)
    #expect(try folder.text(placed(name)) == "in the way", sourceLocation: location)
    #expect(try folder.mode(part) == 0o600, sourceLocation: location)
    folder.remove(placed(name))
    var manifest = try #require(try manifest(), sourceLocation: location)
    try manifest.expectHonest(folder, part, content, location)
    #expect(manifest.done == content.length, sourceLocation: location)
    manifest.url = server.url(path)
    try folder.write(manifest.text, to: stored, mode: 0o600)
    return manifest
  }

  private var sameSettings: ScriptedServer.Settings { .init() }
}
