import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

/// What is written, what the ledger says of it, and what a manifest claims of that.
@Suite struct PartWriterTests {
  private static let unit = 1 << 20

  private let temporary: TemporaryFolder
  private let writer: PartWriter

  init() throws {
    temporary = try TemporaryFolder()
    let part = try #require(try PartFile.open(in: try Folder.open(temporary.path), name: "file", creating: true))
    let ledger = SegmentLedger(length: Int64(16 * Self.unit), combine: CRC32.combine)
    writer = PartWriter(part: part, ledger: ledger)
  }

  private static func bytes(_ count: Int, seed: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 151 &+ $0 / 251) }
  }

  private func write(_ bytes: [UInt8], at offset: Int, _ piece: inout PartWriter.OpenPiece) throws {
    try bytes.withUnsafeBytes { try writer.write($0, at: Int64(offset), &piece) }
  }

  /// Bytes count from when they are written, not from when they are committed, and then once.
  @Test func countsWhatIsHere() throws {
    var (first, second) = (PartWriter.OpenPiece(), PartWriter.OpenPiece())
    try write(Self.bytes(1000, seed: 0), at: 0, &first)
    try write(Self.bytes(500, seed: 1), at: 5000, &second)
    #expect(writer.done == 1500 && writer.ledger.done == 0)
    try write(Self.bytes(Self.unit, seed: 2), at: 1000, &first)
    #expect(writer.done == Int64(1500 + Self.unit) && writer.ledger.done == Int64(Self.unit))
    // The second was written over: its bytes are the first's now.
    writer.commit(&second)
    writer.commit(&first)
    #expect(writer.done == writer.ledger.done)
    writer.commit(&first)
    #expect(writer.done == writer.ledger.done)
    _ = writer.forget(ByteRange(0, Int64(16 * Self.unit)))
    #expect(writer.done == 0)
  }

  /// Segments joined across blocks have the checksum of all their bytes.
  @Test func joinedClaimsAreTrue() throws {
    let bytes = Self.bytes(6 * Self.unit + 777, seed: 3)
    var piece = PartWriter.OpenPiece()
    for start in stride(from: 0, to: bytes.count, by: 100_000) {
      try write(Array(bytes[start..<min(bytes.count, start + 100_000)]), at: start, &piece)
    }
    writer.commit(&piece)
    #expect(writer.ledger.segments.count == 7)
    for most in 1...7 {
      let claims = writer.ledger.claims(atMost: most)
      #expect(claims.count <= most && claims.reduce(0) { $0 + $1.range.count } == Int64(bytes.count))
      for claim in claims {
        let range = Int(claim.range.start)..<Int(claim.range.end)
        let crc = bytes.withUnsafeBytes { CRC32.update(0, UnsafeRawBufferPointer(rebasing: $0[range])) }
        #expect(claim.crc32 == crc)
      }
    }
  }
}
