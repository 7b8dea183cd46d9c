import TestSupport
import Testing

/// Bodies whose end or coding is not to be trusted (T25 to T30).
@Suite struct LengthTests {
  /// T25
  @Test func endOfTheConnection() throws {
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

  /// T26: the same bytes come again and again, which is no progress; and not without a pause.
  @Test func lastChunkIsMissing() throws {
    let trial = try Trial(.ten, .chunkedWithoutEnd)
    let result = try trial.run("--give-up-after", "2")
    try trial.expect(result, exit: 3, .partOrNothing)
    #expect(trial.server.log.methods.filter { $0 == "GET" }.count <= 12)
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// T26: unless a digest proves what came.
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

  /// T26: chunks whose sizes are none, or more than there is.
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

  /// T27
  @Test(arguments: [["10000001", "10000001"], ["10000001, 10000001"], ["10000001,10000001"], ["010000001"]])
  func equalLengths(values: [String]) throws {
    let trial = try Trial(.ten, .unranged(lengths: values))
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// T27: never a short file with exit 0.
  @Test(arguments: [
    ["10000001", "10000002"], ["10", "10000001"], ["10000001, 10"], ["0x989681"], ["+10000001"], ["10000001abc"],
    ["-1"], ["-10000001"], [""], ["10000001.0"], ["1e7"], ["10 000 001"], ["9223372036854775808"],
    ["18446744073709551616"], ["18446744073719551617"],
  ])
  func brokenLength(values: [String]) throws {
    let trial = try Trial(.ten, .unranged(lengths: values))
    let result = try trial.run()
    try trial.expect(result, exit: values[0].count > 18 ? 7 : 4, .nothing)
    try trial.expectCleanRerun()
  }

  /// T29
  @Test(arguments: ["gzip", "gzip, chunked", "deflate", "chunked, chunked", "x"])
  func otherTransferCoding(coding: String) throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.contentLengths = []
        $0.isCloseDelimited = true
        $0.headers = ["Transfer-Encoding": coding]
      })
    let result = try trial.run()
    try trial.expect(result, exit: 4, .nothing)
    try trial.expectCleanRerun()
  }

  /// T30: nothing is unpacked that nobody asked to be packed.
  @Test(arguments: ["gzip", "br", "deflate"])
  func contentCoding(coding: String) throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "zeros")
    try folder.truncate("zeros", to: 50 << 20)
    #expect(try CommandRunner("gzip", [folder.path("zeros")]).run().exitCode == 0)
    let bomb = Content.bytes(try folder.bytes("zeros.gz"))
    let trial = try Trial(bomb) { request in
      .file(bomb) { $0.headers = ["Content-Encoding": coding, "Content-Type": "application/octet-stream"] }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.ranges.isEmpty || trial.server.log.count(ofStatus: 206) <= 1)
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
