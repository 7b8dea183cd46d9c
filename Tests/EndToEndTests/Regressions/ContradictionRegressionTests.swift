import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Answers that contradict what other answers have proved, or what is here.
@Suite(.waiting) struct ContradictionRegressionTests {
  private static let gzip = "\u{1F}\u{8B}" + String(repeating: "z", count: 500_000)

  /// The beginning of a content coding, and then a connection that is cut.
  private static func coded(etag: String) -> Reply {
    let head =
      "HTTP/1.1 200 OK\r\nETag: \(etag)\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    return .raw(head + String(gzip.utf8.count, radix: 16) + "\r\n" + gzip)
  }

  /// Bytes of a coding and bytes of the file never come into one file.
  @Test(arguments: [0, 1, 4], ["1", "4"])
  func theFileIsSentOnceAsACoding(index: Int, connections: String) throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "GET", request.indexOfMethod == index else {
        return .file(.ten) { if request.method == "GET", request.indexOfMethod < 4 { $0.cutAfter = 1_000_000 } }
      }
      return Self.coded(etag: Content.ten.etag)
    }
    try trial.expect(trial.run("-n", connections, "--give-up-after", "20"), exit: 0, .file)
  }

  /// Of a coding nothing is claimed: the next run may get the file itself.
  @Test func aKillWhileACodingComes() throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "GET" else { return .status(405) }
      return .file(.ten) {
        $0.headers = ["Content-Encoding": "gzip"]
        $0.stallAfter = 1_000_000
      }
    }
    let command = try trial.command([]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 1_000_000 })
    command.signal(SIGINT)
    _ = try command.result()
    #expect(try (trial.manifest()?.segments ?? []).isEmpty)
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// A refusal of a range is no file of no bytes.
  @Test(arguments: ["1", "4"], [true, false])
  func nothingIsLeftOfItInRanges(connections: String, isNamed: Bool) throws {
    let trial = try Trial(.ten) { request in
      let file = Reply.file(.ten) { if !isNamed { ($0.etag, $0.lastModified) = (nil, nil) } }
      guard request.range != nil else { return file }
      return .status(416, headers: ["Content-Range": "bytes */0", "ETag": Content.ten.etag])
    }
    try trial.expect(trial.run("-n", connections), exit: 0, .file)
  }

  /// Nor is it, of a part, the news that the file is another one now.
  @Test func nothingIsLeftOfAPart() throws {
    let asked = Monitor<Int?>(nil)
    let trial = try Trial(.ten) { request in
      let index = asked.change { asked in
        defer { if request.range != nil { asked = asked.map { $0 + 1 } } }
        return asked
      }
      guard let index else { return .file(.ten) { $0.stallAfter = 1_000_000 } }
      guard request.range != nil, index < 3 else { return .file(.ten) }
      return .status(416, headers: ["Content-Range": "bytes */0", "ETag": Content.ten.etag])
    }
    let command = try trial.command([]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    _ = try command.result()
    #expect(try #require(try trial.manifest()).done > 0)
    asked.change { $0 = 0 }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// Parts of this version have told its length: a body that ends before is cut short, whatever it says.
  @Test func aWholeBodyEndsBeforeTheEndThatPartsHaveTold() throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "GET", request.indexOfMethod >= 2 else {
        return .file(.ten) { if request.method == "GET" { $0.cutAfter = 1_000_000 } }
      }
      return .file(.pattern(length: 3_000_000)) {
        $0.etag = Content.ten.etag
        $0.honoursRange = false
        $0.isChunked = true
      }
    }
    try trial.expect(trial.run("-n", "2"), exit: 6, .part)
    try trial.expectCleanRerun()
  }

  /// The next run's server names the version by a date where the first one had a tag: only a sample was compared.
  @Test func theVersionIsNamedOtherwise() throws {
    let isSecond = Monitor(false)
    let trial = try Trial(.ten) { request in
      let isNow = isSecond.read { $0 }
      return .file(.ten) {
        if isNow { $0.etag = nil } else { ($0.lastModified, $0.stallAfter) = (nil, 1_000_000) }
      }
    }
    let command = try trial.command([]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    _ = try command.result()
    isSecond.change { $0 = true }
    try trial.expect(trial.run(), exit: 0, .file, says: "identity unverified")
  }

  /// After the body a line that looks like a status line is a trailer.
  @Test func aTrailerLooksLikeAHead() throws {
    let content = Content.text("0123456789")
    let trial = try Trial(content) { request in
      guard request.method == "GET" else { return .status(405) }
      return .raw(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\nHTTP/1.1 404 Not: x\r\n\r\n",
        then: .close)
    }
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.settledLog().entries.count { $0.request.method == "GET" } == 1)
  }

  /// What is thrown away by `resume --restart` are the bytes, not the digest that the file must have.
  @Test func restartingAPartKeepsItsDigest() throws {
    let trial = try Trial(.ten, .file(.ten))
    let wrong = String(repeating: "0", count: 32)
    try trial.expect(trial.run("--md5", wrong), exit: 5, .part)
    try trial.expect(trial.swoop("--restart", "resume", "file.bin.part"), exit: 5, .part)
  }

  /// A name that the server has chosen replaces nothing that is here, also where it is that of a part.
  @Test(arguments: [["thesis.part"], ["thesis.part.json"], ["thesis.part", "thesis.part.json"]])
  func theServersNameIsThatOfForeignFiles(names: [String]) throws {
    let trial = try Trial(.ten, .file(.ten) { $0.contentDisposition = "attachment; filename=thesis" })
    for name in names { try trial.folder.write("{\"mine\":1}", to: trial.placed(name)) }
    let result = try trial.run()
    #expect(result.exitCode == 11 && result.error.contains("left alone"), "\(result.error)")
    #expect(trial.names == names)
    for name in names { #expect(try trial.folder.text(trial.placed(name)) == "{\"mine\":1}") }
    #expect(try trial.run("--restart").exitCode == 0)
    #expect(trial.names == ["thesis"])
  }

  /// A browser's line in one pair of quotes is curl's, and where it is none no secret of it is shown.
  @Test func aWholeLineInQuotes() throws {
    let trial = try Trial(.ten, .file(.ten))
    let line = "curl '\(trial.server.url())' -H 'Authorization: Bearer S3CR3T'"
    try trial.expect(trial.swoop(line), exit: 0, .file)
    #expect(trial.server.settledLog().entries.allSatisfy { $0.request.headers["Authorization"] == "Bearer S3CR3T" })
    for words in [["$ " + line], ["curl", trial.server.url(), "--user=a:S3CR3T"]] {
      let result = try trial.swoop(words).run()
      #expect(result.exitCode == 2 && !result.error.contains("S3CR3T"), "\(result.error)")
    }
  }
}
