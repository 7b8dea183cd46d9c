import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Metalink 4: what it names is fetched, proved, and put where it may be.
@Suite(.waiting) struct MetalinkTests {
  static let content = Content.pattern(length: 1_000_001)
  static let small = Content.text("small\n")
  static let type: HTTPFields = ["Content-Type": "application/metalink4+xml; charset=utf-8"]

  /// A server with the file and a small one, and at every other path a metalink of the first.
  static func serving(
    _ change: @escaping @Sendable (String) throws -> String = { $0 }
  ) throws -> Trial {
    try Trial(content) { request in
      switch request.path {
      case "/file.bin": return .file(content)
      case "/small": return .file(small)
      default:
        let url = "http://\(request.headers["Host"] ?? "")/file.bin"
        guard let file = try? MetalinkText.file("file.bin", content, [url]),
          let text = try? change(MetalinkText.document(file))
        else { return .status(500) }
        return .status(200, headers: type, text: text)
      }
    }
  }

  @Test func allFilesOfOneThatIsHere() throws {
    let trial = try Self.serving()
    let text = try MetalinkText.document(
      MetalinkText.file("file.bin", Self.content, [trial.server.url()]),
      MetalinkText.file("d/e/small", Self.small, [trial.server.url("/small")]))
    let result = try trial.runMetalink(text, "-d", "below")
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(result.error.count(of: "sha256 verified\n") == 2, "\(result.error)")
    #expect(try trial.folder.firstDifference(of: "place/below/file.bin", from: Self.content) == nil)
    #expect(try trial.folder.firstDifference(of: "place/below/d/e/small", from: Self.small) == nil)
    let requests = trial.server.log.entries.count
    let again = try trial.runMetalink(text, "-d", "below", "--metalink")
    #expect(again.exitCode == 0 && again.error.count(of: "is already complete (") == 2, "\(again.error)")
    #expect(trial.server.log.entries.count == requests, "files that are proved were asked for")
  }

  @Test(arguments: ["/list.meta4", "/LIST.META4?x=1", "/by-its-type"]) func oneAtAnAddress(path: String) throws {
    let trial = try Self.serving()
    let result = try trial.run("--metalink", url: trial.server.url(path))
    try trial.expect(result, exit: 0, .file, says: "sha256 verified, digest not authenticated\n")
    let again = try trial.run("--metalink", url: trial.server.url(path))
    try trial.expect(again, exit: 0, .file, says: "already complete", "digest not authenticated\n")
  }

  /// Without the option it is a file like any other.
  @Test func anAddressWithoutTheOption() throws {
    let trial = try Self.serving()
    let result = try trial.run(url: trial.server.url("/list.meta4"))
    #expect(result.exitCode == 0 && trial.names == ["list.meta4"], "\(result.error)")
    #expect(trial.askedPaths == ["/list.meta4"])
  }

  @Test func aDigestOfItsOwn() throws {
    let trial = try Self.serving()
    let text = try MetalinkText.document(MetalinkText.file("file.bin", Self.content, [trial.server.url()]))
    let right = try DigestTests.digest("sha256", of: .text(text))
    let url = trial.server.url("/list.meta4#sha256=")
    let wrong = try trial.run("--metalink", url: url + String(repeating: "0", count: 64))
    try trial.expect(wrong, exit: 5, .nothing, says: right, "nothing was fetched")
    try trial.expect(trial.run("--metalink", url: url + right), exit: 0, .file, says: "sha256 verified\n")
  }

  @Test func theBestIsAskedFirst() throws {
    let trial = try Trial(Self.content, .file(Self.content))
    let urls = [
      "<url priority=\"9\">\(trial.server.url("/nine"))</url>", "<url>\(trial.server.url("/none"))</url>",
      "<url priority=\"2\" location=\"de\">\(trial.server.url("/two"))</url>", "ftp://127.0.0.1/first",
    ]
    let text = try MetalinkText.document(MetalinkText.file("file.bin", Self.content, urls))
    let result = try trial.runMetalink(text, "-v")
    try trial.expect(
      result, exit: 0, .file, says: "not used: ftp://127.0.0.1/first: http and https only", "3 sources")
    #expect(trial.askedPaths.first == "/two")
  }

