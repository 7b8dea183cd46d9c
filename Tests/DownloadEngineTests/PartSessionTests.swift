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

  /// What was to be reserved for one version is not reserved for the next, which may be of any length.
  @Test func reservesNothingForAnEarlierVersion() throws {
    let temporary = try TemporaryFolder()
    let folder = try Folder.open(temporary.path)
    let part = try #require(try PartFile.open(in: folder, name: "file", creating: true))
    let url = "https://host/file"
    let session = PartSession(
      part: part, manifestFile: ManifestFile(folder: folder, name: "file"), manifest: Manifest(url: url),
      isTrusted: true, wakeup: Wakeup())
    try session.prepare(length: 300 << 20, reserving: true)
    #expect(try temporary.size("file.part") == 300 << 20)
    try session.begin(Resource(url: try URLParser.parse(typed: url), validator: Validator()))
    try session.reserveMore()
    #expect(try temporary.size("file.part") == 0)
  }
}
