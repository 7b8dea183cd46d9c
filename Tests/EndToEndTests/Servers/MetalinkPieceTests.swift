import FaultCatalogue
import TestSupport
import Testing

/// Pieces that are wrong: each is fetched again, alone.
@Suite(.waiting) struct MetalinkPieceTests {
  private static let content = MetalinkTests.content
  /// The bytes of the piece that the server damages, and one of them.
  private static let piece: Range<Int64> = 300_000..<400_000
  private static let place: Int64 = 350_000

  private static func damaged() throws -> Content {
    var bytes = try content.bytes(in: 0..<content.length)
    bytes[Int(place)] ^= 1
    return .bytes(bytes)
  }

  /// A server that sends the damaged piece so often, and then the right one.
  private static func serving(wrong times: Int, adjust: @escaping @Sendable (inout FileReply) -> Void = { _ in })
    throws -> Trial
  {
    let damaged = try damaged()
    let sent = Monitor(0)
    return try Trial(content) { request in
      let range = request.askedBytes(of: content.length) ?? request.firstByte..<content.length
      let isWrong = request.method == "GET" && range.contains(place)
      let number = sent.change { count in
        count += isWrong ? 1 : 0
        return count
      }
      return .file(isWrong && number <= times ? damaged : content) {
        $0.etag = content.etag
        adjust(&$0)
      }
    }
  }

  private func text(_ trial: Trial, hasDigest: Bool = true) throws -> String {
    let text = try MetalinkText.document(MetalinkText.file("file.bin", Self.content, [trial.server.url()]))
    guard !hasDigest, let start = text.firstRange(of: "<hash type=\"sha-256\">"),
      let end = text[start.upperBound...].firstRange(of: "</hash>")
    else { return text }
    return text.replacingCharacters(in: start.lowerBound..<end.upperBound)
  }

  @Test(arguments: [true, false]) func oneWrongPieceIsFetchedAgainAlone(hasDigest: Bool) throws {
    let trial = try Self.serving(wrong: 1)
    let result = try trial.runMetalink(text(trial, hasDigest: hasDigest))
    let says = "bytes 300000-399999 from \(trial.server.url()) do not match the sha1 in the metalink"
    try trial.expect(result, exit: 0, .file, says: says, hasDigest ? "sha256 verified" : "sha1 verified")
    let asked = trial.asked().filter { $0.contains(Self.place) }
    #expect(asked.count == 2 && asked.last.map { Self.piece.lowerBound <= $0.lowerBound } == true, "\(asked)")
    #expect(asked.last.map { $0.upperBound <= Self.piece.upperBound } == true, "\(asked)")
  }

  /// A whole body, whose length nothing tells, may be all that a server can send.
  @Test func aServerWithoutRanges() throws {
    let trial = try Self.serving(wrong: 1) {
      $0.honoursRange = false
      $0.isChunked = true
    }
    let result = try trial.runMetalink(text(trial))
    try trial.expect(result, exit: 0, .file, says: "bytes 300000-399999", "sha256 verified")
  }

  @Test func aPieceThatStaysWrongEndsIt() throws {
    let trial = try Self.serving(wrong: 1000)
    let text = try text(trial)
    let result = try trial.runMetalink(text)
    try trial.expect(result, exit: 5, .part, says: "of piece 4 in the metalink, after 3 tries", "file.bin.part")
    let kept = try #require(try trial.manifest()).segments
    #expect(kept.allSatisfy { !$0.range.overlaps(Self.piece) })
    let before = trial.server.log.entries.count
    trial.heal()
    try trial.expect(trial.runMetalink(text), exit: 0, .file, says: "sha256 verified")
    for range in trial.asked(since: before) {
      #expect(!kept.contains { $0.range.overlaps(range) }, "\(range) was here already")
    }
  }