  @Test func aDryRunTellsAll() throws {
    let trial = try Self.serving()
    let urls = [trial.server.url(), trial.server.url("/mirror")]
    let text = try MetalinkText.document(MetalinkText.file("a/file.bin", Self.content, urls))
    let result = try trial.runMetalink(text, "--dry-run")
    #expect(result.exitCode == 0 && result.output.contains("would fetch 977 KiB (1000001 bytes)"), "\(result.output)")
    let facts = "a/file.bin: 977 KiB (1000001 bytes), sha256, 11 pieces of 98 KiB (sha1), 2 sources: "
    #expect(result.error.contains(facts + urls.joined(separator: " ")), "\(result.error)")
    #expect(trial.names.isEmpty && trial.server.log.methods.allSatisfy { $0 == "HEAD" })
  }

  @Test func whatWasTypedHolds() throws {
    let trial = try Self.serving()
    let url = trial.server.url("/list.meta4")
    let right = try DigestTests.digest("sha256", of: Self.content)
    let zeros = String(repeating: "0", count: 64)
    let wrong = try trial.run("--metalink", "--sha256", zeros, url: url)
    try trial.expect(wrong, exit: 5, .nothing, says: zeros, right)
    #expect(!trial.askedPaths.contains("/file.bin"))
    let md5 = try DigestTests.digest("md5", of: Self.content)
    let result = try trial.run("--metalink", "--sha256", right, "--md5", md5, url: url)
    try trial.expect(result, exit: 0, .file, says: "verified\n")
    let named = try trial.run("--metalink", "-o", "other.bin", url: url)
    #expect(named.exitCode == 0 && trial.names == ["file.bin", "other.bin"], "\(named.error)")
  }

  @Test(arguments: [["-o", "x"], ["--md5", String(repeating: "0", count: 32)]])
  func whatIsOfOneFileIsRefusedForSeveral(options: [String]) throws {
    let trial = try Self.serving { $0.replacing("</metalink>", with: "<file name=\"b\"/></metalink>") }
    let here = try TemporaryFolder()
    try here.write(
      MetalinkText.document(
        MetalinkText.file("a", Self.small, [trial.server.url()]), MetalinkText.file("b", Self.small, [])),
      to: "x.meta4")
    for url in [here.path("x.meta4"), trial.server.url("/list.meta4")] {
      let result = try trial.command(["--metalink"] + options, url: url).run()
      try trial.expect(result, exit: 2, .nothing, says: "has 2")
    }
    #expect(trial.askedPaths == ["/list.meta4"])
  }

  /// What the user gave goes to the origin that was typed, and to no other.
  @Test func secretsStayAtTheOriginThatWasTyped() throws {
    let other = try ScriptedServer(.file(Self.small))
    let trial = try Self.serving { text in
      let file = try MetalinkText.file("small", Self.small, [other.url("/small")])
      return text.replacing("</metalink>", with: file + "</metalink>")
    }
    let secrets = [
      "-H", "Authorization: Bearer S3CR3T", "-b", "a=S3CR3T", "-e", "http://S3CR3T.example/", "-A", "agent",
    ]
    let result = try trial.command(["-v", "--metalink"] + secrets, url: trial.server.url("/list.meta4")).run()
    #expect(result.exitCode == 0 && !result.error.contains(Trial.secret), "\(result.error)")
    let here = trial.server.settledLog().entries.map(\.request)
    #expect(here.count > 1 && here.allSatisfy { $0.headers["Authorization"] == "Bearer S3CR3T" })
    let away = other.settledLog().entries.map(\.request)
    #expect(!away.isEmpty && away.allSatisfy { $0.headers["User-Agent"] == "agent" })
    for name in ["Authorization", "Cookie", "Referer"] {
      #expect(away.allSatisfy { $0.headers[name] == nil }, "\(name)")
    }
    // Of a file that is here no origin was typed.
    let text = try MetalinkText.document(MetalinkText.file("small", Self.small, [other.url("/small")]))
    let local = try trial.runMetalink(text, "--force", "-o", "again", "-u", "me:S3CR3T")
    #expect(local.exitCode == 0, "\(local.error)")
    #expect(other.settledLog().entries.allSatisfy { $0.request.headers["Authorization"] == nil })
  }
}
