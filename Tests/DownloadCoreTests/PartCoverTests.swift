import DownloadCore
import Testing

/// Which parts together are a file, and why not.
@Suite struct PartCoverTests {
  private func part(
    _ range: ByteRange, of length: Int64 = 100, size: Int64? = nil, named name: String = "p",
    _ change: (inout Manifest) -> Void = { _ in }
  ) -> PartCover.Part {
    var manifest = Manifest(url: "http://host/file")
    manifest.length = length
    manifest.etag = "\"1\""
    manifest.range = Manifest.StoredRange(range)
    manifest.finished = true
    manifest.segments = [Manifest.StoredSegment(Segment(range, crc32: 0))]
    change(&manifest)
    return PartCover.Part(shown: name, manifest: manifest, size: size ?? range.count, index: 0)
  }

  private func failure(_ parts: [PartCover.Part]) -> DownloadError? {
    do throws(DownloadError) {
      _ = try PartCover(parts)
      return nil
    } catch { return error }
  }

  private func expectRefused(_ parts: [PartCover.Part], _ words: String, location: SourceLocation = #_sourceLocation) {
    let failure = failure(parts)
    #expect(failure?.failure == .manifestUnusable, sourceLocation: location)
    #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")", sourceLocation: location)
  }

  @Test func inAnyOrder() throws {
    let cover = try PartCover([part(ByteRange(60, 100)), part(ByteRange(0, 30)), part(ByteRange(30, 60))])
    #expect(cover.parts.map(\.range.start) == [0, 30, 60])
    let whole = cover.whole
    #expect(whole.range == nil && whole.segments.isEmpty && whole.finished == nil && whole.length == 100)
  }

  @Test func aWholeFileIsAPart() throws {
    #expect(try PartCover([part(ByteRange(0, 100)) { $0.range = nil }]).parts.count == 1)
  }

  @Test func whatDoesNotFit() {
    let (first, second) = (part(ByteRange(0, 50), named: "a"), part(ByteRange(50, 100), named: "b"))
    #expect(failure([first, second]) == nil)
    expectRefused([], "no parts")
    expectRefused([first], "bytes 50-99 ")
    expectRefused([second], "bytes 0-49 ")
    expectRefused([first, part(ByteRange(51, 100))], "bytes 50-50 ")
    expectRefused([first, part(ByteRange(49, 100), named: "c")], "a and c both hold bytes 49-49")
    expectRefused([first, second, first], "both hold bytes 0-49")
    expectRefused([first, second, part(ByteRange(10, 20), named: "in")], "a and in both hold bytes 10-19")
    expectRefused([first, part(ByteRange(50, 100)) { $0.etag = "\"2\"" }], "another version")
    expectRefused([first, part(ByteRange(50, 100)) { $0.etag = nil }], "cannot be told")
    expectRefused([first, part(ByteRange(50, 101), of: 101)], "the length was 100, is 101")
    expectRefused([first, part(ByteRange(50, 100)) { $0.url = "http://host/other" }], "another file")
    expectRefused([first, part(ByteRange(50, 100)) { $0.finished = nil }], "not complete")
    expectRefused([first, part(ByteRange(50, 100)) { $0.segments = [] }], "not complete: bytes 50-99 are missing")
    expectRefused([first, part(ByteRange(50, 100), size: 49)], "it has 49 bytes, and its manifest says 50")
  }

  /// Without any name of a version the length alone is compared, as for a download.
  @Test func noVersionAtAll() {
    let parts = [ByteRange(0, 50), ByteRange(50, 100)].map { range in part(range) { $0.etag = nil } }
    #expect(failure(parts) == nil)
  }

  /// Parts of one file go by their manifests.
  @Test func theNameOfAManifest() {
    func placed(_ range: ByteRange, _ change: (inout Manifest) -> Void = { _ in }) -> PartCover.Part {
      let one = part(range, size: 100) {
        $0.offset = range.start
        change(&$0)
      }
      return PartCover.Part(
        shown: "f", name: "f.\(range.inclusiveText).part.json", manifest: one.manifest, size: 100, index: 0)
    }
    let first = placed(ByteRange(0, 50))
    expectRefused(
      [first, placed(ByteRange(50, 100)) { $0.url = "http://host/other" }],
      "cannot join f.50-99.part.json: it is a part of another file than f.0-49.part.json: of http://host/other")
    expectRefused(
      [first, placed(ByteRange(50, 100)) { $0.etag = "\"2\"" }], "f.50-99.part.json: it is of another version")
    expectRefused([first, placed(ByteRange(40, 100))], "f.0-49.part.json and f.40-99.part.json both hold bytes 40-49")
    let gaps = placed(ByteRange(50, 100)) {
      $0.finished = nil
      $0.segments = stride(from: Int64(51), to: 100, by: 10).map {
        Manifest.StoredSegment(Segment(ByteRange($0, $0 + 9), crc32: 0))
      }
    }
    expectRefused(
      [first, gaps],
      "not complete: bytes 50-50, 60-60, 70-70 and 2 more ranges are missing; go on with 'swoop resume f.50-99.part.json'"
    )
  }

  @Test func filledInPlace() {
    func placed(_ range: ByteRange, at offset: Int64, size: Int64 = 100) -> PartCover.Part {
      part(range, size: size, named: "f") { $0.offset = offset }
    }
    #expect(failure([placed(ByteRange(0, 50), at: 0), placed(ByteRange(50, 100), at: 50)]) == nil)
    expectRefused([placed(ByteRange(0, 50), at: 0), placed(ByteRange(50, 100), at: 51)], "not their place")
    expectRefused([placed(ByteRange(0, 50), at: 0, size: 101)], "101 bytes")
    expectRefused([placed(ByteRange(0, 50), at: 0), placed(ByteRange(40, 100), at: 40)], "f (bytes 0-49)")
  }
}
