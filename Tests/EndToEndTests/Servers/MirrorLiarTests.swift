import FaultCatalogue
import TestSupport
import Testing

/// Sources that serve other bytes: the file is right, and they are named.
@Suite(.waiting) struct MirrorLiarTests {
  private static let other = Content.pattern(length: Mirrors.content.length, seed: 77)
  private static var digest: String { get throws { try DigestTests.digest("sha256", of: Mirrors.content) } }

  @Test func oneMirrorLies() throws {
    let mirrors = try Mirrors([Mirrors.healthy("a"), Mirrors.healthy("b", Self.other)])
    let result = try mirrors.run("--json")
    try mirrors.trial.expect(result, exit: 0, .file, says: "it serves another file of the same length")
    #expect(Mirrors.dropped("mirror \(mirrors.servers[1].url())", in: result) == 1, "\(result.error)")
    #expect(try Mirrors.sources(result).last?["bytes"].integer == 0)
  }

  /// While the URL's own server is slow with what there is to compare, what a mirror sends waits in memory. Of a liar
  /// nothing is written, and nothing of it is left to resume from.
  @Test(arguments: [false, true]) func whatComesBeforeTheComparison(lies: Bool) throws {
    // Only its last byte tells, which the URL's own server takes a second and more to send.
    let lie = try Mirrors.changed(at: Int(Mirrors.content.length) - 1)
    let mirrors = try Mirrors(
      primary: { _ in .file(Mirrors.content) { $0.rate = 40_000 } },
      [Mirrors.healthy("a", lies ? lie : Mirrors.content)])
    let result = try mirrors.run("--json", "-v")
    try mirrors.trial.expect(result, exit: 0, .file)
    let lines = result.error.split(separator: "\n")
    let verdict = lies ? "it serves another file of the same length" : "the same file, it fetches from now on"
    let before = lines.prefix { !$0.contains(verdict) }
    try #require(before.count < lines.count, "\(result.error)")
    // Three of them ask for the blocks.
    let asked = before.count { $0.contains("> GET \(mirrors.servers[0].url())") }
    #expect(asked > 3, "\(result.error)")
    let brought = try Mirrors.sources(result).last?["bytes"].integer ?? 0
    #expect(lies ? brought == 0 : brought > Mirrors.content.length / 2, "\(result.output)")
  }

  /// Nor does a run leave any of it behind that ends before the comparison has.
  @Test func nothingIsLeftOfWhatWasNotCompared() throws {
    let mirrors = try Mirrors(
      primary: { request in
        // It never gets to the end of anything that could be compared.
        .file(Mirrors.content) { $0.stallAfter = request.method == "GET" ? 10_000 : nil }
      }, [Mirrors.healthy("a", Self.other)])
    let result = try mirrors.run("-v", "--stall-timeout", "20", "--give-up-after", "2")
    #expect(result.exitCode == 3, "\(result.error)")
    #expect(!result.error.contains("the same file"), "\(result.error)")
    let here = try mirrors.trial.manifest()?.segments.reduce(0) { $0 + Int64($1.range.count) } ?? 0
    #expect(here < 1_000_000, "\(here)")
  }

  /// Against the URL's own server, two that agree are right.
  @Test func theUrlLies() throws {
    let mirrors = try Mirrors(
      primary: { _ in .file(Self.other) }, [Mirrors.healthy("a"), Mirrors.healthy("b")])
    let result = try mirrors.run()
    try mirrors.trial.expect(result, exit: 0, .file, says: "beginning again")
    #expect(Mirrors.dropped(mirrors.trial.server.url(), in: result) == 1, "\(result.error)")
  }

  /// One against one: without a digest the URL's own server is believed, with one the mirror that has it.
  @Test func oneAgainstOne() throws {
    let mirrors = try Mirrors(of: Self.other, primary: { _ in .file(Self.other) }, [Mirrors.healthy("a")])
    try mirrors.trial.expect(mirrors.run(), exit: 0, .file)
    let proved = try Mirrors(primary: { _ in .file(Self.other) }, [Mirrors.healthy("a")])
    let result = try proved.run("--sha256", Self.digest)
    try proved.trial.expect(result, exit: 0, .file, says: "sha256 verified", "it served bytes that are not the file's")
    let wrong = try Mirrors(primary: { _ in .file(Self.other) }, [Mirrors.healthy("a", Self.other)])
    let refused = try wrong.run("--sha256", Self.digest)
    try #require(refused.exitCode == 5, "\(refused.error)")
  }

