import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Answers that are none, to some requests of a download that works otherwise.
@Suite(.waiting) struct OddAnswerRegressionTests {
  /// What is sent in place of a range.
  enum Odd: String, CaseIterable, CustomTestStringConvertible {
    case badRequest, noContent, proxyLogin, nowhere, elsewhere, noHTTP, noLength, hugeHead, empty, emptyOfThisVersion,
      nothingLeft, emptyChunks, page
    case text, textInChunks, textToTheEnd

    var testDescription: String { rawValue }

    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

    /// It ends where a file of unknown length would.
    var hasNoLength: Bool { [.emptyChunks, .textInChunks, .textToTheEnd].contains(self) }

    var reply: Reply {
      switch self {
      case .badRequest: .status(400, text: "no")
      case .noContent: .status(204)
      case .proxyLogin: .status(407)
      case .nowhere: .status(302)
      case .elsewhere: .redirect(to: "ftp://127.0.0.1/file")
      case .noHTTP: .raw("SSH-2.0-OpenSSH_9.2\r\n")
      case .noLength: .raw("HTTP/1.1 206 Partial Content\r\nContent-Length: ten\r\n\r\n")
      case .hugeHead: .raw("HTTP/1.1 206 Partial Content\r\nX: " + String(repeating: "x", count: 100_000) + "\r\n\r\n")
      case .empty: .status(200)
      case .emptyOfThisVersion: .status(200, headers: ["ETag": Content.ten.etag])
      case .nothingLeft: .status(416, headers: ["Content-Range": "bytes */0"])
      case .emptyChunks: .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", then: .close)
      case .text: .status(200, headers: ["Content-Type": "text/plain"], text: "Server busy, later\n")
      case .textInChunks: .raw(Self.head + "Transfer-Encoding: chunked\r\n\r\n13\r\nServer busy, later\n\r\n0\r\n\r\n")
      case .textToTheEnd: .raw(Self.head + "Connection: close\r\n\r\nServer busy, later\n")
      case .page: .status(200, headers: ["Content-Type": "text/html; charset=utf-8"], text: "<h1>Log in</h1>")
      }
    }
  }

  static func file(_ isNamed: Bool = true) -> Reply {
    .file(.ten) {
      $0.headers = ["Content-Type": "application/octet-stream"]
      if !isNamed { ($0.etag, $0.lastModified) = (nil, nil) }
    }
  }

  /// Each is followed by good ones: asked for again, it costs nothing.
  @Test(arguments: Odd.allCases, [1, 4])
  func onceInADownload(odd: Odd, connections: Int) throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "GET" else { return Self.file() }
      // One connection has one range only, but that is cut.
      if connections == 1, request.indexOfMethod == 0 { return .file(.ten) { $0.cutAfter = 1_000_000 } }
      return request.indexOfMethod == 1 ? odd.reply : Self.file()
    }
    try trial.expect(trial.run("-n", "\(connections)", "--give-up-after", "20"), exit: 0, .file)
  }

  /// In place of the file's beginning, while other ranges of it come; where nothing has a name, only they contradict.
  @Test(arguments: Odd.allCases, [true, false])
  func onceInPlaceOfTheBeginning(odd: Odd, isNamed: Bool) throws {
    let wasSent = Monitor(false)
    let trial = try Trial(.ten) { request in
      guard request.method == "GET", request.range != nil else { return Self.file(isNamed) }
      let isFirst =
        request.firstByte == 0
        && wasSent.change { wasSent in
          defer { wasSent = true }
          return !wasSent
        }
      guard isFirst else { return Self.file(isNamed) }
      // When the others have been answered.
      usleep(300_000)
      return odd.reply
    }
    try trial.expect(trial.run("--give-up-after", "20"), exit: 0, .file)
  }

  /// The version changes with every answer, and the one response that is taken as it comes is none.
  @Test(arguments: [Odd.empty, .emptyOfThisVersion, .page])
  func inPlaceOfTheOneResponse(odd: Odd) throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "HEAD" || request.indexOfMethod < 6 else { return odd.reply }
      return .file(.ten) {
        $0.headers = ["Content-Type": "application/octet-stream"]
        $0.etag = "\"\(request.index)\""
        if request.method == "GET" { $0.cutAfter = 100_000 }
      }
    }
    let result = try trial.run("-n", "1")
    #expect([3, 4, 6].contains(result.exitCode), "\(result.error)")
    try trial.expect(result, exit: result.exitCode, .partOrNothing)
  }

  /// The link was good for one answer: what that has brought is kept, and nothing takes the file's name.
  ///
  /// Left out: what says again and again that the file is another now. And chunks, where nothing has a name. They are taken for a server that knows no ranges, and a stream of it
  /// cannot be gone on with.
  @Test(arguments: Odd.allCases, [true, false])
  func forGood(odd: Odd, isNamed: Bool) throws {
    guard isNamed || !odd.hasNoLength, odd != .nothingLeft else { return }
    let isFirst = Monitor(true)
    let trial = try Trial(.ten) { request in
      guard request.method == "GET" else { return Self.file(isNamed) }
      let isGood = isFirst.change { isFirst in
        defer { if request.firstByte == 0 { isFirst = false } }
        return isFirst && request.firstByte == 0
      }
      guard isGood else { return odd.reply }
      return .file(.ten) {
        if !isNamed { ($0.etag, $0.lastModified) = (nil, nil) }
        $0.cutAfter = 1_000_000
      }
    }
    try trial.expect(trial.run(), exit: 4, .part)
    #expect(try #require(try trial.manifest()).done >= 1_000_000)
    guard !isNamed else { return try trial.expectCleanRerun() }
    // A sample of what is here is compared first.
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// Behind an answer that may pass, on the connection that it came on, stands what is no answer: that is the server's
  /// doing and not the network's.
  @Test func garbageOnKeptConnectionsForGood() throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "GET" else { return Self.file() }
      if request.indexOfMethod < 4 { return .file(.ten) { $0.cutAfter = 1_000_000 } }
      return request.indexOnConnection % 2 == 0 ? .status(503) : Odd.noHTTP.reply
    }
    try trial.expect(trial.run("--give-up-after", "3"), exit: 4, .part)
    try trial.expectCleanRerun()
  }

  /// HEAD tells a length, and no GET gives a byte.
  @Test(arguments: [Odd.empty, .emptyChunks], [1, 4])
  func nothingIsEverSent(odd: Odd, connections: Int) throws {
    let trial = try Trial(.ten) { $0.method == "HEAD" ? Self.file() : odd.reply }
    let result = try trial.run("-n", "\(connections)")
    #expect(result.exitCode == 3 || result.exitCode == 4, "\(result.error)")
    try trial.expect(result, exit: result.exitCode, .nothing)
    try trial.expectCleanRerun()
  }

  /// One server of several has an older version still, which every third answer comes from.
  @Test func aServerThatIsBehindTheOthers() throws {
    let old = Content.pattern(length: Content.ten.length, seed: 5)
    let trial = try Trial(.ten) { request in
      guard request.method == "GET", request.indexOfMethod % 3 == 2 else { return .file(.ten) }
      return .file(old) { $0.etag = "\"old\"" }
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("changed"), "\(result.error)")
  }
}
