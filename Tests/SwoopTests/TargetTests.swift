import DownloadCore
import Testing

@testable import swoop

@Suite struct TargetTests {
  private func target(_ output: String?, _ directory: String? = nil) throws -> DownloadRequest.Target {
    let kinds: [String: OutputName.Kind] = [
      "dir": .folder, "dir/": .folder, "d/dir": .folder, "..": .folder, "pipe": .stream, "old": .file,
      "/dev/null": .stream,
    ]
    return try OutputName.target(output: output, directory: directory) { kinds[$0] ?? .nothing }
  }

  @Test(arguments: [
    (nil, nil, ".", nil), (nil, "d", "d", nil), ("x", nil, ".", "x"), ("a/b/c.iso", nil, "a/b", "c.iso"),
    ("a/b/c.iso", "d", "d/a/b", "c.iso"), ("x", "d/", "d", "x"), ("/x", nil, "/", "x"), ("/a/x", nil, "/a", "x"),
    ("dir", nil, "dir", nil), ("dir", "d", "d/dir", nil), ("new/", nil, "new", nil), ("dir/", nil, "dir/", nil),
    ("..", nil, "..", nil), ("old", nil, ".", "old"), ("../x", nil, "..", "x"),
  ])
  func outputsBecomeFolderAndName(output: String?, directory: String?, folder: String, name: String?) throws {
    let target = try target(output, directory)
    #expect(target.folder == folder)
    #expect(target.name == name)
  }

  @Test(arguments: [
    ("x.part", nil), ("x.part.json", nil), ("/x", "d"), ("a/.", nil), ("a/..", nil), ("/dev/null", "d"),
    (String(repeating: "x", count: 242), nil),
  ])
  func impossibleOutputsAreRefused(output: String, directory: String?) {
    #expect(throws: DownloadError.self) { try target(output, directory) }
  }

  @Test(arguments: [("-", nil, "-"), ("-", "d", "-"), ("/dev/null", nil, "/dev/null"), ("pipe", nil, "pipe")])
  func whatTakesBytesInOrderIsNoFile(output: String, directory: String?, path: String) throws {
    let target = try target(output, directory)
    #expect(target.sink?.path == path && target.name == nil)
    #expect((target.sink == .standardOutput) == (output == "-"))
  }

  @Test(arguments: [
    ("a.iso.part", "a.iso.part", ".", "a.iso"), ("d/a.part.json", "d/a.part", "d", "a"),
    ("/a.part", "/a.part", "/", "a"),
  ])
  func partsAreNamedWithOrWithoutJSON(typed: String, path: String, folder: String, name: String) throws {
    let part = try PartName(typed: typed)
    #expect(part.path == path && part.folder == folder && part.name == name)
  }

  @Test(arguments: ["a.iso", ".part", "d/.part", "", "a.part/", "http://h/a", "http://h/a.part"])
  func otherNamesAreNoParts(typed: String) {
    #expect(throws: DownloadError.self) { try PartName(typed: typed) }
  }

  @Test func aURLThatIsNoPartKeepsItsSecrets() {
    let error = #expect(throws: DownloadError.self) { try PartName(typed: "https://u:S3CR3T@h/f.part?token=S3CR3T") }
    #expect(error?.message == "'https://***@h/f.part?***' is a URL, not a partial file")
  }

  @Test(arguments: [("k.bin", "k.bin.part"), ("d/k.bin", "d/k.bin.part")])
  func theFinishedNameLeadsToThePart(typed: String, meant: String) {
    let error = #expect(throws: DownloadError.self) {
      try PartName(typed: typed) { $0 == meant ? .file : .nothing }
    }
    #expect(error?.message == "'\(typed)' is no partial file; did you mean \(meant)?")
  }

  @Test func headerFilesHaveOneFieldALine() throws {
    let fields = try HeaderLine.fields(ofFile: "A: b\r\n\n  \nEmpty;\nGone:\n")
    #expect(fields == [.field(HeaderField("A", "b")), .field(HeaderField("Empty", "")), .suppression("Gone")])
    #expect(throws: DownloadError.self) { try HeaderLine.fields(ofFile: "A: b\nnonsense\n") }
  }
}
