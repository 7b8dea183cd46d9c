import DownloadCore
import FaultCatalogue
import FoundationEssentials
import Testing

@Suite struct ManifestTests {
  private static let sha256 = String(repeating: "0a", count: 32)

  private static var manifest: Manifest {
    var manifest = Manifest(url: "https://host/path/file.iso")
    manifest.length = 5_770_313_728
    manifest.etag = "\"5f3c-1a2b\""
    manifest.lastModified = "Tue, 03 Jan 2023 10:00:00 GMT"
    manifest.segments = [
      stored(0, 8_388_608, "9b0c3ae1"), stored(8_388_608, 16_777_216, "00417fa2"), stored(20_000_000, 20_000_001, "0"),
    ]
    manifest.segments[2].crc32 = "FFFFFFFF"
    manifest.digests = ["sha256": sha256]
    manifest.announced = ["sha256": sha256]
    manifest.announcedPart = Manifest.StoredRange(ByteRange(0, 8_388_608))
    manifest.computed = ["md5": String(repeating: "f", count: 32)]
    manifest.part = Manifest.PartIdentity(device: 65024, inode: .max, modified: "1700000000.123456789")
    manifest.boot = "3f1c0000-0000-0000-0000-000000000000"
    return manifest
  }

  private static func stored(_ start: Int64, _ end: Int64, _ crc: String = "00000000") -> Manifest.StoredSegment {
    var segment = Manifest.StoredSegment(Segment(ByteRange(0, 1), crc32: 0))
    (segment.start, segment.end, segment.crc32) = (start, end, crc)
    return segment
  }

