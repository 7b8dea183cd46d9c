import FaultCatalogue
import TestSupport
import Testing

/// Servers that do not offer ranges, or whose ranges are not what they say (R06 to R26).
@Suite(.waiting) struct RangeTests {
  @Test(.row("R06")) func noRanges() throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.acceptRanges = "none"
        $0.honoursRange = false
      })
    try trial.expect(trial.run(), exit: 0, .file, says: "1 connection")
    #expect(trial.server.log.methods == ["HEAD", "GET"])
    #expect(trial.server.log.ranges.isEmpty)
    try trial.expectCleanRerun()
  }

  @Test(.row("R07")) func unannouncedRanges() throws {
    let trial = try Trial(.ten, .file(.ten) { $0.acceptRanges = nil })
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.count(ofStatus: 206) >= 4)
    try trial.expectCleanRerun()
  }

  /// No byte of a 200 at an offset.
  @Test(.row("R08"), arguments: [true, false])
  func alwaysTheWhole(hasValidator: Bool) throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.honoursRange = false
        if !hasValidator {
          $0.etag = nil
          $0.lastModified = nil
        }
      })
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file, says: "fetching the file over one connection")
    #expect(result.error.split(separator: "\n").filter { $0.contains("over one connection") }.count == 1)
    try trial.expectCleanRerun()
  }

  /// The same, cut again and again: what is here is kept, though the whole is asked for each time.
  @Test func alwaysTheWholeAndCut() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) {
        $0.honoursRange = false
        if request.indexOfMethod < 6 { $0.cutAfter = 3_000_000 }
      }
    }
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
  }

  /// From the first byte on: nothing is believed.
  @Test(arguments: [5, -5, 1_000_000])
  func shiftedFromTheStart(by shift: Int64) throws {
    let trial = try Trial(.ten) { request in
      // Without Range, as the first GET is sent once more where HEAD is late.
      request.method == "GET" && request.range == nil ? .silence : .shifted(by: shift, from: 0)
    }
    try trial.expect(trial.run(), exit: 6, .nothing, says: "wrong range")
    try trial.expectCleanRerun()
  }

  /// What came before is kept, and the third wrong answer in a row is the last.
  @Test(.row("R10", "R24"), arguments: [false, true])
  func shiftedLater(isChunked: Bool) throws {
    let trial = try Trial(.ten) { request in
      if request.method == "HEAD" { return .file(.ten) }
      if request.firstByte == 0 { return .file(.ten) { $0.cutAfter = 3_000_000 } }
      return .shifted(by: 5, from: 1, isChunked: isChunked)
    }
    // One connection, so that the right bytes come before the wrong answers, however busy the machine is.
    try trial.expect(trial.run("-n", "1"), exit: 6, .part, says: "wrong range")
    #expect(try trial.manifest()?.done == 3_000_000)
    #expect(trial.gets.count == 1 + 3)
    try trial.expectCleanRerun()
  }

  /// The same over four connections: all answers but the one to the first range are wrong.
  @Test(.row("R10", "R24"), arguments: [false, true])
  func shiftedBesideARightOne(isChunked: Bool) throws {
    let hasCome = Latch()
    let trial = try Trial(.ten) { request in
      guard request.method == "GET" else { return .file(.ten) }
      // The next request of the connection that has the first range.
      if request.firstByte > 0, request.indexOnConnection > 0 { hasCome.open() }
      if request.firstByte == 0 { return .file(.ten) }
      hasCome.wait()
      return .shifted(by: 5, from: 1, isChunked: isChunked)
    }
    try trial.expect(trial.run("--stall-timeout", "10"), exit: 6, .part, says: "wrong range")
    try trial.expectCleanRerun()
  }

  @Test func shiftedOnce() throws {
    let trial = try Trial(.ten) { request in
      request.method == "GET" && request.indexOfMethod < 2 ? .shifted(by: 5, from: 0) : .file(.ten)
    }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// The head is right and the bytes are not.
  @Test(.row("R11")) func shiftedBody() throws {
    let reply = Reply.file(.ten) { $0.bodyShift = 4 }
    let served = try Content.bytes(Content.ten.bytes(in: 4..<Content.ten.length) + Content.ten.bytes(in: 0..<4))
    let trial = try Trial(.ten, reply)
    let digest = try trial.sha256()
    try trial.expect(trial.run("--sha256", digest), exit: 5, .part, of: served, says: "does not match")
    trial.heal()
    try trial.expect(trial.run("--sha256", digest, "--restart"), exit: 0, .file, says: "sha256 verified")
    // Nothing can tell without a digest, and the last line says so.
    let blind = try Trial(.ten, reply)
    try blind.expect(blind.run(), exit: 0, .file, of: served, says: "not verified")
  }

  /// Less than was asked for is legal.
  @Test(.row("R12")) func shortSlices() throws {
    let trial = try Trial(.ten, .file(.ten) { $0.sliceLimit = 16 << 10 })
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("trying again"), "\(result.error)")
    #expect(trial.server.settledLog().bodyBytesSent == Content.ten.length)
    try trial.expectCleanRerun()
  }

  /// The same, where the first GET has to answer for HEAD: less than all comes of it, too.
  @Test(arguments: ["bytes", "none"])
  func shortSlicesWithoutHead(acceptRanges: String) throws {
    let content = Content.pattern(length: 2_000_001)
    let trial = try Trial(content) { request in
      if request.method == "HEAD" { return .status(405) }
      return .file(content) {
        $0.sliceLimit = 100_000
        $0.acceptRanges = acceptRanges
      }
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("not all of the file"), "\(result.error)")
  }

  @Test(.row("R13")) func longerThanAsked() throws {
    let trial = try Trial(
      .ten,
      .file(.ten) { reply in
        reply.contentRange = { range, length in
          "bytes \(range.lowerBound)-\(min(range.upperBound + 9, length))/\(length + 1)"
        }
      })
    try trial.expect(trial.run(), exit: 6, .partOrNothing)
    try trial.expectCleanRerun()
    let honest = try Trial(
      .ten,
      .file(.ten) { reply in
        reply.contentRange = { range, length in
          "bytes \(range.lowerBound)-\(min(range.upperBound + 9, length - 1))/\(length)"
        }
      })
    try honest.expect(honest.run(), exit: 6, .partOrNothing, says: "wrong range")
    try honest.expectCleanRerun()
  }

  @Test(.row("R14"), arguments: [true, false])
  func unknownTotal(headIsRefused: Bool) throws {
    let trial = try Trial(.ten) { request in
      if request.method == "HEAD", headIsRefused { return .status(405) }
      return .file(.ten) { $0.contentRange = { range, _ in "bytes \(range.lowerBound)-\(range.upperBound - 1)/*" } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    // Where HEAD tells the length the ranges are of use, else only the whole is.
    #expect(headIsRefused || trial.server.log.count(ofStatus: 206) >= 4)
    #expect(trial.gets.count { $0.status == 200 } == (headIsRefused ? 1 : 0))
    try trial.expectCleanRerun()
  }

  /// The length is another one in one answer. Over one connection, so that the first range is here before.
  @Test(.row("R15")) func anotherTotalOnce() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { reply in
        guard request.method == "GET", request.indexOfMethod < 2 else { return }
        reply.cutAfter = 3_000_000
        guard request.indexOfMethod == 1 else { return }
        reply.contentRange = { range, length in "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length + 7)" }
      }
    }
    try expectOneRestart(trial, connections: "1")
  }

  /// The length is another one in all answers but the first.
  @Test(.row("R15")) func anotherTotal() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { reply in
        guard request.method == "GET", request.firstByte > 0 else { return }
        reply.contentRange = { range, length in "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length + 7)" }
      }
    }
    try expectOneRestart(trial)
  }

  /// It begins again once, and finds that nothing fits together.
  private func expectOneRestart(
    _ trial: Trial, connections: String = "4", location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try trial.run("-n", connections)
    try trial.expect(result, exit: 6, .partOrNothing, says: "the length was", location: location)
    #expect(result.error.count(of: "beginning again") == 1, "\(result.error)", sourceLocation: location)
    // What was kept is of a version that the healthy server does not have.
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file, location: location)
  }

  /// None, and malformed ones.
  @Test(
    .row("R16", "R17"),
    arguments: [
      nil, "bytes 5-/10", "bytes 9-5/10", "bytes 0-9/5", "items 0-9/10", "bytes -1", "-1", "",
      "bytes 000000000000000000000000000000-999999999999999999999999999999/999999999999999999999999999999",
      "bytes 0-9223372036854775807/9223372036854775808", "bytes */10000001", "bytes 0-9/10, bytes 0-9/10",
      "bytes a-b/c",
    ])
  func brokenContentRange(value: String?) throws {
    let trial = try Trial(.ten, .file(.ten) { $0.contentRange = { _, _ in value } })
    try trial.expect(trial.run(), exit: 0, .file, says: "fetching the file over one connection")
    try trial.expectCleanRerun()
  }

  /// No Content-Range once some of the file is here: it is kept.
  @Test func brokenContentRangeLater() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { reply in if request.indexOfMethod >= 4 { reply.contentRange = { _, _ in nil } } }
    }
    try trial.expect(trial.run("--min-split", "100k"), exit: 0, .file)
  }

  @Test(.row("R18"), arguments: ["bytes=", ""])
  func lenientContentRange(prefix: String) throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.contentRange = { range, length in "\(prefix)\(range.lowerBound)-\(range.upperBound - 1)/\(length)" }
      })
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.count(ofStatus: 206) >= 4)
    try trial.expectCleanRerun()
  }

  /// Bytes behind the range, with Content-Length, in chunks, and to the end of the connection. Where the body is longer
  /// than it should be, nothing more is asked for on its connection; what comes behind a Content-Length is no body.
  @Test(.row("R19"), arguments: 0..<3)
  func bytesBehindTheRange(way: Int) throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.extraBytes = Array(repeating: 0x58, count: 100_000)
        $0.isChunked = way == 1
        $0.isCloseDelimited = way == 2
        $0.headLength = .other(Content.ten.length)
      })
    try trial.expect(trial.run(), exit: 0, .file)
    let connections = trial.gets.map(\.request.connection)
    #expect(way == 0 || Set(connections).count == connections.count, "\(connections)")
    try trial.expectCleanRerun()
  }

  @Test(.row("R20")) func bodyEndsEarly() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.indexOfMethod < 8 { $0.cutAfter = 200_000 } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    // The prefix was kept: no two requests begin at the same byte.
    trial.expectNothingTwice()
    try trial.expectCleanRerun()
  }

  @Test(.row("R21")) func multipart() throws {
    let trial = try Trial(.ten) { request in
      guard request.range != nil else { return .file(.ten) }
      let body = "--X\r\nContent-Type: a/b\r\nContent-Range: bytes 0-3/10000001\r\n\r\nabcd\r\n--X--\r\n"
      return .status(206, headers: ["Content-Type": "multipart/byteranges; boundary=X"], text: body)
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "multipart", "over one connection")
    try trial.expectCleanRerun()
  }

  @Test(.row("R23")) func chunkedRanges() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 4_000_000
    let trial = try Trial(.ten, .file(.ten) { $0.isChunked = true }, settings: settings)
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.count(ofStatus: 206) >= 4)
    try trial.expectCleanRerun()
  }

  @Test(.row("R25")) func unsatisfiableButFromTheStart() throws {
    let trial = try Trial(.ten) { request in
      guard request.firstByte > 0 else { return .file(.ten) }
      return .status(416, headers: ["Content-Range": "bytes */\(Content.ten.length)"])
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "416", "over one connection")
    try trial.expectCleanRerun()
  }

  /// A 416 that tells of another length: the file changed.
  @Test func unsatisfiableSinceItShrank() throws {
    let short = Content.pattern(length: 1_000_001, seed: 9)
    let trial = try Trial(short) { .file($0.method == "HEAD" ? .ten : short) }
    try trial.expect(trial.run(), exit: 0, .file)
    try trial.expectCleanRerun()
  }

  /// The first answer's chunks bring more than its Content-Range says, before it is known where they go.
  @Test func aFirstPartThatIsLongerThanItSays() throws {
    let content = Content.pattern(length: 3_000_000)
    let trial = try Trial(content) { request in
      if request.method == "HEAD" { return .status(405) }
      return .file(content) {
        guard request.indexOfMethod == 0 else { return }
        $0.sliceLimit = 1000
        $0.isChunked = true
        $0.extraBytes = [UInt8](repeating: 0xee, count: 20_000_000)
      }
    }
    try trial.expect(trial.run(), exit: 0, .file)
  }
}

extension Reply {
  /// The file, with answers for a range that begins elsewhere where the one asked for begins at `start` or later.
  static func shifted(by shift: Int64, from start: Int64, isChunked: Bool = false) -> Reply {
    .file(.ten) { reply in
      reply.isChunked = isChunked
      reply.headLength = .other(Content.ten.length)
      reply.contentRange = { range, length in
        guard range.lowerBound >= start else { return "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)" }
        let first = max(0, range.lowerBound + shift)
        return "bytes \(first == range.lowerBound ? 1 : first)-\(max(first + 1, range.upperBound - 1))/\(length)"
      }
    }
  }
}

extension Trial {
  /// The SHA-256 of the content, by another program.
  func sha256() throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(content, to: "x")
    let result = try CommandRunner("sha256sum", [folder.path("x")]).run()
    return String(result.output.prefix { $0 != " " })
  }
}
