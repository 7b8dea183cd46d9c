import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `swoop join`: the whole file from its parts, or one line about why not, and nothing changed.
@Suite(.waiting) struct JoinTests {
  private static let length: Int64 = 20_000_001
  private static let ranges = ["0-6999999", "7000000-13999999", "14000000-20000000"]
  private static let names = ["a", "b", "c"]

  /// Three parts with their manifests, and what they hold.
  private static func parts() throws -> (trial: Trial, files: [String: [UInt8]]) {
    let trial = try Trial.parts()
    for (range, name) in zip(ranges, names) { try trial.fetchPart(range, as: name) }
    return (trial, try snapshot(trial))
  }

  private static func snapshot(_ trial: Trial) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in trial.names { files[name] = try trial.folder.bytes(trial.placed(name)) }
    return files
  }

  /// The run was refused, and nothing is other than it was.
  private func expectRefused(
    _ trial: Trial, _ words: [String], code: Int32 = 11, says text: String...,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try Self.snapshot(trial)
    let count = trial.server.settledLog().entries.count
    let result = try trial.swoop(["join"] + words).run()
    trial.expect(result, code: code, location: location)
    for text in text { #expect(result.error.contains(text), "\(result.error)", sourceLocation: location) }
    #expect(try Self.snapshot(trial) == before, "\(trial.names)", sourceLocation: location)
    #expect(trial.server.settledLog().entries.count == count, sourceLocation: location)
  }

  @Test(arguments: [["a", "b", "c"], ["c", "a", "b"], ["b.part.json", "c", "a"]]) func inAnyOrder(parts: [String])
    throws
  {
    let (trial, files) = try Self.parts()
    let digest = try trial.sha256()
    let result = try trial.swoop(
      ["join", "--sha256", digest, "--md5", DigestTests.digest("md5", of: trial.content)] + parts
    )
    .run()
    trial.expect(result, code: 0, says: "joined 3 parts to file.bin", "sha256 and md5 verified")
    try trial.expect("file.bin", is: 0..<Self.length)
    var now = try Self.snapshot(trial)
    now["file.bin"] = nil
    #expect(now == files)
    let (time, mode) = try (
      trial.folder.modificationTime(trial.placed("file.bin")), trial.folder.modificationTime(trial.placed("a"))
    )
    #expect(time == mode)
  }

  /// What a shell makes of `p*`, where the parts' manifests are called p, too.
  @Test func aPartAndItsManifestAreOne() throws {
    let trial = try Trial.parts()
    for (range, name) in zip(Self.ranges, ["p1", "p2", "p3"]) { try trial.fetchPart(range, as: name) }
    var glob = trial.swoop(["join", "-o", "all"])
    glob = Machine.shell("set -- \"$@\" p*", glob)
    trial.expect(try glob.run(), code: 0, says: "joined 3 parts to all")
    try trial.expect("all", is: 0..<Self.length)
    trial.folder.remove(trial.placed("all"))
    trial.expect(try trial.swoop("join", "-o", "all", "p1.part.json", "p2", "p3", "p1", "p3.part.json"), code: 0)
    try trial.expect("all", is: 0..<Self.length)
    try expectRefused(trial, ["-o", "w", "p1", "p1", "p2", "p3"], says: "both hold")
  }

  /// The same of a file that was filled in place.
  @Test func aFilledFileAndItsManifestsAreOne() throws {
    let trial = try Trial.parts()
    for range in Self.ranges { try trial.fill(range, of: "disk") }
    trial.expect(try Machine.shell("set -- \"$@\" disk*", trial.swoop(["join"])).run(), code: 0, says: "joined 3 parts")
    #expect(trial.names == ["disk"])
  }

  @Test func theCRCOfTheWhole() throws {
    let (trial, _) = try Self.parts()
    let result = try trial.swoop("join", "--json", "-q", "-o", "whole", "a", "b", "c")
    let json = try ParsedJSON(parsing: result.output)
    #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
    #expect(try json["crc32"].string == trial.content.crc32(of: 0..<Self.length))
    #expect(json["parts"].integer == 3 && json["bytes"].integer == Self.length && json["path"].string == "whole")
  }

  @Test func partsAreRemoved() throws {
    let (trial, _) = try Self.parts()
    let result = try trial.swoop("join", "--remove-parts", "--keep-manifest", "-o", "file.bin", "a", "b", "c")
    trial.expect(result, code: 0)
    #expect(trial.names == ["file.bin", "file.bin.part.json"])
    let manifest = try #require(try trial.manifest())
    try #expect(manifest.firstLie(trial.folder, trial.placed("file.bin"), trial.content) == nil)
    #expect(manifest.done == Self.length)
    // The file is one that a download knows.
    trial.expect(try trial.run(), code: 0, says: "already complete")
  }

  @Test func gaps() throws {
    let (trial, _) = try Self.parts()
    try expectRefused(trial, ["-o", "w", "a", "c"], says: "bytes 7000000-13999999", "--range 7000000-13999999")
    try expectRefused(trial, ["-o", "w", "a", "b"], says: "bytes 14000000-20000000")
    try expectRefused(trial, ["-o", "w", "b", "c"], says: "bytes 0-6999999")
  }

  @Test func overlaps() throws {
    let (trial, _) = try Self.parts()
    try trial.fetchPart("6999990-13999999", as: "d")
    try expectRefused(trial, ["-o", "w", "a", "b", "c", "d"], says: "both hold", "a and d")
    try expectRefused(trial, ["-o", "w", "a", "d", "c"], says: "bytes 6999990-6999999")
    try expectRefused(trial, ["-o", "w", "a", "a", "b", "c"], says: "both hold bytes 0-6999999")
  }

  @Test func aDamagedPart() throws {
    let (trial, _) = try Self.parts()
    try trial.damage("b", at: 3_000_000)
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], code: 5, says: "b is damaged", "bytes 9437184-10485759")
  }

  @Test func wrongLengths() throws {
    let (trial, _) = try Self.parts()
    try trial.folder.truncate(trial.placed("b"), to: 6_999_999)
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], says: "6999999 bytes", "7000000")
    try trial.folder.truncate(trial.placed("b"), to: 7_000_001)
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], says: "7000001 bytes")
  }

  /// The file changed at the server between two parts.
  @Test func anotherVersion() throws {
    let new = Content.pattern(length: Self.length, seed: 2)
    let trial = try Trial(new, .file(.pattern(length: Self.length)))
    try trial.fetchPart(Self.ranges[0], as: "a")
    try trial.fetchPart(Self.ranges[1], as: "b")
    trial.heal()
    try trial.fetchPart(Self.ranges[2], as: "c")
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], says: "another version", "ETag")
  }

  @Test func anotherFile() throws {
    let (trial, _) = try Self.parts()
    let url = trial.server.url("/other.bin")
    let result = try trial.command(["--range", Self.ranges[2], "--keep-manifest", "-o", "d"], url: url).run()
    trial.expect(result, code: 0)
    try expectRefused(trial, ["-o", "w", "a", "b", "d"], says: "another file", "other.bin")
  }

  @Test(arguments: ["", "{}", "nonsense"]) func manifestsThatAreNone(text: String) throws {
    let (trial, _) = try Self.parts()
    try trial.folder.write(text, to: trial.placed("b.part.json"))
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], says: "manifest")
    trial.folder.remove(trial.placed("b.part.json"))
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], says: "no manifest b.part.json")
    try expectRefused(trial, ["-o", "w", "a", "nothing", "c"], says: "no such file")
  }

  @Test func aWrongDigest() throws {
    let (trial, _) = try Self.parts()
    let digest = try trial.sha256()
    let wrong = String(digest.reversed())
    try expectRefused(trial, ["-o", "w", "--sha256", wrong, "a", "b", "c"], code: 5, says: wrong, digest)
  }

  @Test func theFileIsThere() throws {
    let (trial, _) = try Self.parts()
    try trial.folder.write("old", to: trial.placed("w"))
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], code: 10, says: "--force")
    try expectRefused(trial, ["-o", "a", "--force", "a", "b", "c"], code: 10, says: "one of the parts")
    trial.expect(try trial.swoop("join", "--force", "-o", "w", "a", "b", "c"), code: 0)
    try trial.expect("w", is: 0..<Self.length)
  }

  @Test(arguments: [[], [""], ["http://127.0.0.1/file"], ["-o", "w"], ["-o", "-", "a"], ["a", "--range", "0-9"]])
  func wrongWords(words: [String]) throws {
    let trial = try Trial.parts()
    trial.expect(try trial.swoop(["join"] + words).run(), code: 2)
    #expect(trial.names.isEmpty)
  }

  /// A part that was not fetched to its end, and a download of the whole that has got somewhere.
  @Test func whatIsNotComplete() throws {
    let content = Content.pattern(length: Self.length)
    let trial = try Trial(content, .file(content) { $0.stallAfter = 600_000 })
    let command = try trial.command(["--stall-timeout", "30", "-o", "w"]).start()
    #expect(try trial.waitForManifest(trial.placed("w.part.json")) { $0.done >= 600_000 })
    command.signal(SIGINT)
    _ = try command.result()
    trial.heal()
    let says = "it is not complete yet; go on with: swoop resume --keep-manifest w.part"
    for name in ["w.part", "w"] { try expectRefused(trial, ["-o", "x", name], says: says) }
    for (range, name) in zip(Self.ranges, Self.names) { try trial.fetchPart(range, as: name) }
    try expectRefused(trial, ["-o", "w", "a", "b", "c"], says: "w.part is here", "swoop resume")
  }

  /// A kill leaves the parts as they are, and the next run is not held up by what is left.
  @Test func killedInTheMiddle() throws {
    let (trial, files) = try Self.parts()
    let runner = trial.swoop(["join", "-o", "w", "a", "b", "c"])
    for _ in 0..<5 {
      let command = try runner.start()
      _ = try trial.waitForManifest(trial.placed("w.part.json")) { _ in true }
      command.signal(SIGKILL)
      _ = try command.result()
      for (name, bytes) in files { #expect(try trial.folder.bytes(trial.placed(name)) == bytes) }
      guard !trial.names.contains("w") else { break }
    }
    if !trial.names.contains("w") { trial.expect(try runner.run(), code: 0) }
    try trial.expect("w", is: 0..<Self.length)
  }
}