  /// Two sources bring a piece together, and one of them is wrong: it is fetched from each alone before that is the end.
  @Test(arguments: [true, false]) func aPieceFromBothIsFetchedFromOne(isFirst: Bool) throws {
    let content = Content.pattern(length: 1_048_576)
    var bytes = try content.bytes(in: 0..<content.length)
    // Wherever it begins and ends, it is wrong.
    for place in stride(from: 0, to: bytes.count, by: 1000) where isFirst || place >= 600_000 { bytes[place] ^= 1 }
    let liar = try ScriptedServer(.file(.bytes(bytes)))
    let trial = try Trial.healthy(content)
    let urls = [liar.url(), trial.server.url()]
    let digest = try DigestTests.digest("sha256", of: content)
    let text = try MetalinkText.file("file.bin", content, isFirst ? urls : urls.reversed(), hasPieces: false)
      .replacing("</size>", with: "</size><pieces length=\"1048576\" type=\"sha-256\"><hash>\(digest)</hash></pieces>")
    for _ in 0..<5 {
      let result = try trial.runMetalink(MetalinkText.document(text))
      try trial.expect(result, exit: 0, .file, says: "sha256 verified")
      trial.folder.remove(trial.placed("file.bin"))
    }
  }

  /// Nothing is left where all of it is wrong, and nothing is said of a rest.
  @Test func theOnlyPieceIsWrong() throws {
    let trial = try Trial(Content.pattern(length: 90_000)) { _ in .file(.pattern(length: 90_000, seed: 3)) }
    let text = try MetalinkText.document(MetalinkText.file("file.bin", .pattern(length: 90_000), [trial.server.url()]))
    let result = try trial.runMetalink(text)
    #expect(result.exitCode == 5 && result.error.contains("in the metalink, after 3 tries\n"), "\(result.error)")
  }

  /// Where none is right there is no use in asking for all of them three times.
  @Test func digestsOfAnotherFile() throws {
    let trial = try Trial(Self.content) { _ in
      .file(.pattern(length: Self.content.length, seed: 7)) { $0.etag = Self.content.etag }
    }
    let result = try trial.runMetalink(text(trial))
    #expect(result.exitCode == 5 && result.error.contains("in the metalink"), "\(result.error)")
    #expect(trial.server.settledLog().bodyBytesSent < 3 * Self.content.length)
  }

  /// A complete part without the right digest: the pieces tell what is to be fetched again.
  @Test func aCompletePartIsMended() throws {
    let (trial, damaged) = try (Self.serving(wrong: 1000), Self.damaged())
    let digest = try DigestTests.digest("sha256", of: Self.content)
    let wrong = try trial.run("--sha256", digest)
    // All is kept as it came: what the manifest claims is what the server has sent.
    try trial.expect(wrong, exit: 5, .part, of: damaged, says: "sha256 of file.bin does not match")
    trial.heal()
    let before = trial.server.log.entries.count
    let result = try trial.runMetalink(text(trial))
    try trial.expect(result, exit: 0, .file, says: "bytes 300000-399999", "sha256 verified")
    let asked = trial.asked(since: before)
    #expect(!asked.isEmpty && asked.allSatisfy { Self.piece.lowerBound <= $0.lowerBound }, "\(asked)")
  }

  /// What the disk has changed since, while nothing ran.
  @Test func aCompletePartThatWasTouched() throws {
    let trial = try Trial.healthy(Self.content)
    let zeros = String(repeating: "0", count: 64)
    try trial.expect(trial.run("--sha256", zeros), exit: 5, .part)
    try trial.folder.flipByte(of: trial.part, at: Self.place)
    let result = try trial.runMetalink(text(trial))
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
  }

  @Test func theyCameOverPlainHTTP() throws {
    let trial = try Trial(Self.content) { request in
      guard request.path != "/file.bin" else { return .file(Self.content) }
      let url = "http://\(request.headers["Host"] ?? "")/file.bin"
      guard let file = try? MetalinkText.file("file.bin", Self.content, [url]) else { return .status(500) }
      let text = file.replacing("type=\"sha-256\"", with: "type=\"none\"")
      return .status(200, text: MetalinkText.document(text))
    }
    let result = try trial.run("--metalink", "-v", url: trial.server.url("/x.meta4"))
    let says = "not used: none, an unknown algorithm"
    try trial.expect(result, exit: 0, .file, says: says, "sha1 verified, digest not authenticated")
  }
}

extension String {
  /// Without a part of it.
  fileprivate func replacingCharacters(in range: Range<Index>) -> String {
    String(self[..<range.lowerBound] + self[range.upperBound...])
  }
}
