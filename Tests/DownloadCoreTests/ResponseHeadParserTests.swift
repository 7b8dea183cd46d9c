import DownloadCore
import Testing

@Suite struct ResponseHeadParserTests {
  /// Feeds the lines, each with CRLF.
  private func parse(_ lines: String...) throws(MalformedHead) -> ResponseHeadParser {
    try parse(bytes: lines.map { Array(($0 + "\r\n").utf8) })
  }

  private func parse(bytes lines: [[UInt8]]) throws(MalformedHead) -> ResponseHeadParser {
    var parser = ResponseHeadParser()
    for line in lines { try add(line, to: &parser) }
    return parser
  }

  private func add(_ line: [UInt8], to parser: inout ResponseHeadParser) throws(MalformedHead) {
    let result = line.withUnsafeBufferPointer { buffer in
      Result { () throws(MalformedHead) in try parser.add(line: buffer) }
    }
    try result.get()
  }

  @Test func readsAHead() throws {
    let parser = try parse("HTTP/1.1 206 Partial Content", "Content-Length:  10\t", "etag: \"x\"", "Empty:", "")
    let head = try #require(parser.head)
    #expect(head.status == .partialContent && head.reason == "Partial Content")
    #expect(head.fields == [.init("Content-Length", "10"), .init("etag", "\"x\""), .init("Empty", "")])
    #expect(head.first("ETAG") == "\"x\"" && head.values("empty") == [""] && head.first("Other") == nil)
    #expect(parser.isComplete)
  }

