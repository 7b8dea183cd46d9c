import FaultCatalogue
import TestSupport
import Testing

/// Redirects that come while others are at work already.
@Suite(.waiting) struct RedirectRegressionTests {
  /// The first range is not answered until another connection has taken over its end, and then redirected: at the new
  /// address only what is left of it is asked for.
  @Test(arguments: [302, 307])
  func rangeWasShortenedBeforeTheRedirect(status: Int) throws {
    let content = Content.pattern(length: 8 << 20)
    let first = Monitor<Range<Int64>?>(nil)
    let isShortened = Monitor(false)
    var settings = ScriptedServer.Settings()
    settings.rate = 8_000_000
    let trial = try Trial(content, settings: settings) { request in
      guard request.method == "GET", request.path == "/file.bin" else { return .file(content) }
      if request.firstByte == 0 {
        // Where HEAD took its time, the first GET asks for all, and nobody takes anything over yet.
        guard request.range != "bytes=0-" else { return .redirect(status, to: "/moved.bin") }
        first.change { $0 = request.askedBytes(of: content.length) }
        _ = isShortened.wait(timeout: .seconds(5)) { $0 }
        return .redirect(status, to: "/moved.bin")
      }
      if first.read({ $0?.contains(request.firstByte) ?? false }) { isShortened.change { $0 = true } }
      return .file(content)
    }
    try trial.expect(trial.run("-n", "2", "--min-split", "256k"), exit: 0, .file)
    guard first.read({ $0 }) != nil else { return }
    #expect(isShortened.read { $0 }, "\(trial.server.log.ranges)")
    let requests = trial.server.settledLog().entries.map(\.request)
    let moved = try #require(requests.first { $0.method == "GET" && $0.path == "/moved.bin" })
    let asked = try #require(moved.askedBytes(of: content.length))
    for earlier in requests.prefix(moved.index) where earlier.firstByte > 0 {
      let again = earlier.askedBytes(of: content.length)?.overlaps(asked) ?? false
      #expect(!again, "\(moved.range ?? "") after \(earlier.range ?? "")")
    }
  }

  /// The beginning leads elsewhere while another range says that HEAD's length is wrong: both come at one time, and what
  /// the beginning says at its new address counts.
  @Test(arguments: 0..<4) func lengthIsContradictedBesideTheRedirect(_: Int) throws {
    let asked = Monitor<Set<Bool>>([])
    let trial = try Trial(.ten) { request in
      let file = Reply.file(.ten) { ($0.etag, $0.lastModified) = (nil, nil) }
      guard request.method == "GET" else { return .status(200, headers: ["Content-Length": "10000100"]) }
      guard request.path == "/file.bin" else { return file }
      asked.change { _ = $0.insert(request.firstByte == 0) }
      // Where HEAD took its time, nothing else is asked for yet.
      _ = asked.wait(timeout: .seconds(1)) { $0.count == 2 }
      return request.firstByte == 0 ? .redirect(to: "/moved.bin") : file
    }
    try trial.expect(trial.run("-n", "2"), exit: 0, .file)
  }
}
