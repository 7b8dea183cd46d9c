import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

/// The part and its manifest, as they go together on disk.
@Suite struct PartSessionTests {
  /// A kill may come between any two steps: no byte goes before the manifest has stopped claiming it. Where the
  /// manifest cannot be written, nothing goes at all.
  @Test func throwsNothingAwayThatTheManifestStillClaims() throws {
    let temporary = try TemporaryFolder()
    let folder = try Folder.open(temporary.path)
    let part = try #require(try PartFile.open(in: folder, name: "file", creating: true))
    let content = Content.pattern(length: 3_000_000)
    try temporary.write(content, to: "file.part")
    var manifest = Manifest(url: "https://host/file")
    manifest.length = content.length
    manifest.segments = [Manifest.StoredSegment(Segment(ByteRange(0, 1_048_576), crc32: 0xabcd))]
    let session = PartSession(
      part: part, manifestFile: ManifestFile(folder: folder, name: "file"), manifest: manifest, isTrusted: true,
      wakeup: Wakeup())
    // In the manifest's place there is what no file can be renamed to.
    try temporary.makeFolder("file.part.json")
    try temporary.write("", to: "file.part.json/in the way")
    let url = try URLParser.parse(typed: "https://host/file")
    let resource = Resource(url: url, validator: Validator(etag: "\"new\"", lastModified: nil, length: 2_000_000))
    #expect(throws: DownloadError.self) { try session.begin(resource) }
    #expect(try temporary.size("file.part") == content.length)
    temporary.remove("file.part.json")
    try session.begin(resource)
    #expect(try temporary.size("file.part") < content.length)
    guard case .success(let stored)? = try ManifestFile(folder: folder, name: "file").load() else {
      Issue.record("no manifest")
      return
    }
    #expect(stored.segments.isEmpty && stored.etag == "\"new\"" && stored.length == 2_000_000)
  }
  /// Room that was wanted for one version is none for the next: that may be shorter, or of unknown length, and nothing
  /// cuts the file in the end.
  @Test func reservesNothingForAVersionThatIsGone() throws {
    let temporary = try TemporaryFolder()
    let folder = try Folder.open(temporary.path)
    let part = try #require(try PartFile.open(in: folder, name: "file", creating: true))
    let session = PartSession(
      part: part, manifestFile: ManifestFile(folder: folder, name: "file"),
      manifest: Manifest(url: "https://host/file"), isTrusted: true, wakeup: Wakeup())
    // Longer than what is reserved at once.
    try session.prepare(length: 300 << 20, reserving: true)
    let url = try URLParser.parse(typed: "https://host/file")
    try session.begin(Resource(url: url, validator: Validator(etag: "\"new\"", lastModified: nil, length: nil)))
    try session.reserveMore()
    #expect(try temporary.size("file.part") == 0)
  }
}