/// The same of a file that was filled in place.
@Suite(.waiting) struct JoinInPlaceTests {
  private static let ranges = ["0-6999999", "7000000-13999999", "14000000-20000000"]

  private static func filled(_ ranges: [String] = ranges) throws -> Trial {
    let trial = try Trial.parts()
    for range in ranges { try trial.fill(range, of: "f") }
    return trial
  }

  @Test func theWhole() throws {
    let trial = try Self.filled()
    let result = try trial.swoop("join", "--keep-manifest", "--sha256", trial.sha256(), "f")
    trial.expect(result, code: 0, says: "joined 3 parts to f", "sha256 verified")
    #expect(trial.names == ["f", "f.part.json"])
    try trial.expect("f", is: 0..<trial.content.length)
    let again = try trial.run("-o", "f")
    trial.expect(again, code: 0, says: "already complete")
  }

  private func expectRefused(
    _ trial: Trial, code: Int32 = 11, _ words: [String] = [], says text: String,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let (names, bytes) = (trial.names, try trial.folder.bytes(trial.placed("f")))
    let result = try trial.swoop(["join", "f"] + words).run()
    trial.expect(result, code: code, says: text, location: location)
    #expect(try trial.names == names && trial.folder.bytes(trial.placed("f")) == bytes, sourceLocation: location)
  }

