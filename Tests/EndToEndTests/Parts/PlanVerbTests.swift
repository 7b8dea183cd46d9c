import FaultCatalogue
import TestSupport
import Testing

/// `swoop plan`: the same ranges for every machine that asks.
@Suite(.waiting) struct PlanVerbTests {
  private func plan(_ trial: Trial, _ words: String...) throws -> CommandResult {
    try trial.swoop(["plan", trial.server.url(trial.path)] + words).run()
  }

  @Test(arguments: [1, 2, 3, 7, 32, 300, 100_000]) func coversTheFile(count: Int) throws {
    let trial = try Trial.parts()
    let result = try plan(trial, "--parts", "\(count)")
    trial.expect(result, code: 0)
    let json = try ParsedJSON(parsing: result.output)
    #expect(json.names == ["url", "length", "etag", "lastModified", "parts"])
    #expect(json["url"].string == trial.server.url(trial.path) && json["length"].integer == trial.content.length)
    #expect(json["etag"].string == trial.content.etag)
    let parts = try #require(json["parts"].array)
    #expect(parts.count == count)
    var end: Int64 = 0
    for (index, part) in parts.enumerated() {
      let (offset, length) = try (#require(part["offset"].integer), #require(part["length"].integer))
      #expect(part["index"].integer == Int64(index) && offset == end && length > 0)
      #expect(part["range"].string == "\(offset)-\(offset + length - 1)")
      if count <= 300 { #expect(offset % (64 << 10) == 0) }
      end = offset + length
    }
    #expect(end == trial.content.length)
    #expect(try plan(trial, "--parts", "\(count)").output == result.output)
    #expect(trial.names.isEmpty && trial.server.settledLog().methods == ["GET", "GET"])
  }

  @Test func onePartAlone() throws {
    let trial = try Trial.parts()
    let parts = try ParsedJSON(parsing: plan(trial, "--parts", "3").output)["parts"].array ?? []
    for index in 0..<3 {
      let result = try plan(trial, "--parts", "3", "--part", "\(index)")
      #expect(result.output == "\(parts[index]["range"].string ?? "")\n" && result.exitCode == 0, "\(result.error)")
    }
  }

  @Test(arguments: [
    [], ["--parts", "0"], ["--parts", "100001"], ["--parts", "x"], ["--parts", "-1"], ["--parts", "3", "--part", "3"],
    ["--parts", "3", "--part", "-1"], ["--parts", "3", "--part", "x"], ["--parts", "3", "other"],
    ["--parts", "3", "--range", "0-9"], ["--parts", "3", "-o", "f"],
  ]) func wrongWords(words: [String]) throws {
    let trial = try Trial.parts()
    trial.expect(try trial.swoop(["plan", trial.server.url()] + words).run(), code: 2)
    #expect(trial.server.log.connections == 0)
    trial.expect(try trial.swoop("plan", "--parts", "3"), code: 2, says: "one URL")
  }

  @Test func moreThanThereAreBytes() throws {
    let content = Content.text("12345")
    let trial = try Trial(content, .file(content))
    trial.expect(try plan(trial, "--parts", "6"), code: 4, says: "5 bytes")
    trial.expect(try plan(trial, "--parts", "5"), code: 0)
    let empty = try Trial(.bytes([]), .file(.bytes([])))
    trial.expect(try plan(empty, "--parts", "1"), code: 4, says: "it is empty")
  }

  @Test func noRanges() throws {
    let trial = try Trial.parts { $0.honoursRange = false }
    trial.expect(try plan(trial, "--parts", "2"), code: 4, says: "no ranges")
    let unknown = try Trial.parts {
      $0.honoursRange = false
      $0.isChunked = true
    }
    trial.expect(try plan(unknown, "--parts", "2"), code: 4, says: "does not tell its length")
    let missing = try Trial(.ten, .status(404))
    trial.expect(try plan(missing, "--parts", "2"), code: 4, says: "404")
  }
}
