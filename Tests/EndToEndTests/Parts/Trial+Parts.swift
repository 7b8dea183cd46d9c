import TestSupport
import Testing

/// What the tests of parts of files do with a trial.
extension Trial {
  /// 20 MB and 1 byte, on a healthy server.
  static func parts(_ adjust: @escaping @Sendable (inout FileReply) -> Void = { _ in }) throws -> Trial {
    let content = Content.pattern(length: 20_000_001)
    return try Trial(content, .file(content, adjust))
  }

  /// A file holds exactly these bytes of what the server serves.
  func expect(
    _ name: String, is range: Range<Int64>, of version: Content? = nil, location: SourceLocation = #_sourceLocation
  ) throws {
    let here = folder.contains(placed(name)) ? try folder.bytes(placed(name)) : []
    let there = try (version ?? content).bytes(in: range)
    #expect(here == there, "\(name) has \(here.count) bytes", sourceLocation: location)
  }

  /// A run ended as expected, with one line about it where it failed.
  func expect(
    _ result: CommandResult, code: Int32, says words: String..., location: SourceLocation = #_sourceLocation
  ) {
    #expect(result.exitCode == code, "\(result.error)", sourceLocation: location)
    for text in words { #expect(result.error.contains(text), "\(result.error)", sourceLocation: location) }
    Self.expectPlain(result, location)
  }

  /// Fetches a part into a file of its own, with its manifest.
  func fetchPart(_ range: String, as name: String, location: SourceLocation = #_sourceLocation) throws {
    expect(try run("--range", range, "--keep-manifest", "-o", name), code: 0, location: location)
  }

  /// Fetches a part into its place in a file.
  func fill(_ range: String, of name: String, location: SourceLocation = #_sourceLocation) throws {
    let start = String(range.prefix { $0 != "-" })
    expect(try run("--range", range, "--output-offset", start, "-o", name), code: 0, location: location)
  }

  /// The ranges that GETs asked for since the server had seen `count` requests.
  func ranges(since count: Int = 0) -> [Range<Int64>] { asked(since: count) }

  /// Writes over some bytes of a file that is here, as a bad disk would.
  func damage(_ name: String, at offset: Int) throws {
    var bytes = try folder.bytes(placed(name))
    for index in offset..<offset + 4 { bytes[index] ^= 0x5a }
    try folder.write(.bytes(bytes), to: placed(name))
  }
}
