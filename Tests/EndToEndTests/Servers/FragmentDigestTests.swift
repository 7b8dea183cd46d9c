import FaultCatalogue
import TestSupport
import Testing

/// Digests in a URL's fragment, as pip and PEP 503 write them.
@Suite(.waiting) struct FragmentDigestTests {
  private static let content = ChecksumListTests.content
  private static let zeros = ChecksumListTests.zeros

  @Test(arguments: ["md5", "sha1", "sha256", "sha512"]) func isVerified(algorithm: String) throws {
    let hex = try DigestTests.digest(algorithm, of: Self.content)
    for fragment in ["\(algorithm)=\(hex)", "egg=x&\(algorithm)=\(hex.uppercased())&subdirectory=y"] {
      let trial = try Trial.healthy(Self.content)
      let url = trial.server.url("/file.bin#\(fragment)")
      try trial.expect(trial.run(url: url), exit: 0, .file, says: "), \(algorithm) verified\n")
      let requests = trial.server.log.entries
      #expect(requests.allSatisfy { !$0.request.target.contains("#") && !$0.request.target.contains(hex) })
      try trial.expect(trial.run(url: url), exit: 0, .file, says: "already complete", "\(algorithm) verified\n")
      #expect(trial.server.log.entries.count == requests.count, "a file that is proved was asked for")
    }
  }

  @Test func aWrongOneIsKeptForTheNextRun() throws {
    let trial = try Trial.healthy(Self.content)
    let url = trial.server.url("/file.bin#sha256=\(Self.zeros)")
    try trial.expect(trial.run(url: url), exit: 5, .part, says: "expected \(Self.zeros)")
    #expect(try trial.manifest()?.digests == ["sha256": Self.zeros])
    try trial.expect(trial.swoop("resume", "file.bin.part"), exit: 5, .part, says: "expected \(Self.zeros)")
    let right = try ChecksumListTests.sha256()
    let corrected = trial.server.url("/file.bin#sha256=\(right)")
    try trial.expect(trial.run(url: corrected), exit: 0, .file, says: "), sha256 verified")
  }

  @Test(arguments: ["#", "#top", "#t=10", "#egg=x", "#sha256", "#md6=00"])
  func othersAreIgnored(fragment: String) throws {
    let trial = try Trial.healthy(Self.content)
    let url = trial.server.url("/file.bin" + fragment)
    try trial.expect(trial.run(url: url), exit: 0, .file, says: "), not verified")
  }

  @Test(arguments: ["sha256=12", "egg=x&md5=", "sha1=zz", "md5=\(zeros)"]) func malformedOnes(fragment: String) throws {
    let trial = try Trial.healthy(Self.content)
    let url = trial.server.url("/file.bin#\(fragment)")
    for words in [[url], ["curl", url], ["-o", "file.bin", url]] {
      try trial.expect(trial.swoop(words).run(), exit: 2, .nothing, says: "the fragment of", "hexadecimal")
    }
    #expect(trial.server.log.entries.isEmpty)
  }

  @Test func contradictions() throws {
    let right = try ChecksumListTests.sha256()
    let trial = try Trial.healthy(Self.content)
    let url = trial.server.url("/file.bin#sha256=\(right)")
    let typed = try trial.run("--sha256", Self.zeros, url: url)
    try trial.expect(typed, exit: 2, .nothing, says: "two different sha256 digests")
    let both = trial.server.url("/file.bin#sha256=\(right)&sha256=\(Self.zeros)")
    try trial.expect(trial.run(url: both), exit: 2, .nothing, says: "two different sha256 digests")
    #expect(trial.server.log.entries.isEmpty)
    let md5 = try DigestTests.digest("md5", of: Self.content)
    try trial.expect(trial.run("--md5", md5, url: url), exit: 0, .file, says: "), md5 and sha256 verified")
  }

  @Test func eachOfSeveralURLsHasItsOwn() throws {
    let right = try ChecksumListTests.sha256()
    let trial = try Trial.healthy(Self.content)
    let words = ["file.bin#sha256=\(right)", "b.bin#sha256=\(Self.zeros)", "c.bin"].map { trial.server.url("/\($0)") }
    let result = try trial.swoop(words).run()
    #expect(result.exitCode == 5, "\(result.error)")
    #expect(result.error.count(of: "sha256 verified") == 1 && result.error.count(of: "not verified") == 1)
    #expect(trial.names == ["b.bin.part", "b.bin.part.json", "c.bin", "file.bin"])
  }

  /// The address that a redirect gives is the server's word, not the user's.
  @Test func thatOfARedirectDoesNotCount() throws {
    let trial = try Trial(Self.content) { request in
      request.path == "/file.bin" ? .redirect(to: "/blob#sha256=\(Self.zeros)") : .file(Self.content)
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "), not verified")
  }

  /// A list whose own digest is known is as good as one that came over https.
  @Test func ofAListOfDigests() throws {
    let list = try Content.text("\(ChecksumListTests.sha256())  file.bin\n")
    let (right, md5) = try (DigestTests.digest("sha256", of: list), DigestTests.digest("md5", of: list))
    for (fragment, code, words) in [
      ("sha256=\(right)", 0, "), sha256 verified\n"), ("md5=\(md5)", 0, "sha256 verified, digest not authenticated\n"),
      ("sha256=\(Self.zeros)", 5, "SUMS does not match: expected \(Self.zeros), got \(right)"),
      ("md5=1", 2, "the fragment"),
    ] as [(String, Int32, String)] {
      let trial = try Trial(Self.content) { .file($0.path == "/SUMS" ? list : Self.content) }
      let result = try trial.run("--checksum-file", trial.server.url("/SUMS#\(fragment)"))
      try trial.expect(result, exit: code, code == 0 ? .file : .nothing, says: words)
      #expect(code == 0 || trial.server.log.entries.allSatisfy { $0.request.path == "/SUMS" })
    }
  }

  @Test func ofAPastedCurlLine() throws {
    let right = try ChecksumListTests.sha256()
    let trial = try Trial.healthy(Self.content)
    let line = "curl '\(trial.server.url("/file.bin#sha256=\(right)"))' -H 'accept: */*' --compressed"
    try trial.expect(trial.swoop("curl", line), exit: 0, .file, says: "), sha256 verified")
  }

  @Test func ofANewAddress() throws {
    let (right, md5) = try (DigestTests.digest("sha256", of: .ten), DigestTests.digest("md5", of: .ten))
    for (fragment, code, words) in [
      ("sha256=\(right)", 0, "), md5 and sha256 verified"), ("sha256=\(Self.zeros)", 5, "expected \(Self.zeros)"),
      ("md5=\(Self.zeros.dropFirst(32))", 11, "names another md5"), ("egg=x", 0, "), md5 verified"),
    ] as [(String, Int32, String)] {
      let trial = try Trial.stalling(.ten)
      try trial.leavePart("--md5", md5)
      let url = trial.server.url("/file.bin?new#\(fragment)")
      let result = try trial.swoop("resume", "--url", url, "file.bin.part")
      try trial.expect(result, exit: code, code == 0 ? .file : .part, says: words)
    }
  }
}