  /// As the engine writes it, or shorter.
  private static func encoded(_ manifest: Manifest) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(manifest))
  }

  private static func decoded(_ bytes: some Sequence<UInt8>) throws -> Manifest {
    try JSONDecoder().decode(Manifest.self, from: Data(bytes))
  }

  private func problem(_ manifest: Manifest) -> ManifestProblem? {
    do throws(ManifestProblem) {
      try manifest.validate()
      return nil
    } catch { return error }
  }

  private func problem(_ change: (inout Manifest) -> Void) -> ManifestProblem? {
    var manifest = Self.manifest
    change(&manifest)
    return problem(manifest)
  }

  @Test func comesBackAsItWas() throws {
    #expect(problem(Self.manifest) == nil)
    let back = try Self.decoded(Self.encoded(Self.manifest))
    #expect(back == Self.manifest)
    #expect(back.demandedDigests == [Digest(.sha256, hex: Self.sha256)])
    #expect(back.computedDigests.map(\.algorithm) == [.md5])
    #expect(back.announcedDigests == back.demandedDigests && back.digestsToCompare == back.demandedDigests)
    #expect(back.announcedPart?.range == ByteRange(0, 8_388_608))
    #expect(back.validator.length == 5_770_313_728 && back.validator.isStrong)
    #expect(Manifest.write(back.demandedDigests) == back.digests)
    var bare = Manifest(url: "http://host/")
    #expect(try Self.decoded(Self.encoded(bare)) == bare && problem(bare) == nil)
    bare.urlIncomplete = true
    #expect(try Self.decoded(Self.encoded(bare)).urlIncomplete == true)
  }

  @Test func aNewDigestIsOfNoKnownPart() {
    var manifest = Self.manifest
    manifest.announced = ["md5": String(repeating: "f", count: 32)]
    #expect(manifest.announcedPart == nil)
  }

  @Test(
    arguments: [
      [stored(-1, 5)], [stored(5, 5)], [stored(6, 5)], [stored(0, 101)], [stored(100, 101)], [stored(0, .max)],
      [stored(.min, .max)], [stored(.max, .min)], [stored(0, 10), stored(9, 20)], [stored(10, 20), stored(0, 5)],
      [stored(0, 10), stored(0, 10)], [stored(0, 5, "1234567")], [stored(0, 5, "123456789")], [stored(0, 5, "")],
      [stored(0, 5, "+1234567")], [stored(0, 5, "-0000000")], [stored(0, 5, "0x123456")], [stored(0, 5, "1234567g")],
      [stored(0, 5, "é123456")], [stored(0, 5, " 1234567")],
    ])
  func refusesSegments(_ segments: [Manifest.StoredSegment]) {
    let found = problem {
      $0.length = 100
      $0.segments = segments
    }
    guard case .malformed = found else {
      Issue.record("\(segments) passed")
      return
    }
  }

  @Test func acceptsSegmentsThatTouchAndEndTheFile() {
    let found = problem {
      $0.length = 100
      $0.segments = [Self.stored(0, 10, "abcdefAB"), Self.stored(10, 100)]
    }
    #expect(found == nil)
  }

  @Test(.row("L29"), arguments: [-1, .min, Manifest.mostLength + 1, .max] as [Int64])
  func refusesLengths(_ length: Int64) {
    #expect(problem { $0.length = length } == .malformed("a length that no file has"))
  }

  @Test(.row("L29")) func refusesWhatElseIsWrong() {
    #expect(problem { $0.version = 2 } == .version(2))
    #expect(problem { $0.version = 0 } == .version(0))
    #expect(problem { $0.length = nil } == .malformed("segments of a file without a length"))
    #expect(problem { $0.length = 0 } != nil)
    #expect(problem { $0.digests = ["sha257": Self.sha256] } == .malformed("a digest that is none"))
    #expect(problem { $0.digests = ["sha256": "12"] } == .malformed("a digest that is none"))
    #expect(problem { $0.computed = ["md5": String(repeating: "g", count: 32)] } != nil)
    #expect(problem { $0.digests = ["sha256": Self.sha256 + "  file"] } == .malformed("a digest that is none"))
    #expect(problem { $0.announced = ["sha256": "12"] } == .malformed("a digest that is none"))
    #expect(problem { $0.announced = ["sha256": Self.sha256] } == nil)
    for (start, end) in [(-1, 1), (5, 5), (6, 5), (0, Manifest.mostLength + 1)] as [(Int64, Int64)] {
      let found = problem {
        $0.announcedPart?.start = start
        $0.announcedPart?.end = end
      }
      #expect(found == .malformed("a range that no file has"))
    }
    #expect(problem { $0.etag = String(repeating: "e", count: 1025) } == .malformed("a text too long"))
    #expect(problem { $0.lastModified = String(repeating: "e", count: 1025) } == .malformed("a text too long"))
    #expect(problem { $0.boot = String(repeating: "e", count: 1025) } == .malformed("a text too long"))
    #expect(problem { $0.url = String(repeating: "u", count: 1 << 16 + 1) } == .malformed("a text too long"))
    let many = problem {
      $0.length = 1 << 40
      $0.segments = (0...(1 << 14)).map { Self.stored($0 * 2, $0 * 2 + 1) }
    }
    #expect(many == .malformed("too many segments"))
  }

  @Test func becomesALedger() {
    var manifest = Self.manifest
    let ledger = manifest.ledger(combine: slowCombine)
    #expect(ledger.segments.map { Manifest.StoredSegment($0).start } == [0, 8_388_608, 20_000_000])
    #expect(ledger.segments.map(\.crc32) == [0x9b0c_3ae1, 0x0041_7fa2, .max] && ledger.done == 16_777_217)
    // Across a block's border, as no run of ours would leave it.
    manifest.segments = [Self.stored(8_388_607, 8_388_609), Self.stored(9_000_000, 9_000_001)]
    #expect(problem(manifest) == nil && manifest.ledger(combine: slowCombine).done == 3)
    manifest.length = Manifest.mostLength
    manifest.segments = [Self.stored(Manifest.mostLength - 1, Manifest.mostLength)]
    #expect(problem(manifest) == nil && manifest.ledger(combine: slowCombine).done == 1)
  }

  @Test func writesEightDigits() {
    for (crc, text) in [(0, "00000000"), (0x41_7fa2, "00417fa2"), (.max, "ffffffff")] as [(UInt32, String)] {
      let stored = Manifest.StoredSegment(Segment(ByteRange(0, 1), crc32: crc))
      #expect(stored.crc32 == text && stored.checksum == crc)
    }
  }
}

