import FaultCatalogue
import TestSupport
import Testing

/// What a server's headers tell of a file with `--metalink` (RFC 6249), right and wrong.
@Suite(.waiting) struct LinkHeaderTests {
  private static let content = MetalinkTests.content
  private static let described = "<file.bin.meta4>; rel=\"describedby\"; type=\"application/metalink4+xml\""

  /// A server whose answers for the file have these fields, and which has metalinks beside it.
  private static func serving(
    _ fields: HTTPFields, metalink: @escaping @Sendable (String) throws -> String = { $0 }
  ) throws -> Trial {
    try Trial(content) { request in
      guard request.path.hasSuffix(".meta4") else { return .file(content) { $0.headers = fields } }
      guard let file = try? MetalinkText.file("file.bin", content, ["http://127.0.0.1:1/file.bin"]),
        let text = try? metalink(MetalinkText.document(file))
      else { return .status(500) }
      return .status(200, headers: MetalinkTests.type, text: text)
    }
  }

  @Test func aMetalinkIsNamed() throws {
    let trial = try Self.serving(["Link": Self.described])
    let result = try trial.run("--metalink", "-v")
    let facts = "sha256, 11 pieces of 98 KiB (sha1), 2 sources: \(trial.server.url()) http://127.0.0.1:1/file.bin"
    try trial.expect(result, exit: 0, .file, says: facts, "sha256 verified, digest not authenticated\n")
    #expect(trial.askedPaths == ["/file.bin", "/file.bin.meta4"])
  }

  /// Quotes, commas, relative addresses, and what has another relation or scheme.
  @Test func duplicatesInTheirOrder() throws {
    let link = """
      </b,c?d=1>; rel=duplicate; pri=5; geo="a, <x>", <http://127.0.0.1:1/e>; pref; pri=9; rel="duplicate", \
      <ftp://h/f>;rel=duplicate;pri=1, <file:///etc/passwd>;rel=duplicate, <g>; rel=canonical, <;;, \
      <http://u:S3CR3T@h/>;rel=duplicate
      """
    let trial = try Self.serving(["Link": link, "link": "<h>; rel=\"x duplicate\"; pri=1"])
    let result = try trial.run("--metalink", "--dry-run")
    #expect(result.exitCode == 0, "\(result.error)")
    let origin = trial.server.origin
    let sources = "4 sources: \(origin)/file.bin http://127.0.0.1:1/e \(origin)/h \(origin)/b,c?d=1\n"
    #expect(result.error.contains(sources) && !result.error.contains(Trial.secret), "\(result.error)")
  }

  /// A redirect may tell it: servers that know mirrors lead to one of them.
  @Test func aRedirectTellsIt() throws {
    let content = Self.content
    let trial = try Trial(content) { request in
      switch request.path {
      case "/d/file.bin": return .redirect(to: "/mirror/file.bin", headers: ["Link": Self.described])
      case "/d/file.bin.meta4":
        let file = (try? MetalinkText.file("file.bin", content, [])) ?? ""
        return .status(200, text: MetalinkText.document(file))
      case "/mirror/file.bin": return .file(content)
      default: return .status(404)
      }
    }
    let result = try trial.run("--metalink", url: trial.server.url("/d/file.bin"))
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    #expect(trial.askedPaths.contains("/d/file.bin.meta4"))
  }

  /// Of the one named by the best priority; the other is not asked for.
  @Test func severalMetalinks() throws {
    let type = "type=\"application/metalink4+xml\""
    let link = "<two.meta4>;rel=describedby;\(type);pri=2, <one.meta4>;rel=describedby;\(type);pri=1"
    let trial = try Self.serving(["Link": link])
    try trial.expect(trial.run("--metalink"), exit: 0, .file, says: "sha256 verified")
    #expect(trial.askedPaths == ["/file.bin", "/one.meta4"])
  }

  /// It is of help and no more: the file comes without it.
  @Test(arguments: [
    ("<size>1000001</size>", "<size>10</size>", "there are 11 pieces"), ("</metalink>", "", "is no XML"),
    ("<metalink xmlns", "<!DOCTYPE x><metalink xmlns", "declares a document type"),
    ("urn:ietf", "urn:x", "no Metalink 4"),
  ])
  func aMetalinkThatIsOfNoUse(old: String, new: String, says: String) throws {
    let trial = try Self.serving(["Link": Self.described]) { $0.replacing(old, with: new) }
    try trial.expect(trial.run("--metalink"), exit: 0, .file, says: says, "going on without it", "not verified")
  }

  @Test func aMetalinkOfAnotherFile() throws {
    let other = MetalinkTests.small
    let trial = try Self.serving(["Link": Self.described]) { _ in
      MetalinkText.document(try MetalinkText.file("file.bin", other, []))
    }
    let result = try trial.run("--metalink")
    try trial.expect(result, exit: 0, .file, says: "is of another file than", "not verified")
  }

  @Test func aMetalinkThatIsMissing() throws {
    let trial = try Trial(Self.content) { request in
      request.path == "/file.bin" ? .file(Self.content) { $0.headers = ["Link": Self.described] } : .status(404)
    }
    try trial.expect(trial.run("--metalink"), exit: 0, .file, says: "going on without it", "not verified")
  }

  /// With mirrors the server's own digest is what all of them must have.
  @Test func theDigestThatIsAnnounced() throws {
    let zeros = String(repeating: "A", count: 43) + "="
    let link: (String, String) = ("Link", "</mirror>; rel=duplicate")
    var fields: HTTPFields = ["Digest": "SHA-256=\(zeros)"]
    fields.append(link.0, link.1)
    let trial = try Self.serving(fields)
    try trial.expect(trial.run("--metalink"), exit: 5, .part, says: String(repeating: "0", count: 64))
  }

  @Test func aServerThatTellsNothing() throws {
    let trial = try Trial.healthy(Self.content)
    try trial.expect(trial.run("--metalink"), exit: 0, .file, says: "not verified\n")
    try trial.expect(trial.run("--metalink"), exit: 0, .file, says: "already complete")
  }

  /// Secrets are for the origin that was typed.
  @Test func secretsDoNotGoToAMetalinkElsewhere() throws {
    let text = try MetalinkText.document(MetalinkText.file("file.bin", Self.content, []))
    let other = try ScriptedServer(.status(200, text: text))
    let link = "<\(other.url("/x.meta4"))>; rel=describedby; type=\"application/metalink4+xml\""
    let trial = try Self.serving(["Link": link])
    let result = try trial.command(["--metalink", "-H", "Authorization: S3CR3T", "-b", "S3CR3T=1", "-v"]).run()
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    let away = other.settledLog().entries.map(\.request)
    #expect(away.count == 1 && away.allSatisfy { $0.headers["Authorization"] == nil && $0.headers["Cookie"] == nil })
  }
}
