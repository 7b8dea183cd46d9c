import FaultCatalogue
import TestSupport
import Testing

/// Answers that are no HTTP, or too much of it (T10, T11, T31 to T34).
@Suite(.waiting) struct ProtocolTests {
  /// T10, T11: neither many lines, nor one long one, nor many heads are taken.
  private static let endless = [
    ("HTTP/1.1 200 OK\r\n", "X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"),
    ("HTTP/1.1 200 OK\r\nX-Filler: ", "aaaaaaaaaaaaaaaa"), ("", "HTTP/1.1 100 Continue\r\n\r\n"),
    ("HTTP/1.1 200 OK\r\n", "Set-Cookie: a=b; Domain=.com\r\n"), ("HTTP/1.1 200 ", "OK"),
  ]

  @Test(.row("T10", "T11"), arguments: endless.indices)
  func endlessHead(index: Int) throws {
    let (start, repeating) = Self.endless[index]
    for refusesHead in [false, true] {
      let trial = try Trial(.ten) { request in
        refusesHead && request.method == "HEAD" ? .status(405) : .endless(start, repeating: repeating)
      }
      try trial.expect(trial.run(), exit: 4, .nothing, says: "response headers too large")
      try trial.expectCleanRerun()
    }
  }

  /// A line of 10 MB that does end, and a head of 10 MB in many lines that does.
  @Test(.row("T10", "T11"), arguments: [true, false])
  func largeHead(isOneLine: Bool) throws {
    let filler = "X-Filler: " + String(repeating: "a", count: isOneLine ? 10_000_000 : 90) + "\r\n"
    let fields = String(repeating: filler, count: isOneLine ? 1 : 100_000)
    let trial = try Trial(.ten, .raw("HTTP/1.1 200 OK\r\n\(fields)\(Self.body)"))
    try trial.expect(trial.run(), exit: 4, .nothing, says: "response headers too large")
    try trial.expectCleanRerun()
  }

  /// An endless trailer is no head, but as large.
  @Test func endlessTrailer() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "HEAD" { return .status(405) }
      let start = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
      return .endless(start, repeating: "X-Filler: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n")
    }
    let result = try trial.run()
    #expect(result.exitCode == 4, "\(result.error)")
    #expect(!trial.names.contains("file.bin"))
  }

  private static let body = "Content-Length: 5\r\n\r\nhello"

  private static let answers = [
    "hello, this is HTTP/0.9\n", "\0\0\0\0\0\0\0\0", "SSH-2.0-OpenSSH_9.2\r\n", "<html>\r\n\r\n</html>",
    "HTTP/1.1 banana\r\n\(body)", "HTTX/1.1 200 OK\r\n\(body)", "HTTP/1.1 20 OK\r\n\(body)",
    "HTTP/1.1 2000 OK\r\n\(body)", "HTTP/9.9 200 OK\r\n\(body)", "HTTP/1.1 999 X\r\n\(body)",
    "HTTP/1.1 000 X\r\n\(body)",
    "HTTP/1.1 -200 X\r\n\(body)", "HTTP/1.1 200 OK\r\nX: a\0b\r\n\(body)", "HTTP/1.1 200 OK\r\nX: a\rY: b\r\n\(body)",
    "HTTP/1.1 200 O\rK\r\n\(body)", "HTTP/1.1 200 OK\r\n lead: x\r\n\(body)",
    "HTTP/1.1 200 OK\r\nnonsense\r\n\(body)",
    "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 201 Created\r\n\(body)",
  ]

  @Test(.row("T31", "T32", "T33", "T34"), arguments: answers.indices)
  func noHTTP(index: Int) throws {
    let answer = Self.answers[index]
    for refusesHead in [false, true] {
      let trial = try Trial(.ten) { request in
        refusesHead && request.method == "HEAD" ? .status(405) : .raw(answer)
      }
      let result = try trial.run()
      try trial.expect(result, exit: 4, .nothing)
      try trial.expectCleanRerun()
    }
  }

  /// A length that goes on in the next line, and a folded line before one that is no field.
  @Test(
    .row("T34"), arguments: ["Content-Length: 1\r\n 5", "Content-Length: 5\r\n 5", "X: a\r\n b\r\nnonsense"])
  func foldedLine(lines: String) throws {
    let rest = lines.hasPrefix("X") ? "\r\nContent-Length: 5" : ""
    let trial = try Trial(.text("hello"), .raw("HTTP/1.1 200 OK\r\n\(lines)\(rest)\r\n\r\nhello"))
    try trial.expect(trial.run(), exit: 4, .nothing)
    try trial.expectCleanRerun()
  }

  /// Whoever receives a folded line has to read it as one (RFC 9112, section 5.2): what looks like a field in it is none.
  @Test(arguments: ["b", "Content-Length: 9"]) func foldedLineOfNoAccount(text: String) throws {
    let content = Content.text("hello")
    let trial = try Trial(content, .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a\r\n\t\(text)\r\n\r\nhello"))
    try trial.expect(trial.run(), exit: 0, .file)
    try trial.expectCleanRerun()
  }

  /// The same in the middle of a download, on one connection.
  @Test func garbageLater() throws {
    let trial = try Trial(.ten) { request in
      if request.method == "GET", request.indexOfMethod == 2 { return .raw("gar\0bage\r\n\r\n") }
      return .file(.ten)
    }
    let result = try trial.run()
    #expect([0, 4].contains(result.exitCode), "\(result.error)")
    try trial.expectInvariants(result)
    try trial.expectCleanRerun()
  }
}
