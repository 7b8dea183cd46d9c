import FaultCatalogue
import TestSupport
import Testing

/// HEAD's answer is late, as on a long path: the first GET goes out beside it.
@Suite(.waiting) struct LongPathTests {
  /// HEAD is answered when a GET has come, and that GET when HEAD's answer was seen: both are under way at one time.
  @Test func theFirstGETGoesOutBesideHEAD() throws {
    let seen = Latch()
    let trial = try Trial.lateHead(.ten) { request in
      if request.range == "bytes=0-" { seen.wait() }
      return .file(.ten)
    }
    let command = try trial.command(["-v"]).start()
    #expect(command.waitForOutput(containing: " #- < 200"), "\(command.error)")
    seen.open()
    let result = try command.result()
    try trial.expect(result, exit: 0, .file)
    #expect(trial.server.settledLog().methods.filter { $0 == "HEAD" }.count == 1)
    #expect(trial.gets.first?.request.range == "bytes=0-")
    // HEAD's connection is used again.
    #expect(trial.server.log.maxConcurrentConnections <= 4)
    trial.expectNothingTwice()
  }

  @Test(arguments: [1, 100 << 10, 10_000_001] as [Int64])
  func headIsNeverAnswered(length: Int64) throws {
    let content = Content.pattern(length: length)
    let trial = try Trial(content) { $0.method == "HEAD" ? .silence : .file(content) }
    try trial.expect(trial.run(), exit: 0, .file)
    trial.expectNothingTwice()
    guard length < 1 << 20 else { return }
    #expect(trial.gets.count == 1 && trial.server.settledLog().bodyBytesSent == length)
  }

  @Test func anEmptyFileHasNothingToFetch() throws {
    let content = Content.bytes([])
    let trial = try Trial(content) { $0.method == "HEAD" ? .silence : .file(content) }
    try trial.expect(trial.run(), exit: 0, .file)
    // A refusal of a range is no file: it is asked for without.
    #expect(trial.gets.map(\.status) == [416, 200])
  }

  /// A presigned link: its signature is for GET alone.
  @Test(arguments: [403, 405, 500])
  func headIsRefused(status: Int) throws {
    let trial = try Trial.lateHead(.ten) { $0.method == "HEAD" ? .status(status) : .file(.ten) }
    try trial.expect(trial.run(), exit: 0, .file)
    trial.expectNothingTwice()
  }

  /// A link that is good for one GET, of a server that honours ranges: that one goes on to the end.
  @Test(arguments: [401, 403, 404, 410, 429, 503], [200, 403])
  func aLinkIsGoodForOneGET(status: Int, head: Int) throws {
    let content = Content.pattern(length: 3_000_000)
    let used = Monitor(false)
    let trial = try Trial.lateHead(content) { request in
      if request.method == "HEAD" { return head == 200 ? .file(content) : .status(head) }
      let isFirst = used.change { used in
        defer { used = true }
        return !used
      }
      return isFirst ? .file(content) { $0.rate = 4_000_000 } : .status(status)
    }
    try trial.expect(trial.run(), exit: 0, .file)
    let served = trial.gets.filter { $0.status == 206 }
    #expect(served.count == 1 && served.first?.bodyBytesSent == content.length)
    #expect(trial.gets.count > 1)
  }

  @Test func headAndGETAreRedirected() throws {
    let asked = Latch()
    let trial = try Trial(.ten) { request in
      if request.path == "/file.bin" { return .redirect(to: "/real") }
      if request.method == "HEAD" { asked.wait() } else { asked.open() }
      return .file(.ten)
    }
    try trial.expect(trial.run(), exit: 0, .file)
    trial.expectNothingTwice()

    // Both at one time, at the address that was typed.
    let other = try Trial.lateHead(.ten) { $0.path == "/file.bin" ? .redirect(to: "/real") : .file(.ten) }
    try other.expect(other.run(), exit: 0, .file)
    other.expectNothingTwice()
  }

  @Test(arguments: [429, 500, 503])
  func theFirstGETIsRefusedOnce(status: Int) throws {
    let trial = try Trial.lateHead(.ten) { request in
      request.method == "GET" && request.indexOfMethod == 0 ? .status(status) : .file(.ten)
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "\(status)")
    trial.expectNothingTwice()
  }