/// L27 and L29: what a manifest may be when somebody or something has been at it.
@Suite struct HostileManifestTests {
  private static let valid = """
    {"boot":"3f1c","computed":{},"digests":{"md5":"0123456789abcdef0123456789abcdef"},"etag":"\\"5f\\"",\
    "length":16777216,"part":{"device":1,"inode":2,"modified":"1.5"},"segments":[{"crc32":"9b0c3ae1","end":8388608,\
    "start":0},{"crc32":"00417fa2","end":16777216,"start":8388608}],"url":"https://host/f","version":1}
    """

  /// Nil where it counts as if there were none.
  private func read(_ bytes: some Sequence<UInt8>) -> Manifest? {
    guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(bytes)) else { return nil }
    return (try? manifest.validate()) == nil ? nil : manifest
  }

  /// What is believed keeps every rule, and makes a ledger.
  private func checkIfBelieved(_ bytes: some Sequence<UInt8>) {
    guard let manifest = read(bytes) else { return }
    let ledger = manifest.ledger(combine: { $0 ^ $1 ^ UInt32(truncatingIfNeeded: $2) })
    #expect(ledger.done <= manifest.length ?? 0)
    #expect(ledger.covered.ranges.allSatisfy { $0.start >= 0 && $0.end <= manifest.length ?? 0 })
  }

  @Test(.row("L27")) func everyTruncationIsAsNone() {
    let bytes = Array(Self.valid.utf8)
    #expect(read(bytes)?.segments.count == 2)
    for count in 0..<bytes.count { #expect(read(bytes.prefix(count)) == nil) }
  }

  @Test(.row("L27")) func mutationsNeverCrash() {
    var random = SeededGenerator(seed: 27)
    for _ in 0..<1000 {
      checkIfBelieved(random.mutation(of: Self.valid))
      checkIfBelieved(random.bytes(upTo: 400))
      checkIfBelieved(Array(repeating: 0, count: Int.random(in: 0...400, using: &random)))
    }
  }

  /// Numbers changed to the worst there are.
  @Test(
    arguments: [
      "-1", "0", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e400", "-9223372036854775808",
      "NaN", "Infinity", "1.5", "null", "\"5\"", "[]", "1e18", "1152921504606846977",
    ])
  func numbersAreChecked(_ number: String) {
    for field in ["length", "end", "start", "version", "device"] {
      for old in ["16777216", "8388608", "0", "1"] {
        let text = Self.valid.split(separator: "\"\(field)\":\(old)", omittingEmptySubsequences: false)
        checkIfBelieved(text.joined(separator: "\"\(field)\":\(number)").utf8)
      }
    }
    #expect(read(Self.valid.replacing("\"end\":16777216", with: "\"end\":\(number)").utf8) == nil)
  }

  @Test(.row("L29")) func depthAndNumberAreBounded() {
    checkIfBelieved(Array(repeating: UInt8(ascii: "["), count: 10_000))
    checkIfBelieved(String(repeating: "{\"segments\":[", count: 10_000).utf8)
    let segment = "{\"crc32\":\"00000000\",\"end\":1,\"start\":0},"
    let many = Self.valid.replacing("\"segments\":[", with: "\"segments\":[" + String(repeating: segment, count: 2000))
    #expect(read(many.utf8) == nil)
    let twice = Self.valid.replacing("\"length\":16777216", with: "\"length\":16777216,\"length\":5")
    checkIfBelieved(twice.utf8)
  }

  /// The most segments that pass, all in one block.
  @Test(.row("L29"), .timeLimit(.minutes(1))) func theLargestIsReadInTime() throws {
    var manifest = Manifest(url: "http://host/")
    manifest.length = 1 << 20
    manifest.segments = (0..<1 << 14).map { .init(Segment(ByteRange($0 * 8, $0 * 8 + 4), crc32: 0)) }
    try manifest.validate()
    #expect(manifest.ledger(combine: { first, _, _ in first }).done == 4 << 14)
  }
}
