import DownloadCore
import FoundationEssentials
import Testing

/// The manifest's size, for any length of the file, any pattern of what is here, and texts as long as they may be.
@Suite struct ManifestSizeTests {
  private static let lengths: [Int64] = [1 << 20, 1 << 30, 5_770_313_728, 1 << 40, 1 << 40 + 1, Manifest.mostLength]

  /// All but the segments, each text at its limit.
  private static func largest(_ length: Int64) -> Manifest {
    var manifest = Manifest(url: "https://host/" + String(repeating: "u", count: 1 << 16 - 13))
    manifest.urlIncomplete = false
    manifest.length = length
    manifest.etag = String(repeating: "\"", count: 1024)
    manifest.lastModified = String(repeating: "\\", count: 1024)
    manifest.boot = String(repeating: "b", count: 1024)
    manifest.part = Manifest.PartIdentity(device: .max, inode: .max, modified: String(repeating: "9", count: 1024))
    let digests = DigestAlgorithm.allCases.map { Digest($0, hex: String(repeating: "a", count: 2 * $0.length)) }
    manifest.digests = Manifest.write(digests)
    manifest.computed = Manifest.write(digests)
    manifest.announced = Manifest.write(digests)
    manifest.announcedPart = Manifest.StoredRange(ByteRange(Manifest.mostLength - 1, Manifest.mostLength))
    return manifest
  }

  private static func ledger(_ length: Int64, _ ranges: [ByteRange]) -> SegmentLedger {
    var ledger = SegmentLedger(length: length, combine: { first, _, _ in first })
    for range in ranges { ledger.add(Segment(range, crc32: .max)) }
    return ledger
  }

  /// As the engine writes it.
  private static func size(_ manifest: Manifest) throws -> Int {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(manifest).count + 1
  }

  private static func pieces(_ length: Int64, count: Int64, of share: Int64) -> [ByteRange] {
    let step = length / count
    return (0..<count).map { ByteRange($0 * step, $0 * step + max(1, step / share)) }
  }

  /// The blocks of a whole file: every byte is claimed.
  @Test(arguments: lengths) func aWholeFileIsClaimed(_ length: Int64) throws {
    let size = SegmentLedger.blockSize(forLength: length)
    let blocks = (0...(length - 1) / size).map { ByteRange($0 * size, min(length, ($0 + 1) * size)) }
    var manifest = Self.largest(length)
    manifest.claim(Self.ledger(length, blocks))
    try manifest.validate()
    #expect(try Self.size(manifest) < 128 << 10)
    #expect(manifest.segments.reduce(0) { $0 + $1.end - $1.start } == length)
  }

  /// Holes everywhere, far more than there is room for: what is claimed is here, and there is much of it.
  @Test(arguments: lengths) func holesAreBounded(_ length: Int64) throws {
    for (count, share) in [(1500, 2), (20_000, 2), (20_000, 50)] as [(Int64, Int64)] {
      let ledger = Self.ledger(length, Self.pieces(length, count: count, of: share))
      var manifest = Self.largest(length)
      manifest.claim(ledger)
      try manifest.validate()
      #expect(try Self.size(manifest) < 128 << 10)
      #expect(manifest.segments.count >= 700)
      let claimed = manifest.ledger(combine: { first, _, _ in first }).covered
      #expect(claimed.ranges.allSatisfy { ledger.covered.gaps(in: $0).isEmpty })
    }
  }

  /// With texts as they are, each block has its own checksum.
  @Test(arguments: lengths) func nothingIsJoinedForAnOrdinaryAddress(_ length: Int64) throws {
    let size = SegmentLedger.blockSize(forLength: length)
    let blocks = (0...(length - 1) / size).map { ByteRange($0 * size, min(length, ($0 + 1) * size)) }
    var manifest = Manifest(url: "https://host/" + String(repeating: "long/", count: 400))
    manifest.length = length
    let ledger = Self.ledger(length, blocks)
    manifest.claim(ledger)
    #expect(manifest.segments.count == ledger.segments.count && manifest.segments.count == blocks.count)
    #expect(try Self.size(manifest) < 128 << 10)
  }

  /// Even an address that leaves no room.
  @Test func someIsAlwaysClaimed() throws {
    var manifest = Manifest(url: String(repeating: "\"", count: 1 << 16))
    manifest.length = 1 << 40
    manifest.claim(Self.ledger(1 << 40, Self.pieces(1 << 40, count: 1000, of: 2)))
    try manifest.validate()
    #expect(manifest.segments.count == 256)
  }
}