  /// One byte that the samples do not show: the digest does. What the liar brought is fetched again, and it is named.
  @Test(arguments: [0, 1, 2]) func aLiarThatTheSamplesDoNotShow(liar: Int) throws {
    // Every megabyte, so that it brings one of them wherever it is asked.
    var bytes = try Mirrors.content.bytes(in: 0..<Mirrors.content.length)
    for offset in stride(from: 100_000, to: bytes.count - 100_000, by: 200_000) { bytes[offset] ^= 1 }
    let lie = Content.bytes(bytes)
    // The samples are of the true file.
    func script(_ number: Int) -> ScriptedServer.Script {
      { request in
        let asked = request.askedBytes(of: Mirrors.content.length)
        let isSample = asked.map { $0.count <= 65_536 } ?? false
        return .file(number == liar && !isSample ? lie : Mirrors.content) { $0.etag = "\"\(number)\"" }
      }
    }
    let mirrors = try Mirrors(primary: script(0), [script(1), script(2)])
    let result = try mirrors.run("--sha256", Self.digest, "--json")
    try mirrors.trial.expect(result, exit: 0, .file, says: "sha256 verified", "fetching again what came from")
    let url = liar == 0 ? mirrors.trial.server.url() : mirrors.servers[liar - 1].url()
    let named = result.error.split(separator: "\n").filter { $0.contains("it served bytes that are not the file's") }
    #expect(named.count == 1 && named.first?.contains(url) == true, "\(result.error)")
    #expect(try Mirrors.sources(result).dropFirst(liar).first?["state"].string == "dropped", "\(result.output)")
  }

  /// Two of three are wrong, each in places of its own: one alone has the file.
  @Test(arguments: [0, 1, 2]) func twoLiars(honest: Int) throws {
    func script(_ number: Int) throws -> ScriptedServer.Script {
      var bytes = try Mirrors.content.bytes(in: 0..<Mirrors.content.length)
      for offset in stride(from: 100_000 + number, to: bytes.count - 100_000, by: 200_000) { bytes[offset] ^= 1 }
      let lie = Content.bytes(bytes)
      return { request in
        let asked = request.askedBytes(of: Mirrors.content.length)
        let isSample = asked.map { $0.count <= 65_536 } ?? false
        return .file(number == honest || isSample ? Mirrors.content : lie) { $0.etag = "\"\(number)\"" }
      }
    }
    let mirrors = try Mirrors(primary: script(0), [script(1), script(2)])
    let result = try mirrors.run("--sha256", Self.digest)
    try mirrors.trial.expect(result, exit: 0, .file, says: "sha256 verified")
    let urls = [mirrors.trial.server.url()] + mirrors.servers.map { $0.url() }
    let named = result.error.split(separator: "\n").filter { $0.contains("it served bytes that are not the file's") }
    #expect(!named.isEmpty && !named.contains { $0.contains(urls[honest]) }, "\(result.error)")
  }

  /// All has come before the mirror has answered: its blocks are compared then, and it brings what is right.
  @Test func theHonestOneIsLate() throws {
    let lie = try Mirrors.changed(at: 3_400_000)
    let late = try ScriptedServer(.file(Mirrors.content) { $0.delay = .seconds(1) })
    let trial = try Trial(Mirrors.content, .file(lie))
    let result = try trial.run("--mirror", late.url(), "--sha256", Self.digest)
    try trial.expect(result, exit: 0, .file, says: "sha256 verified", "it served bytes that are not the file's")
  }

  /// Where nobody has the file that the digest is of, it is a mismatch as ever.
  @Test func allHaveAnotherFile() throws {
    let mirrors = try Mirrors([Mirrors.healthy("a"), Mirrors.healthy("b")])
    let result = try mirrors.run("--sha256", String(repeating: "0", count: 64))
    try mirrors.trial.expect(result, exit: 5, .part)
  }

  /// The others are gone when the digest turns out wrong: it is still that mismatch, and all is kept.
  @Test func nobodyIsLeftToAskAgain() throws {
    let other = Content.pattern(length: Mirrors.content.length, seed: 4)
    // It has the samples, and nothing more.
    let samplesOnly: ScriptedServer.Script = { request in
      let asked = request.askedBytes(of: Mirrors.content.length)
      return asked.map { $0.count <= 65_536 } ?? false ? .file(Mirrors.content) : .status(404)
    }
    let mirrors = try Mirrors([samplesOnly])
    let result = try mirrors.run("--sha256", try DigestTests.digest("sha256", of: other), "--give-up-after", "3")
    try mirrors.trial.expect(result, exit: 5, .part)
    let again = try mirrors.run("--sha256", Self.digest)
    try mirrors.trial.expect(again, exit: 0, .file, says: "sha256 verified")
  }
}