  /// HEAD alone tells the length.
  @Test func aPartDoesNotTellTheLength() throws {
    let seen = Latch()
    let trial = try Trial.lateHead(.ten) { request in
      if request.range == "bytes=0-" { seen.wait() }
      return .file(.ten) { $0.contentRange = { range, _ in "bytes \(range.lowerBound)-\(range.upperBound - 1)/*" } }
    }
    let command = try trial.command(["-v"]).start()
    #expect(command.waitForOutput(containing: " #- < 200"), "\(command.error)")
    seen.open()
    try trial.expect(command.result(), exit: 0, .file)
    #expect(trial.gets.filter { $0.status == 206 }.count > 1)
    #expect(!trial.gets.contains { $0.status == 200 })
    trial.expectNothingTwice()
  }

  /// Nothing tells it, or HEAD tells that of another version: the whole is taken as it comes.
  @Test(arguments: [true, false])
  func nothingTellsTheLengthOfThisVersion(isRefused: Bool) throws {
    let trial = try Trial.lateHead(.ten) { request in
      if request.method == "HEAD" { return isRefused ? .status(405) : .file(.pattern(length: 20_000_000, seed: 3)) }
      return .file(.ten) { $0.contentRange = { range, _ in "bytes \(range.lowerBound)-\(range.upperBound - 1)/*" } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.gets.count { $0.status == 200 } == 1)
  }

  @Test(arguments: [nil, "bytes", "none"])
  func rangesAreIgnored(acceptRanges: String?) throws {
    let trial = try Trial.lateHead(.ten) { _ in
      .file(.ten) {
        $0.honoursRange = false
        $0.acceptRanges = acceptRanges
      }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    // Unless the server says that it could give a part, the first answer, which is the whole, is taken.
    if acceptRanges != "bytes" { #expect(trial.gets.map(\.request.range) == ["bytes=0-"]) }
  }

  /// HEAD names another version: the GET is right.
  @Test func headNamesAnotherVersion() throws {
    let trial = try Trial.lateHead(.ten) { request in
      .file(request.method == "HEAD" ? .other : .ten)
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("changed"), "\(result.error)")
  }

  /// The file changes behind the first GET: nothing of the old version stays.
  @Test func theFileChangesAfterTheFirstGET() throws {
    let trial = try Trial.lateHead(.other) { request in
      let isOld = request.method == "HEAD" || request.indexOfMethod == 0
      return .file(isOld ? .ten : .other) { if isOld { $0.rate = 2_000_000 } }
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "changed on the server")
  }

  /// On resuming the first gap is what the first GET asks for.
  @Test func resumesWithTheGapAlone() throws {
    let asked = Latch()
    let trial = try Trial(.ten) { request in
      if request.method == "HEAD" { asked.wait() } else { asked.open() }
      return .file(.ten)
    }
    try trial.plant(missing: [3_000_000..<3_050_000])
    let result = try trial.run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(trial.gets.compactMap(\.request.range) == ["bytes=3000000-3049999"])
    #expect(trial.server.log.bodyBytesSent == 50_000)
  }

  /// Where a file has the name, HEAD may say that it is the very one.
  @Test func aCompleteFileIsNotAskedFor() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.method == "HEAD" { $0.delay = .milliseconds(150) } }
    }
    try trial.expect(trial.run(), exit: 0, .file)
    let before = trial.server.settledLog().entries.count
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file, says: "already complete")
    #expect(trial.server.settledLog().methods.dropFirst(before) == ["HEAD"])
  }

  @Test func aFileTooLargeForTheDiskLeavesNothing() throws {
    let length: Int64 = 1_000_000_000_000_000
    let content = Content.pattern(length: length)
    let trial = try Trial.lateHead(content) { _ in .file(content) }
    let result = try trial.run()
    #expect(result.exitCode == 7 && trial.names.isEmpty, "\(result.error)")
  }

  /// HEAD takes one of the places.
  @Test(arguments: [1, 2, 3])
  func fewRequestsAreAnsweredAtATime(most: Int) throws {
    var settings = ScriptedServer.Settings()
    settings.limit = .tooManyRequests(beyond: most)
    let trial = try Trial(.ten, settings: settings) { request in
      .file(.ten) { if request.method == "HEAD" { $0.delay = .milliseconds(150) } }
    }
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
    #expect(trial.server.settledLog().maxConcurrentRequests <= most)
  }
}
