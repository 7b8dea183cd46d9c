import DownloadCore
import FaultCatalogue
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// The manifest on disk: what is written can be read, and whatever is read does no harm.
@Suite struct ManifestFileTests {
  private let temporary: TemporaryFolder
  private let folder: Folder
  private let file: ManifestFile

  init() throws {
    temporary = try TemporaryFolder()
    folder = try Folder.open(temporary.path)
    file = ManifestFile(folder: folder, name: "file")
  }

  private var manifest: Manifest {
    var manifest = Manifest(url: "https://host/path/file?a=b")
    manifest.length = 5_000_000
    manifest.etag = "\"x\""
    manifest.lastModified = "Wed, 01 Jan 2025 00:00:00 GMT"
    manifest.segments = [
      Manifest.StoredSegment(Segment(ByteRange(0, 1_048_576), crc32: 0xabcd)),
      Manifest.StoredSegment(Segment(ByteRange(2_000_000, 2_097_152), crc32: .max)),
    ]
    manifest.digests = ["md5": String(repeating: "a", count: 32)]
    manifest.part = Manifest.PartIdentity(device: .max, inode: 5, modified: "1700000000.000000001")
    manifest.boot = "b"
    return manifest
  }

  private func save(_ manifest: Manifest) throws {
    try file.save(manifest, ticket: file.ticket(), synced: true)
  }

  private func loaded() throws -> Manifest? {
    guard case .success(let manifest)? = try file.load() else { return nil }
    return manifest
  }

  @Test func readsWhatItWrote() throws {
    #expect(try file.load() == nil)
    try save(manifest)
    #expect(try loaded() == manifest)
    #expect(try temporary.names() == ["file.part.json"])
    #expect(try temporary.mode("file.part.json") == 0o600)
    try file.remove()
    #expect(try temporary.names().isEmpty)
  }

  @Test(.row("L27")) func countsAsNoneWhereverItIsCutOff() throws {
    try save(manifest)
    let bytes = try temporary.bytes("file.part.json")
    // Without the line's end it is whole.
    for count in 0..<bytes.count - 1 {
      try temporary.write(.bytes(Array(bytes[..<count])), to: "file.part.json")
      #expect(try loaded() == nil, "cut after \(count) bytes")
    }
  }

  /// Damage may go unnoticed where the text stays a manifest; what is accepted then keeps every rule.
  @Test(.row("L27", "L29")) func neverBreaksARuleWhateverIsInIt() throws {
    try save(manifest)
    let bytes = try temporary.bytes("file.part.json")
    var chance = SplitMix64(state: 27)
    for _ in 0..<1000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &chance) {
        let index = damaged.indices.randomElement(using: &chance) ?? 0
        switch Int.random(in: 0..<4, using: &chance) {
        case 0: damaged[index] = .random(in: 0...255, using: &chance)
        case 1: damaged.remove(at: index)
        case 2: damaged.insert(UInt8(ascii: "9"), at: index)
        default: damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &chance)
        }
      }
      try temporary.write(.bytes(damaged), to: "file.part.json")
      do {
        guard let manifest = try loaded() else { continue }
        try manifest.validate()
        let ledger = manifest.ledger(combine: CRC32.combine)
        #expect(ledger.done <= manifest.length ?? 0)
      } catch let error as DownloadError {
        #expect(error.failure == .manifestUnusable)
      }
    }
  }

  @Test(.row("L28")) func refusesAnotherVersion() throws {
    var other = manifest
    other.version = 2
    try save(other)
    #expect(throws: DownloadError.self) { try file.load() }
  }

  @Test func aSaveThatWasOvertakenDoesNothing() throws {
    let (first, second) = (file.ticket(), file.ticket())
    var newer = manifest
    newer.boot = "newer"
    try file.save(newer, ticket: second, synced: false)
    try file.save(manifest, ticket: first, synced: true)
    #expect(try loaded() == newer)
    try file.remove()
    try file.save(newer, ticket: second, synced: false)
    #expect(try temporary.names().isEmpty, "a save came after the removal")
  }

  @Test func removesALeftOverOfASave() throws {
    try temporary.write("half", to: "file.part.json.new")
    try save(manifest)
    #expect(try temporary.names() == ["file.part.json"])
  }

  @Test(.row("L32"), arguments: ["file.part.json", "file.part.json.new"]) func writesThroughNoLink(name: String) throws
  {
    try temporary.write("of somebody else", to: "victim")
    try temporary.link(name, to: temporary.path("victim"))
    if name == "file.part.json" { #expect(throws: DownloadError.self) { try file.check() } }
    try? save(manifest)
    #expect(try temporary.text("victim") == "of somebody else")
  }

  @Test func leavesNothingOfASaveThatFails() throws {
    // A folder cannot be replaced by a file.
    try temporary.makeFolder("file.part.json")
    #expect(throws: DownloadError.self) { try save(manifest) }
    #expect(try temporary.names() == ["file.part.json"])
  }

  @Test func staysSmallAtAnyLength() throws {
    for length in [Int64(5) << 30, 1 << 40, Manifest.mostLength] {
      var ledger = SegmentLedger(length: length, combine: CRC32.combine)
      var whole = manifest
      whole.length = length
      let size = SegmentLedger.blockSize(forLength: length)
      for start in stride(from: 0, to: length, by: Int64.Stride(size)) {
        ledger.add(Segment(ByteRange(start, min(length, start + size)), crc32: .max))
      }
      whole.segments = ledger.segments.map(Manifest.StoredSegment.init)
      try save(whole)
      #expect(try temporary.size("file.part.json") < 128 << 10)
      #expect(try loaded() == whole)
    }
  }
}
