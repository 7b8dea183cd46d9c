import DownloadCore
import Testing

/// Manifests of parts of files.
@Suite struct RangeManifestTests {
  private func manifest(_ range: ByteRange?, length: Int64? = 1000, offset: Int64? = nil) -> Manifest {
    var manifest = Manifest(url: "http://host/file")
    manifest.length = length
    manifest.range = range.map { Manifest.StoredRange($0) }
    manifest.offset = offset
    return manifest
  }

  private func isRefused(_ manifest: Manifest) -> Bool { (try? manifest.validate()) == nil }

  @Test func theRules() {
    #expect(!isRefused(manifest(ByteRange(0, 1000))) && !isRefused(manifest(ByteRange(999, 1000), offset: 5)))
    #expect(isRefused(manifest(ByteRange(0, 1001))) && isRefused(manifest(ByteRange(5, 5))))
    #expect(isRefused(manifest(ByteRange(0, 5), length: nil)) && isRefused(manifest(nil, offset: 0)))
    #expect(isRefused(manifest(ByteRange(0, 5), offset: -1)))
    #expect(isRefused(manifest(ByteRange(0, 5), offset: Manifest.mostLength - 4)))
    #expect(!isRefused(manifest(ByteRange(0, 5), offset: Manifest.mostLength - 5)))
    var backwards = manifest(ByteRange(0, 5))
    backwards.range?.start = 5
    backwards.range?.end = 4
    #expect(isRefused(backwards))
    backwards.range?.start = -1
    #expect(isRefused(backwards))
  }

  @Test func segmentsLieInTheRange() {
    for (segment, isRight) in [
      (ByteRange(100, 200), true), (ByteRange(150, 160), true), (ByteRange(99, 200), false),
      (ByteRange(100, 201), false),
    ] {
      var claiming = manifest(ByteRange(100, 200))
      claiming.segments = [Manifest.StoredSegment(Segment(segment, crc32: 1))]
      #expect(isRefused(claiming) != isRight, "\(segment)")
      #expect(claiming.isComplete == (segment == ByteRange(100, 200)))
    }
  }

  @Test func whereItLies() {
    #expect(manifest(nil).wanted == ByteRange(0, 1000) && manifest(nil, length: nil).wanted == nil)
    #expect(manifest(nil).base == 0 && manifest(ByteRange(100, 200)).base == 100)
    #expect(manifest(ByteRange(100, 200), offset: 700).base == -600)
    #expect(manifest(ByteRange(100, 200), offset: 7).holding == "bytes 100-199 at offset 7")
    #expect(manifest(nil).holding == "the whole file" && !manifest(nil, length: nil).isComplete)
  }
}
