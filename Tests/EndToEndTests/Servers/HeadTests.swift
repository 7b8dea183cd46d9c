import FaultCatalogue
import TestSupport
import Testing

/// HEAD is a hint, never a need: refused, silent, wrong or without a length (R02 to R05).
@Suite(.waiting) struct HeadTests {
  @Test(.row("R02", "R03"), arguments: [400, 401, 403, 404, 405, 500, 501])
  func refused(status: Int) throws {
    let trial = try Trial(.ten) { $0.method == "HEAD" ? .status(status) : .file(.ten) }
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.methods.filter { $0 == "HEAD" }.count == 1)
    // The body of the first GET is the first range: nothing before the second one is asked for again.
    let ranges = trial.server.log.ranges
    #expect(ranges.first == "bytes=0-")
    #expect(ranges.dropFirst().allSatisfy { !$0.hasPrefix("bytes=0-") })
    try trial.expectCleanRerun()
  }

  @Test func brokenHead() throws {
    let replies: [Reply] = [.raw("", then: .reset), .raw("", then: .close), .silence]
    for reply in replies {
      let trial = try Trial(.ten) { $0.method == "HEAD" ? reply : .file(.ten) }
      try trial.expect(trial.run("--stall-timeout", "1"), exit: 0, .file)
    }
  }

  /// What is said to HEAD cannot be understood, or is too much of it; what is said to GET can.
  @Test(arguments: [
    "gar\0bage\r\n\r\n", "HTTP/1.1 999 X\r\n\r\n", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
    "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 100_000))\r\n\r\n",
  ])
  func cannotBeUnderstood(answer: String) throws {
    let trial = try Trial(.ten) { $0.method == "HEAD" ? .raw(answer) : .file(.ten) }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("trying again"), "\(result.error)")
    try trial.expectCleanRerun()
  }

  /// Four first GETs at once all disagree with HEAD.
  @Test(.row("R04"), arguments: [100, -100, 10_000_000])
  func lengthDisagrees(by difference: Int64) throws {
    let trial = try Trial(
      .ten, .file(.ten) { $0.headLength = .other(Content.ten.length + difference) })
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file, says: "HEAD and GET disagree")
    #expect(!result.error.contains("changed on the server"), "\(result.error)")
    #expect(result.error.split(separator: "\n").filter { $0.contains("disagree") }.count == 1, "\(result.error)")
    try trial.expectCleanRerun()
  }

  /// The same, with all four answers there at the same moment: one disagreement, not four.
  @Test func lengthDisagreesFourTimesAtOnce() throws {
    let gate = Gate()
    let trial = try Trial(.ten) { request in
      gate.pass(request, of: 4)
      return .file(.ten) { $0.headLength = .other(Content.ten.length + 100) }
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file, says: "HEAD and GET disagree")
    #expect(!result.error.contains("changed on the server"), "\(result.error)")
  }

  /// HEAD answered by another version than every GET: GET is right.
  @Test func versionDisagrees() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.method == "HEAD" { $0.etag = "\"of HEAD\"" } }
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("changed on the server"), "\(result.error)")
  }

  /// Nothing but the last chunk tells how long the file is.
  @Test(arguments: [100, -100, -9_000_000, 9_000_000])
  func lengthDisagreesWithChunks(by difference: Int64) throws {
    for acceptRanges in ["none", nil] {
      let trial = try Trial(.ten) { request in
        .file(.ten) {
          $0.acceptRanges = acceptRanges
          $0.honoursRange = false
          $0.headLength = .other(Content.ten.length + difference)
          $0.isChunked = request.method == "GET"
        }
      }
      try trial.expect(trial.run(), exit: 0, .file, says: "announced")
    }
  }

  /// A signed address that answers to GET alone, behind a redirect.
  @Test func refusedBehindARedirect() throws {
    let trial = try Trial(.ten) { request in
      if request.path == "/file.bin" { return .redirect(to: "/signed?sig=S3CR3T") }
      return request.method == "HEAD" ? .status(403) : .file(.ten)
    }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  @Test(.row("R05")) func withoutLength() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 4_000_000
    let trial = try Trial(.ten, .file(.ten) { $0.headLength = .missing }, settings: settings)
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.count(ofStatus: 206) > 1)
    try trial.expectCleanRerun()
    let zero = try Trial(.ten, .file(.ten) { $0.headLength = .other(0) })
    try zero.expect(zero.run(), exit: 0, .file)
  }
}

/// Holds the first GETs back until so many have come, so that their answers come in one piece.
final class Gate: Sendable {
  private let count = Monitor(0)

  func pass(_ request: Request, of wanted: Int) {
    guard request.method == "GET" else { return }
    count.change { $0 += 1 }
    _ = count.wait(timeout: .seconds(1)) { $0 >= wanted }
  }
}