  @Test func isIncompleteBeforeTheBlankLine() throws {
    #expect(try !parse("HTTP/1.1 200 OK", "A: b").isComplete)
    #expect(try parse(bytes: [Array("HTTP/1.0 200\n".utf8), Array("\n".utf8)]).isComplete)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK", "HTTP/1.0 404 Not Found", "HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/2 200", "HTTP/3 503 x  y",
    "HTTP/1.1 599 é",
  ])
  func acceptsStatusLine(_ line: String) throws {
    #expect(try parse(line, "").isComplete)
  }

  @Test(arguments: [
    "HTTP/1.1 999 x", "HTTP/1.1 099 x", "HTTP/1.1 600", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK",
    "HTTP/1.1", "HTTP/0.9 200 OK", "HTTP/1.12 200 OK", "HTTP/x 200 OK", "HTTP/1.1 +20 OK", "HTTP/1.1 20x", "ICY 200 OK",
    "garbage", "", "http/1.1 200 OK", "HTTP/ 200 OK", "HTTP/1. 200 OK", "HTTP/1.1 ２00 OK",
  ])
  func rejectsStatusLine(_ line: String) {
    #expect(throws: MalformedHead.self) { try parse(line, "") }
  }

  @Test func forgetsInformationalHeads() throws {
    let parser = try parse("HTTP/1.1 100 Continue", "A: 1", "", "HTTP/1.1 103 Early Hints", "Link: x", "")
    #expect(!parser.isComplete)
    let both = try parse("HTTP/1.1 100 Continue", "A: 1", "", "HTTP/1.1 200 OK", "B: 2", "")
    #expect(both.head?.fields == [.init("B", "2")])
    #expect(try both.byteCount > parse("HTTP/1.1 200 OK", "B: 2", "").byteCount)
  }

  @Test func ignoresTrailersButCountsThem() throws {
    let parser = try parse("HTTP/1.1 200 OK", "A: 1", "", "Content-Length: 5", " folded", "")
    #expect(parser.head?.fields == [.init("A", "1")])
    #expect(try parser.byteCount > parse("HTTP/1.1 200 OK", "A: 1", "").byteCount)
  }

  @Test func beginsAnewAtEachStatusLine() throws {
    let unfinished = try parse("HTTP/1.1 200 OK", "A: 1", "HTTP/1.1 206 Partial Content", "B: 2", "")
    #expect(unfinished.head?.status == .partialContent && unfinished.head?.fields == [.init("B", "2")])
    let proxy = try parse("HTTP/1.1 200 Connection established", "", "HTTP/1.1 404 Not Found", "C: 3")
    #expect(!proxy.isComplete)
  }

  @Test func joinsContinuations() throws {
    let parser = try parse("HTTP/1.1 200 OK", "A: one", "  two", "\tthree", "B: x", "")
    #expect(parser.head?.fields == [.init("A", "one two three"), .init("B", "x")])
    let hidden = try parse("HTTP/1.1 200 OK", "A: 1", "no field", " Content-Length: 5", "")
    #expect(hidden.head?.fields == [.init("A", "1")])
    #expect(throws: MalformedHead.self) { try parse("HTTP/1.1 200 OK", " A: one", "") }
  }

  @Test(arguments: ["A: b\0c", "A: b\rc", "A\0: b", "A: b\r", "\rA: b", "A: b\nC: d"])
  func rejectsNULAndBareLineEnds(_ line: String) {
    #expect(throws: MalformedHead.self) { try parse("HTTP/1.1 200 OK", line, "") }
  }

  @Test(arguments: ["no colon", ": no name", "na me: x", "(x): y"])
  func dropsWhatIsNoField(_ line: String) throws {
    #expect(try parse("HTTP/1.1 200 OK", line, "").head?.fields == [])
  }

  /// Two Content-Lengths must not pass for one because of a blank.
  @Test func readsANameWithABlankBehindIt() throws {
    let parser = try parse("HTTP/1.1 200 OK", "Content-Length : 5", "Content-Length: 6", "")
    #expect(parser.head?.contentLength == .malformed("5, 6"))
  }

  @Test func readsUTF8ElseLatin1() throws {
    let utf8 = try parse("HTTP/1.1 200 OK", "A: naïve 🎉", "")
    #expect(utf8.head?.first("A") == "naïve 🎉")
    let latin1 = try parse(bytes: [
      Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: na".utf8) + [0xEF] + Array("ve\r\n".utf8), [0x0D, 0x0A],
    ])
    #expect(latin1.head?.first("A") == "naïve")
  }

  @Test func limitsAllHeadsTogether() throws {
    let line = Array("A: \(String(repeating: "x", count: 995))\r\n".utf8)
    var parser = try parse("HTTP/1.1 200 OK")
    for _ in 0..<65 { try add(line, to: &parser) }
    #expect(throws: MalformedHead.tooLarge) { try add(line, to: &parser) }
    let long = Array("A: \(String(repeating: "x", count: 10 << 20))\r\n".utf8)
    #expect(throws: MalformedHead.tooLarge) { try parse(bytes: [long]) }
    let hints = [[UInt8]](repeating: Array("HTTP/1.1 100 Continue\r\n".utf8), count: 3000)
    #expect(throws: MalformedHead.tooLarge) { try parse(bytes: hints) }
  }

  @Test func survivesAnything() {
    var chance = SeededGenerator(seed: 1)
    let seeds = ["HTTP/1.1 200 OK\r\n", "Content-Length: 10\r\n", " folded\r\n", "\r\n", "ETag: W/\"x\"\r\n"]
    var parser = ResponseHeadParser()
    for _ in 0..<20_000 {
      let seed = seeds.randomElement(using: &chance) ?? ""
      let line = Bool.random(using: &chance) ? Array(seed.utf8) : chance.mutation(of: seed)
      do { try add(line, to: &parser) } catch { parser = ResponseHeadParser() }
      if let head = parser.head {
        _ = (head.contentLength, head.transferCoding, head.contentRange, head.etag, head.retryAfter)
        #expect(head.fields.allSatisfy { $0.value.utf8.allSatisfy { $0 != 0 && $0 != 0x0D && $0 != 0x0A } })
      }
    }
  }
}
