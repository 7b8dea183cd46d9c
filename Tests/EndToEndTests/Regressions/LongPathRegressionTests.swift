import FaultCatalogue
import TestSupport
import Testing

/// The first GET goes out beside HEAD, and what it brings is kept until another connection has been answered.
@Suite(.waiting) struct LongPathRegressionTests {
  /// A server with one thread: as long as a connection is open, no other one is answered. The first response does not
  /// wait for that.
  @Test func oneConnectionIsServedAtATime() throws {
    let content = Content.pattern(length: 8_000_000)
    let first = Latch()
    let trial = try Trial.lateHead(content) { request in
      guard request.method == "GET" else { return .file(content) }
      if request.range != "bytes=0-" { first.wait() }
      return .file(content)
    }
    let command = try trial.command(["-v", "--stall-timeout", "10", "--give-up-after", "20"]).start()
    let isLeft = trial.server.waitUntil { log in
      log.entries.contains { $0.request.range == "bytes=0-" && $0.isFinished }
    }
    first.open()
    let result = try command.result()
    #expect(isLeft)
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("no byte for"), "\(result.error)")
  }

  /// One request at a time, and 403 to those beside it: the first GET is sent again when it is alone.
  @Test(arguments: [401, 403, 404, 410])
  func theFirstGETIsOneTooMany(status: Int) throws {
    let trial = try Trial.lateHead(.ten) { request in
      request.method == "GET" && request.indexOfMethod == 0 ? .status(status) : .file(.ten)
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "\(status)")
  }

  /// The first GET's answer is none, and HEAD tells of a file.
  @Test(arguments: OddAnswerRegressionTests.Odd.allCases)
  func theFirstGETIsOdd(odd: OddAnswerRegressionTests.Odd) throws {
    let trial = try Trial.lateHead(.ten) { request in
      guard request.method == "HEAD" || request.firstByte > 0 || request.indexOfMethod > 0 else { return odd.reply }
      return OddAnswerRegressionTests.file()
    }
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
  }

  /// And so is every other one.
  @Test(arguments: [OddAnswerRegressionTests.Odd.empty, .emptyChunks, .badRequest, .noHTTP, .noLength, .elsewhere])
  func everyGETIsOdd(odd: OddAnswerRegressionTests.Odd) throws {
    let trial = try Trial.lateHead(.ten) { request in
      request.method == "HEAD" ? OddAnswerRegressionTests.file() : odd.reply
    }
    let result = try trial.run()
    #expect(result.exitCode == 3 || result.exitCode == 4, "\(result.error)")
    try trial.expect(result, exit: result.exitCode, .nothing)
  }

  /// What is refused to HEAD too is refused.
  @Test func aRefusalOfBothIsBelieved() throws {
    let head = Latch()
    let trial = try Trial(.ten) { request in
      if request.method == "HEAD" { head.wait() } else { head.open() }
      return .status(404)
    }
    let result = try trial.run()
    #expect(result.termination == .exited(4), "\(result.error)")
    #expect(trial.gets.count <= 2)
  }
}
