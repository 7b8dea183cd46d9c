import FaultCatalogue
import TestSupport
import Testing

/// Bodies whose end or coding is not to be trusted (T25 to T30).
@Suite(.waiting) struct LengthTests {
  @Test(.row("T25")) func endOfTheConnection() throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.isCloseDelimited = true
        $0.honoursRange = false
        $0.acceptRanges = nil
      })
    try trial.expect(trial.run(), exit: 0, .file, says: "length unverified")
    let digest = try trial.sha256()
    trial.folder.remove(trial.placed("file.bin"))
    let proved = try trial.run("--sha256", digest)
    try trial.expect(proved, exit: 0, .file, says: "sha256 verified")
    #expect(!proved.error.contains("length unverified"))
  }

  /// A reset is not an end.
  @Test func resetBeforeTheEndOfTheConnection() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) {
        $0.isCloseDelimited = true
        $0.honoursRange = false
        if request.method == "GET", request.indexOfMethod == 0 { $0.resetAfter = 500_000 }
      }
    }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  @Test func chunksOfUnknownLength() throws {
    let trial = try Trial(.ten, .chunked)
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("length unverified"))
    try trial.expectCleanRerun()
  }

  /// The same bytes come again and again, which is no progress; and not without a pause.
  @Test(.row("T26")) func lastChunkIsMissing() throws {
    let trial = try Trial(.ten, .chunkedWithoutEnd)
    let result = try trial.run("--give-up-after", "2")
    try trial.expect(result, exit: 3, .partOrNothing)
    #expect(trial.server.log.methods.filter { $0 == "GET" }.count <= 12)
    try trial.expectCleanRerun()
  }

  /// Unless a digest proves what came.
  @Test func lastChunkIsMissingButTheDigestIsRight() throws {
    let trial = try Trial(.ten, .chunkedWithoutEnd)
    try trial.expect(trial.run("--sha256", trial.sha256()), exit: 0, .file, says: "sha256 verified")
    #expect(trial.server.log.methods == ["HEAD", "GET"])
  }

  /// As much as arrives at once is kept until it is known where it goes.
  @Test func firstBodyIsNotAskedForTwice() throws {
    let content = Content.pattern(length: 30_000_001)
    let trial = try Trial(content) { request in
      if request.method == "HEAD" { return .status(405) }
      return .file(content) {
        $0.isChunked = true
        $0.honoursRange = false
      }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.methods == ["HEAD", "GET"])
  }

  @Test func lastChunkIsMissingOnce() throws {
    let trial = try Trial(.ten) { $0.method == "GET" && $0.indexOfMethod == 0 ? .chunkedWithoutEnd : .chunked }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// Chunks whose sizes are none, or more than there is.
  @Test(arguments: ["zz", "-5", "ffffffffffffffff", "FFFFFFFFFFFFFFFFFFFFFFFF", "0x5", "600", " "])
  func brokenChunks(size: String) throws {
    let content = Content.text("hello")
    let trial = try Trial(content) { request in
      if request.method == "HEAD" { return .status(405) }
      return .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nhello\r\n0\r\n\r\n")
    }
    let result = try trial.run("--give-up-after", "0.5")
    #expect([3, 4].contains(result.exitCode), "\(result.error)")
    #expect(!trial.names.contains("file.bin"))
    Trial.expectPlain(result, #_sourceLocation)
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file)
  }

  @Test(
    .row("T27"), arguments: [["10000001", "10000001"], ["10000001, 10000001"], ["10000001,10000001"], ["010000001"]])
  func equalLengths(values: [String]) throws {
    let trial = try Trial(.ten, .unranged(lengths: values))
    try trial.expect(trial.run(), exit: 0, .file)
    try trial.expectCleanRerun()
  }

  private static let brokenLengths = [
    ["10000001", "10000002"], ["10", "10000001"], ["10000001", "10"], ["10000001, 10"], ["10, 10000001"],
    ["0x989681"], ["98968a"], ["+10000001"], ["10000001abc"], ["1000abc"], ["-1"], ["-10000001"], [""],
    ["10000001.0"], ["1e7"], ["10 000 001"],
  ]

  /// Never a short file with exit 0.
  @Test(.row("T27"), arguments: brokenLengths, [false, true])
  func brokenLength(values: [String], headIsRefused: Bool) throws {
    let trial = try Trial(.ten) { request in
      headIsRefused && request.method == "HEAD" ? .status(405) : .unranged(lengths: values)
    }
    try trial.expect(trial.run(), exit: 4, .nothing, says: "Content-Length")
    try trial.expectCleanRerun()
  }

  /// 2^63, 2^64, and what would be the right number to whoever counts with 64 bits.
  @Test(
    .row("T27"), arguments: ["9223372036854775808", "18446744073709551616", "18446744073719551617"], [false, true])
  func tooLargeForAnyNumber(length: String, headIsRefused: Bool) throws {
    let trial = try Trial(.ten) { request in
      headIsRefused && request.method == "HEAD" ? .status(405) : .unranged(lengths: [length])
    }
    try trial.expect(trial.run(), exit: 7, .nothing, says: "too large")
    try trial.expectCleanRerun()
  }

  /// Rejected at the head: of what would be 10 GB nothing is taken.
  @Test(
    .row("T29"), arguments: ["gzip", "gzip, chunked", "deflate", "chunked, chunked", "x"], [false, true])
  func otherTransferCoding(coding: String, headIsRefused: Bool) throws {
    let bomb = try Content.bomb()
    let trial = try Trial(bomb) { request in
      if headIsRefused, request.method == "HEAD" { return .status(405) }
      return .file(bomb) {
        $0.contentLengths = []
        $0.isCloseDelimited = true
        $0.honoursRange = false
        $0.isChunked = coding.hasSuffix(", chunked")
        $0.headers = ["Transfer-Encoding": coding]
        if $0.isChunked { $0.headers = ["Transfer-Encoding": String(coding.dropLast(", chunked".count))] }
      }
    }
    try trial.expect(trial.run(), exit: 4, .nothing, says: "transfer coding")
    try trial.expectCleanRerun()
  }

  /// Nothing is unpacked that nobody asked to be packed.
  @Test(.row("T30"), arguments: ["gzip", "br", "deflate"])
  func contentCoding(coding: String) throws {
    let bomb = try Content.bomb()
    let trial = try Trial(bomb) { request in
      .file(bomb) { $0.headers = ["Content-Encoding": coding, "Content-Type": "application/octet-stream"] }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.ranges.isEmpty || trial.server.log.count(ofStatus: 206) <= 1)
    try trial.expectCleanRerun()
  }

  /// The same, where HEAD tells of the file and GET brings its coding.
  @Test(arguments: [true, false])
  func contentCodingOfGetAlone(isChunked: Bool) throws {
    let coded = Content.pattern(length: 3_000_001, seed: 5)
    let trial = try Trial(coded) { request in
      if request.method == "HEAD" { return .file(.ten) { $0.etag = coded.etag } }
      return .file(coded) {
        $0.headers = ["Content-Encoding": "gzip"]
        $0.honoursRange = false
        $0.isChunked = isChunked
      }
    }
    try trial.expect(trial.run(), exit: 0, .file)
  }
}

extension Content {
  /// 10 MB of gzip (RFC 1952: members one after another) that unpack to 10 GB of zeros.
  fileprivate static func bomb() throws -> Content {
    let folder = try TemporaryFolder()
    try folder.write("", to: "zeros")
    try folder.truncate("zeros", to: 10 << 20)
    try #require(try CommandRunner("gzip", [folder.path("zeros")]).run().exitCode == 0)
    let member = try folder.bytes("zeros.gz")
    return .bytes(Array(repeatElement(member, count: 1024).joined()))
  }
}

extension Reply {
  /// The file in chunks, as one that makes it as it goes sends it.
  fileprivate static let chunked = Reply.file(.ten) {
    $0.isChunked = true
    $0.honoursRange = false
    $0.acceptRanges = nil
  }

  fileprivate static let chunkedWithoutEnd = Reply.file(.ten) {
    $0.isChunked = true
    $0.honoursRange = false
    $0.acceptRanges = nil
    $0.cutAfter = Content.ten.length
  }

  fileprivate static func unranged(lengths: [String]) -> Reply {
    .file(.ten) {
      $0.honoursRange = false
      $0.acceptRanges = "none"
      $0.contentLengths = lengths
    }
  }
}
