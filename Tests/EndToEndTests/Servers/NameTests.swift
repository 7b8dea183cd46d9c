import FaultCatalogue
import TestSupport
import Testing

/// Names that servers and URLs give (H09, H10, H15, H16).
@Suite(.waiting) struct NameTests {
  private static let small = Content.text("hello")

  /// What is named by a Content-Disposition, and how it is called here.
  private static let dispositions = [
    (#"attachment; filename="../../.ssh/authorized_keys""#, "authorized_keys"),
    (#"attachment; filename="..\\..\\x""#, "x"), (#"attachment; filename="/etc/passwd""#, "passwd"),
    (#"attachment; filename="C:\\x""#, "x"), (#"attachment; filename*=UTF-8''..%2Fx"#, "x"),
    (#"attachment; filename*=UTF-8''%2e%2e%2f"#, nil), (#"attachment; filename="..""#, nil),
    (#"attachment; filename=".bashrc""#, "_bashrc"), (#"attachment; filename="-rf""#, "_rf"),
    (#"attachment; filename="other.part""#, "other.part.download"),
    (#"attachment; filename="other.part.json""#, "other.part.json.download"),
    (#"attachment; filename="plain.txt"; filename*=UTF-8''na%C3%AFve.txt"#, "naïve.txt"),
    (#"attachment; filename="""#, nil), ("attachment", nil), ("garbage;;;=\"", nil),
    (#"attachment; filename="a b.txt""#, "a b.txt"),
  ]

  @Test(.row("H09"), arguments: dispositions.indices)
  func contentDisposition(index: Int) throws {
    let (disposition, name) = Self.dispositions[index]
    let trial = try Trial(Self.small, name: name ?? "file.bin") { _ in
      .file(Self.small) { $0.contentDisposition = disposition }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    try trial.expect(trial.run(), exit: 0, .file, says: "already complete")
  }

  /// H10: nothing but a name in the folder, that is never hidden, an option, or too long.
  private static let paths = [
    ("/a%2F..%2F..%2Fx", "x"), ("/", "download"), ("/.", "download"), ("/..", "download"), ("/?q", "download"),
    ("/%00", "download"), ("/a%00b", "ab"), ("/%2e%2e", "download"), ("/.hidden", "_hidden"), ("/-rf", "_rf"),
    ("/a/b/", "download"), ("/%ff%fe", "%ff%fe"),
    ("/a%0Ab", "ab"), ("/%1b%5B2J", "[2J"), ("/x.part", "x.part.download"),
    ("/x.part.json", "x.part.json.download"), ("/%E2%80%AEgpj.exe", "gpj.exe"), ("/CON", "CON"), ("/a%5Cb", "b"),
    ("/a;b?c#d", "a;b"),
  ]

  @Test(.row("H10"), arguments: paths.indices)
  func path(index: Int) throws {
    let (path, name) = Self.paths[index]
    let trial = try Trial(Self.small, path: path, name: name) { _ in .file(Self.small) }
    try trial.expect(trial.run(url: trial.server.origin + path), exit: 0, .file)
    try trial.expect(trial.run(url: trial.server.origin + path), exit: 0, .file, says: "already complete")
  }

  @Test(
    .row("H10"),
    arguments: [
      String(repeating: "a", count: 300) + ".tar.gz", String(repeating: "%F0%9F%98%80", count: 64),
      String(repeating: "%F0%9F%98%80", count: 80) + ".iso",
    ])
  func longName(path: String) throws {
    let trial = try Trial(Self.small, .file(Self.small))
    let result = try trial.run(url: trial.server.url("/" + path))
    #expect(result.exitCode == 0, "\(result.error)")
    let name = try #require(trial.names.first)
    #expect(try trial.names.count == 1 && trial.folder.names() == [Trial.place])
    Trial.expectPlain(result, #_sourceLocation)
    #expect(name.utf8.count <= 255 - ".part.json.new".utf8.count && !name.unicodeScalars.contains("\u{FFFD}"))
    #expect(!path.hasSuffix(".iso") || name.hasSuffix(".iso"))
  }

  @Test(.row("H15")) func existingFileOfAnotherLength() throws {
    let trial = try Trial(.ten, name: "precious.txt") { _ in
      .file(.ten) { $0.contentDisposition = #"attachment; filename="precious.txt""# }
    }
    try trial.folder.write("precious", to: trial.placed("precious.txt"))
    let result = try trial.run()
    #expect(result.exitCode == 10, "\(result.error)")
    #expect(trial.names == ["precious.txt"])
    #expect(try trial.folder.text(trial.placed("precious.txt")) == "precious")
    Trial.expectPlain(result, #_sourceLocation)
  }

  /// H16: the part of another download, and its manifest, are nobody else's business.
  @Test(.row("H16"), arguments: ["other.iso.part", "other.iso.part.json"])
  func nameOfAnotherJobsPart(name: String) throws {
    let trial = try Trial(Self.small, name: name + ".download") { _ in
      .file(Self.small) { $0.contentDisposition = "attachment; filename=\"\(name)\"" }
    }
    try trial.folder.write("theirs", to: trial.placed(name))
    let result = try trial.run()
    #expect(result.exitCode == 0, "\(result.error)")
    Trial.expectPlain(result, #_sourceLocation)
    #expect(trial.names == [name, name + ".download"])
    #expect(try trial.folder.text(trial.placed(name)) == "theirs")
  }
}
