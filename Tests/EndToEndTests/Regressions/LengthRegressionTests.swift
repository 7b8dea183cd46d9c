import FaultCatalogue
import TestSupport
import Testing

/// HEAD and GET tell of different lengths, or the length is known only when the connection ends.
@Suite(.waiting) struct LengthRegressionTests {
  /// HEAD has a length, and every GET has another one, known by the end of the connection alone: the GET is right.
  @Test(arguments: ["1", "2"], [nil, "\"of GET\""])
  func closeDelimitedAndLongerThanHeadSays(connections: String, etag: String?) throws {
    let content = Content.pattern(length: 1_500_000)
    let trial = try Trial(content) { request in
      .file(content) {
        $0.headLength = .other(1_000_000)
        guard request.method == "GET" else { return }
        $0.acceptRanges = nil
        $0.honoursRange = false
        $0.isCloseDelimited = true
        if let etag { $0.etag = etag }
      }
    }
    let result = try trial.run("-n", connections)
    try trial.expect(result, exit: 0, .file)
    let last = result.error.split(separator: "\n").last ?? ""
    #expect(last.contains("length unverified"), "\(result.error)")
  }

  /// Every answer is of a version of its own; those to HEAD and to Range have 1,000,000 bytes, the one to a request
  /// without Range has `length`. A body that ends half-way leaves nothing to hope for.
  @Test(arguments: [1_500_000, 1_000_001, 999_999, 500_000], 0..<4)
  func anotherVersionWithEveryAnswer(length: Int64, way: Int) throws {
    let (isChunked, isCut) = (way & 1 != 0, way & 2 != 0)
    let whole = Content.pattern(length: length, seed: 2)
    let trial = try Trial(whole) { request in
      let isWhole = request.method == "GET" && request.range == nil
      return .file(isWhole ? whole : .pattern(length: 1_000_000)) {
        $0.etag = "\"\(request.index)\""
        $0.lastModified = nil
        $0.honoursRange = false
        $0.isChunked = isWhole && isChunked
        if isWhole && isCut { $0.cutAfter = length / 2 }
      }
    }
    let result = try trial.run()
    guard isCut else {
      #expect(result.exitCode == 0 && trial.names == ["file.bin"], "\(result.error)")
      // The first answer of all, to a request for a range, may be taken to its end, before another one speaks of a version.
      let versions = [whole, Content.pattern(length: 1_000_000)]
      #expect(try versions.contains { try trial.folder.holds($0, in: trial.placed("file.bin")) })
      return
    }
    // As above.
    let isFirst =
      try trial.names.contains("file.bin")
      && trial.folder.holds(.pattern(length: 1_000_000), in: trial.placed("file.bin"))
    #expect(result.termination == .exited(isFirst ? 0 : 6), "\(result.error)")
    #expect(isFirst || !trial.names.contains("file.bin"))
    Trial.expectPlain(result, #_sourceLocation)
  }
}