  @Test func gapsAndOverlaps() throws {
    let trial = try Self.filled([Self.ranges[0], Self.ranges[2]])
    try expectRefused(trial, says: "bytes 7000000-13999999")
    try trial.fill("6999999-13999999", of: "f")
    try expectRefused(trial, says: "both hold bytes 6999999-6999999")
  }

  @Test func damage() throws {
    let trial = try Self.filled()
    try trial.damage("f", at: 8_000_000)
    try expectRefused(trial, code: 5, says: "f is damaged: bytes 7340032-8388607")
    // The part is fetched again, as far as it must be.
    try trial.fill(Self.ranges[1], of: "f")
    trial.expect(try trial.swoop("join", "f"), code: 0)
  }

  @Test func lengths() throws {
    let trial = try Self.filled()
    try trial.folder.truncate(trial.placed("f"), to: trial.content.length + 1)
    try expectRefused(trial, says: "20000002 bytes")
  }

  @Test func outOfPlace() throws {
    let trial = try Self.filled([Self.ranges[0]])
    let words = ["--range", Self.ranges[1], "--output-offset", "7000001", "-o", "f"]
    trial.expect(try trial.command(words).run(), code: 0)
    try expectRefused(trial, says: "not their place")
  }

  @Test func digestsAndNames() throws {
    let trial = try Self.filled()
    try expectRefused(trial, code: 5, ["--md5", String(repeating: "0", count: 32)], says: "md5 of f does not match")
    try expectRefused(trial, code: 2, ["-o", "g"], says: "without -o")
  }
}
