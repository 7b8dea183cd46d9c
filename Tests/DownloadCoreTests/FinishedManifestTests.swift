import DownloadCore
import Testing

/// Whether a file that has the final name already is the part that a manifest knows.
@Suite struct FinishedManifestTests {
  private let identity = Manifest.PartIdentity(device: 1, inode: 2, modified: "1700000000.000000005")
  /// `Wed, 01 Jan 2025 00:00:00 GMT`.
  private let given: Int64 = 1_735_689_600

  private var manifest: Manifest {
    var manifest = Manifest(url: "http://host/file")
    manifest.length = 100
    manifest.lastModified = "Wed, 01 Jan 2025 00:00:00 GMT"
    manifest.segments = [
      Manifest.StoredSegment(Segment(ByteRange(0, 60), crc32: 1)),
      Manifest.StoredSegment(Segment(ByteRange(60, 100), crc32: 2)),
    ]
    manifest.part = identity
    return manifest
  }

  private func describes(
    _ manifest: Manifest, _ change: (inout Manifest.PartIdentity) -> Void = { _ in }, length: Int64 = 100,
    modified: Int64 = 1_700_000_000
  ) -> Bool {
    var file = identity
    change(&file)
    return manifest.describes(finished: file, length: length, modified: modified)
  }

  @Test func itIsAsItWas() {
    #expect(describes(manifest))
  }

  @Test func itHasTheTimeThatItWasGiven() {
    #expect(describes(manifest, { $0.modified = "1735689600.000000000" }, modified: given))
    #expect(!describes(manifest, { $0.modified = "1735689601.000000000" }, modified: given + 1))
    var timeless = manifest
    timeless.lastModified = nil
    #expect(!describes(timeless, { $0.modified = "1735689600.000000000" }, modified: given))
  }

  @Test func itIsAnotherFile() {
    #expect(!describes(manifest, { $0.inode = 3 }))
    #expect(!describes(manifest, { $0.device = 3 }))
    #expect(!describes(manifest, length: 99))
    var unknown = manifest
    unknown.part = nil
    #expect(!describes(unknown))
  }

  @Test func itWasNotComplete() {
    var incomplete = manifest
    incomplete.segments.removeLast()
    #expect(!describes(incomplete))
    #expect(!describes(Manifest(url: "http://host/file"), length: 0))
  }

  @Test func onlyOldDigestsCanBeForged() {
    let weak = DigestAlgorithm.allCases.filter { !$0.resistsAttacks }
    #expect(weak == [.md5, .sha1])
  }

  @Test func aChecksumHasNoSign() {
    var segment = manifest.segments[0]
    segment.crc32 = "+1234567"
    #expect(segment.checksum == nil)
    segment.crc32 = "01234567"
    #expect(segment.checksum == 0x0123_4567)
  }
}
