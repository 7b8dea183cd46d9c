import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `--range`: a file of exactly these bytes.
@Suite(.waiting) struct PartRangeTests {
  private static let length: Int64 = 20_000_001

  @Test(arguments: [
    ("0-0", 0..<1), ("1000-9999999", 1000..<10_000_000), ("15000000-", 15_000_000..<length), ("0-", 0..<length),
    ("-100", length - 100..<length), ("20000000-20000000", length - 1..<length), ("-20000001", 0..<length),
  ]) func theBytes(range: String, expected: Range<Int64>) throws {
    let trial = try Trial.parts()
    let result = try trial.run("--range=\(range)")
    trial.expect(result, code: 0, says: "saved file.bin")
    try trial.expect("file.bin", is: expected)
    #expect(trial.names == ["file.bin"])
    for asked in trial.ranges() { #expect(expected.contains(asked.lowerBound), "\(asked)") }
    // A part that is fetched again cannot be told by its length alone.
    let again = try trial.run("--range=\(range)")
    trial.expect(again, code: 10, says: "--force")
  }

  /// What the early requests ask for lies in the range, also where HEAD is late.
  @Test func nothingOutsideIsAskedFor() throws {
    let content = Content.pattern(length: Self.length)
    let trial = try Trial.lateHead(content) { _ in .file(content) }
    trial.expect(try trial.run("--range", "5000000-6999999", "-n", "8"), code: 0)
    try trial.expect("file.bin", is: 5_000_000..<7_000_000)
    for asked in trial.ranges() { #expect((5_000_000..<7_000_000).contains(asked.lowerBound), "\(asked)") }
    #expect(!trial.gets.isEmpty)
  }

  @Test(arguments: ["5-3", "x", "-", "", "1k-2k", "-0", "1-2-3", "+1-2", "0x1-5", " 1-2", "99999999999999999999-"])
  func wrongWords(range: String) throws {
    let trial = try Trial.parts()
    trial.expect(try trial.run("--range=\(range)"), code: 2, says: "--range")
    #expect(trial.server.log.connections == 0 && trial.names.isEmpty)
  }

  @Test(arguments: ["0-20000001", "20000001-", "-20000002", "30000000-40000000"])
  func outsideTheFile(range: String) throws {
    let trial = try Trial.parts()
    trial.expect(try trial.run("--range=\(range)"), code: 4, says: "20000001 bytes")
    #expect(trial.names.isEmpty)
  }

  @Test func anEmptyFileHasNoPart() throws {
    let content = Content.bytes([])
    let trial = try Trial(content, .file(content))
    trial.expect(try trial.run("--range", "0-0"), code: 4, says: "it is empty")
    #expect(trial.names.isEmpty)
  }

  /// What comes of the whole file beside the range is dropped unwritten.
  @Test(arguments: [false, true]) func aServerWithoutRanges(saysSo: Bool) throws {
    let trial = try Trial.parts {
      $0.honoursRange = false
      $0.acceptRanges = saysSo ? "none" : nil
    }
    trial.expect(try trial.run("--range", "3000000-4999999"), code: 0, says: "1 connection")
    try trial.expect("file.bin", is: 3_000_000..<5_000_000)
    #expect(trial.names == ["file.bin"])
  }

  @Test func aServerWithoutLength() throws {
    let trial = try Trial.parts {
      $0.honoursRange = false
      $0.isChunked = true
      $0.headLength = .missing
    }
    trial.expect(try trial.run("--range", "0-99"), code: 4, says: "does not tell the file's length")
    #expect(trial.names.isEmpty)
  }

  /// The digest is that of the part; what the server announces of the whole is not compared.
  @Test func digestsAreThoseOfThePart() throws {
    let trial = try Trial.parts {
      $0.headers = ["Repr-Digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"]
    }
    let range: Range<Int64> = 1_000_000..<4_000_000
    let digest = try DigestTests.digest("sha256", of: .bytes(trial.content.bytes(in: range)))
    trial.expect(try trial.run("--range", "1000000-3999999", "--sha256", digest), code: 0, says: "sha256 verified")
    try trial.expect("file.bin", is: range)
    // It is proved to be complete, and nobody is asked.
    let count = trial.server.log.entries.count
    let again = try trial.run("--range", "1000000-3999999", "--sha256", digest)
    trial.expect(again, code: 0, says: "already complete")
    #expect(trial.server.settledLog().entries.count == count)
    let wrong = try trial.run("--range", "1000000-3999999", "-o", "b", "--sha256", String(digest.reversed()))
    trial.expect(wrong, code: 5, says: digest)
    #expect(trial.names == ["b.part", "b.part.json", "file.bin"])
  }

  @Test func aListOfDigestsIsOfWholeFiles() throws {
    let trial = try Trial.parts()
    let result = try trial.run("--range", "0-9", "--checksum-file", trial.server.url("/SUMS"))
    trial.expect(result, code: 2, says: "--sha256")
    trial.expect(try trial.run("--range", "0-9", "--metalink"), code: 2, says: "--mirror")
    #expect(trial.server.log.connections == 0)
  }

  /// An interrupted part is gone on with by the same command, or by its name; another range is left alone.
  @Test(arguments: [false, true]) func resumes(byName: Bool) throws {
    let content = Content.pattern(length: Self.length)
    let trial = try Trial(content, .file(content) { $0.stallAfter = 600_000 })
    let words = ["--range", "4000000-15999999"]
    let command = try trial.command(words + ["--stall-timeout", "30", "--give-up-after", "30"]).start()
    #expect(try trial.waitForManifest { $0.done >= 1_500_000 })
    command.signal(SIGKILL)
    _ = try command.result()
    let kept = try #require(try trial.manifest()).segments
    trial.heal()
    trial.expect(try trial.run("--range", "0-15999999"), code: 11, says: "bytes 4000000-15999999")
    trial.expect(try trial.run(), code: 11, says: "the whole file is wanted")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
    let count = trial.server.settledLog().entries.count
    let result = try byName ? trial.swoop("resume", "file.bin.part") : trial.command(words).run()
    trial.expect(result, code: 0, says: "resumed from")
    try trial.expect("file.bin", is: 4_000_000..<16_000_000)
    for asked in trial.asked(since: count) {
      #expect(!kept.contains { $0.range.overlaps(asked) }, "\(asked) was here already")
    }
  }

  @Test func statusSaysWhichPart() throws {
    let content = Content.pattern(length: Self.length)
    let trial = try Trial(content, .file(content) { $0.stallAfter = 600_000 })
    let command = try trial.command(["--range", "4000000-15999999", "--stall-timeout", "30"]).start()
    #expect(try trial.waitForManifest { $0.done >= 600_000 })
    command.signal(SIGINT)
    _ = try command.result()
    let status = try trial.swoop("status", "file.bin.part")
    #expect(status.output.contains("  range    4000000-15999999\n"), "\(status.output)")
    #expect(status.output.contains("of 12000000 bytes"), "\(status.output)")
    let json = try ParsedJSON(parsing: trial.swoop("status", "--json", "file.bin.part").output)
    #expect(json["range"].string == "4000000-15999999" && json["total"].integer == 12_000_000)
  }

  /// Never are bytes of two versions in one part.
  @Test func theFileChanges() throws {
    let (old, new) = (Content.pattern(length: Self.length), Content.pattern(length: Self.length, seed: 2))
    let trial = try Trial(new, .file(old) { $0.stallAfter = 600_000 })
    let words = ["--range", "4000000-15999999"]
    let command = try trial.command(words + ["--stall-timeout", "30"]).start()
    #expect(try trial.waitForManifest { $0.done >= 600_000 })
    command.signal(SIGINT)
    _ = try command.result()
    trial.heal()
    trial.expect(try trial.command(words).run(), code: 0, says: "another version")
    try trial.expect("file.bin", is: 4_000_000..<16_000_000)
  }

  /// Another source gives its share of the part, and nothing else is kept of it.
  @Test func severalSources() throws {
    let content = Content.pattern(length: Self.length)
    let (first, second) = try (Trial.parts { $0.rate = 2_000_000 }, ScriptedServer(.file(content)))
    let result = try first.run("--range", "3000000-14999999", "--mirror", second.url("/copy.bin"))
    first.expect(result, code: 0)
    try first.expect("file.bin", is: 3_000_000..<15_000_000)
    #expect(second.settledLog().bodyBytesSent > 0)
  }

  @Test func maximumSizeIsThatOfThePart() throws {
    let trial = try Trial.parts()
    trial.expect(try trial.run("--range", "19000000-19999999", "--max-size", "1M"), code: 0)
    try trial.expect("file.bin", is: 19_000_000..<20_000_000)
    let refused = try trial.run("--range", "0-9999999", "--max-size", "1M", "-o", "b")
    trial.expect(refused, code: 7, says: "--max-size")
  }

  @Test func aRehearsal() throws {
    let trial = try Trial.parts()
    let result = try trial.run("--range", "5000000-5999999", "--dry-run")
    trial.expect(result, code: 0)
    #expect(result.output.contains("(1000000 bytes)"), "\(result.output)")
    #expect(trial.names.isEmpty)
  }
}
