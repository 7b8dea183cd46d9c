import FaultCatalogue
import TestSupport
import Testing

/// HEAD and GET, or one answer and the next, name versions and lengths that have nothing in common.
@Suite(.waiting) struct DisagreementRegressionTests {
  /// HEAD promises more than the connection brings before it is closed in order, every time: that is the file.
  @Test(arguments: ["1", "2", "8"])
  func closeDelimitedAndShorterThanHeadSays(connections: String) throws {
    let content = Content.pattern(length: 299_900)
    let trial = try Trial(content) { request in
      .file(content) {
        $0.headLength = .other(300_000)
        $0.etag = "\"a\""
        guard request.method == "GET" else { return }
        $0.honoursRange = false
        $0.isCloseDelimited = true
      }
    }
    let result = try trial.run("-n", connections)
    try trial.expect(result, exit: 0, .file)
    #expect(result.error.contains("length unverified"), "\(result.error)")
    #expect(trial.server.log.entries.count < 30)
  }

  /// One version is named by its date alone, the other by its ETag alone, and half of the answers are of each.
  @Test(arguments: [0, 1])
  func versionsAreNamedByDifferentKinds(oddOrEven: Int) throws {
    let trial = try Trial(.other) { request in
      if request.method == "HEAD" || request.indexOfMethod % 2 == oddOrEven {
        return .file(.ten) {
          $0.etag = nil
          $0.lastModified = "Thu, 01 Jan 2015 00:00:00 GMT"
        }
      }
      return .file(.other) {
        $0.etag = "\"b\""
        $0.lastModified = nil
      }
    }
    let result = try trial.run("-n", "2")
    Trial.expectPlain(result, #_sourceLocation)
    guard result.termination == .exited(0) else {
      #expect(result.termination == .exited(6), "\(result.error)")
      #expect(!trial.names.contains("file.bin"))
      return
    }
    let isOld = try trial.folder.holds(.ten, in: trial.placed("file.bin"))
    #expect(try isOld || trial.folder.holds(.other, in: trial.placed("file.bin")), "a mixture: \(result.error)")
  }

  /// A body of nameless version is cut, and what comes after that is another one's, whole: only that counts.
  @Test func namelessStreamIsNotGoneOnWith() throws {
    let trial = try Trial(.other) { request in
      guard request.method == "GET", request.indexOfMethod > 0 else {
        return .nameless(.ten, honoursRange: false, cutAfter: request.method == "GET" ? 30_000 : nil)
      }
      return .nameless(.other, honoursRange: false, cutAfter: nil)
    }
    try trial.expect(try trial.run("-n", "1"), exit: 0, .file)
  }

  /// HEAD names the version otherwise than GET does, all the time: a part is gone on with all the same.
  @Test func headNeverAgreesWithGet() throws {
    // The first requests go to waste on the disagreement; then come some that bring something, and after that none.
    let trial = try Trial(.ten) { request in
      guard request.method == "HEAD" || request.indexOfMethod < 10 else { return .silence }
      return .file(.ten) {
        $0.etag = request.method == "HEAD" ? "\"a-gzip\"" : "\"a\""
        if request.method == "GET" { $0.stallAfter = 500_000 }
      }
    }
    let first = try trial.command(["--give-up-after", "2", "--stall-timeout", "1"]).run()
    #expect(first.exitCode == 3, "\(first.error)")
    let kept = try #require(try trial.manifest())
    #expect(kept.done >= 500_000)
    let agreed = try Trial(.ten) { request in
      .file(.ten) { $0.etag = request.method == "HEAD" ? "\"a-gzip\"" : "\"a\"" }
    }
    for name in trial.names {
      var bytes = try trial.folder.bytes(trial.placed(name))
      if name.hasSuffix(".json") {
        bytes = Array(
          String(decoding: bytes, as: UTF8.self).replacing(trial.server.origin, with: agreed.server.origin).utf8)
      }
      try agreed.folder.write(.bytes(bytes), to: agreed.placed(name), mode: 0o600)
    }
    let result = try agreed.run()
    try agreed.expect(result, exit: 0, .file)
    #expect(!result.error.contains("beginning again"), "\(result.error)")
    // The sample is 64 KiB.
    #expect(agreed.server.log.bodyBytesSent <= 10_000_001 - kept.done + 200_000)
  }
}

extension Reply {
  fileprivate static func nameless(_ content: Content, honoursRange: Bool, cutAfter: Int64?) -> Reply {
    .file(content) {
      $0.etag = nil
      $0.lastModified = nil
      $0.honoursRange = honoursRange
      $0.cutAfter = cutAfter
    }
  }
}
