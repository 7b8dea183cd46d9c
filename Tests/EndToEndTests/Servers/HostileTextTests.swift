import FaultCatalogue
import TestSupport
import Testing

/// What servers say, as it reaches terminals, logs and manifests (H12, H13, H20, H25).
@Suite(.waiting) struct HostileTextTests {
  private static let small = Content.text("hello")

  /// Window titles, screens, cursors, the clipboard, hyperlinks, the direction of text, and a line over another.
  private static let texts = [
    "\u{1B}]0;pwn\u{7}", "\u{1B}[2J", "\u{9B}2J", "\u{1B}]52;c;cHduCg==\u{7}", "\u{1B}]8;;http://evil/\u{7}x",
    "\u{202E}gpj.exe", "a\u{8}\u{8}b", "\u{85}x", "\u{2028}x", "\u{200B}x",
  ]

  private func expectHarmless(_ result: CommandResult, location: SourceLocation = #_sourceLocation) {
    for scalar in (result.error + result.output).unicodeScalars {
      // What our own progress line is made of, on a terminal.
      if scalar == "\r" || scalar == "\n" || scalar == "\u{1B}" { continue }
      let isHarmful =
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x2028...0x202E).contains(scalar.value)
        || scalar.value == 0x200B
      #expect(!isHarmful, "\(result.error.debugDescription)", sourceLocation: location)
    }
    // After an escape only what our own lines are drawn with.
    for piece in result.error.split(separator: "\u{1B}").dropFirst() where !result.error.isEmpty {
      let isOurs = ["[K", "[J", "[2m", "[0m", "[1A", "[2A", "[3A"].contains { piece.hasPrefix($0) }
      #expect(isOurs, "\(result.error.debugDescription)", sourceLocation: location)
    }
  }

  /// What is left of them as names.
  private static let names = [
    "]0;pwn", "[2J", "2J", "]52;c;cHduCg==", "x", "gpj.exe", "ab", "x", "x", "x",
  ]

  /// H12: in a name, with a progress bar and with plain lines, where it works and where it fails.
  @Test(.row("H12"), arguments: texts.indices)
  func inNames(index: Int) throws {
    let (text, name) = (Self.texts[index], Self.names[index])
    for isTerminal in [false, true] {
      for isCut in [false, true] {
        let trial = try Trial(Self.small) { request in
          if request.firstByte > 0 { return .status(404, reason: text) }
          return .file(Self.small) {
            $0.contentDisposition = "attachment; filename=\"\(text)\"; filename*=UTF-8''\(Self.encoded(text))"
            if isCut { $0.cutAfter = 2 }
          }
        }
        var command = trial.command(["-v"])
        if isTerminal { command.terminal = .init() }
        let result = try command.run()
        #expect(result.exitCode == (isCut ? 4 : 0), "\(result.error)")
        expectHarmless(result)
        #expect(trial.names == (isCut ? [name + ".part", name + ".part.json"] : [name]))
        guard isCut else { continue }
        trial.heal()
        // The healed server names the file otherwise, and the part stays whose it is.
        let again = try trial.run("-o", name)
        #expect(again.exitCode == 0 && trial.names == [name], "\(again.error)")
      }
    }
  }

  private static func encoded(_ text: String) -> String {
    text.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// H13: everywhere else in an answer.
  @Test(.row("H13"), arguments: texts.indices)
  func inHeads(index: Int) throws {
    let text = Self.texts[index]
    let fields = [
      "Server", "ETag", "Content-Type", "Retry-After", "Last-Modified", "Accept-Ranges", "WWW-Authenticate",
      "Content-Range", "X-Any",
    ]
    let lines = fields.map { $0 == "ETag" ? "\($0): \"\(text)\"\r\n" : "\($0): \(text)\r\n" }.joined()
    for status in [200, 206, 403, 404, 503, 416] {
      let trial = try Trial(.text(text)) { request in
        let body = request.method == "HEAD" ? "" : "\(text)"
        return .raw("HTTP/1.1 \(status) \(text)\r\n\(lines)Content-Length: \(text.utf8.count)\r\n\r\n\(body)")
      }
      let result = try trial.run("-v", "--give-up-after", "0.5")
      expectHarmless(result)
      try trial.expect(result, exit: status == 200 ? 0 : 4, status == 200 ? .file : .nothing)
      #expect(result.errorBytes.allSatisfy { $0 == 0x0A || $0 >= 0x20 }, "\(result.error.debugDescription)")
    }
  }

  /// H13: in what a second run says about the first one's manifest.
  @Test(.row("H13")) func inManifests() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", request.indexOfMethod >= 4 { return .status(404) }
      return .file(.ten) {
        $0.etag = "\"\u{9B}2J\""
        if request.method == "GET" { $0.cutAfter = 300_000 }
      }
    }
    let first = try trial.run()
    #expect(first.exitCode == 4 && trial.names.count == 2, "\(first.error)")
    expectHarmless(first)
    var status = CommandRunner.swoop(["status", "file.bin.part"])
    status.workingDirectory = trial.folder.path(Trial.place)
    expectHarmless(try status.run())
    trial.heal()
    let second = try trial.run("-v")
    #expect(second.exitCode == 0, "\(second.error)")
    expectHarmless(second)
  }

  @Test(.row("H20")) func cookies() throws {
    var cookies: HTTPFields = ["Set-Cookie": "huge=\(String(repeating: "a", count: 8000)); Domain=.127.0.0.1; Path=/"]
    for index in 0..<50 { cookies.append("Set-Cookie", "c\(index)=x; Path=/") }
    let headers = cookies
    let trial = try Trial(.ten, .file(.ten) { $0.headers = headers })
    try trial.expect(trial.run(), exit: 0, .file)
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["Cookie"] == nil })
  }

  /// H25: in everything that is shown or kept, whatever becomes of the download.
  @Test(.row("H25"), arguments: [200, 401, 404, 503, 0])
  func secretsOfTheURL(status: Int) throws {
    let trial = try Trial(.ten) { request in
      if status == 0, request.method == "GET", request.indexOfMethod >= 4 { return .silence }
      guard status == 200 || status == 0 else { return .status(status) }
      return .file(.ten) { if status == 0, request.method == "GET" { $0.cutAfter = 300_000 } }
    }
    let url = "http://user:S3CR3T@127.0.0.1:\(trial.server.port)/file.bin?sig=S3CR3T&X-Amz-Signature=S3CR3T&v=1#S3CR3T"
    let result = try trial.run("-v", "--stall-timeout", "0.5", "--give-up-after", "1", url: url)
    switch status {
    case 200: try trial.expect(result, exit: 0, .file, says: "sig=***")
    case 0:
      try trial.expect(result, exit: 3, .part, says: "sig=***")
      #expect(try trial.folder.mode(trial.placed("file.bin.part.json")) == 0o600)
      #expect(try trial.folder.mode(trial.placed("file.bin.part")) == 0o600)
    default: try trial.expect(result, exit: 4, .nothing, says: "sig=***")
    }
    #expect(trial.server.log.entries.allSatisfy { $0.request.target.contains("sig=S3CR3T") })
    #expect(trial.server.log.entries.allSatisfy { !$0.request.target.contains("#") })
  }

  @Test(
    .row("H25"),
    arguments: [
      "http://user:S3CR3T@", "http://user:S3CR3T@:80/", "http://user:S3CR3T@host:99999/x", "x y://a:S3CR3T@b",
    ])
  func secretsOfWhatIsNoURL(url: String) throws {
    let trial = try Trial(.ten, .file(.ten))
    try trial.expect(trial.run("-v", url: url), exit: 2, .nothing)
  }
}
