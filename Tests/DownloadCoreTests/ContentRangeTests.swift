import DownloadCore
import Testing

@Suite struct ContentRangeTests {
  @Test(
    arguments: [
      ("bytes 0-99/200", 0, 100, 200), ("bytes 0-0/1", 0, 1, 1), ("bytes 5-9/10", 5, 10, 10),
      ("bytes 0-99/*", 0, 100, nil), ("bytes=0-99/100", 0, 100, 100), ("0-99/100", 0, 100, 100),
      ("BYTES 0-99/100", 0, 100, 100), ("  bytes\t 0 - 99 / 100 ", 0, 100, 100), ("bytes = 0-99/100", 0, 100, 100),
      ("bytes 0-9223372036854775806/9223372036854775807", 0, .max, .max),
      ("bytes 0-9223372036854775806/*", 0, .max, nil),
    ] as [(String, Int64, Int64, Int64?)])
  func accepts(_ text: String, _ start: Int64, _ end: Int64, _ total: Int64?) {
    #expect(ContentRange(text) == ContentRange(range: ByteRange(start, end), total: total))
  }

  @Test(arguments: [("bytes */200", 200), ("bytes */0", 0), ("*/7", 7)] as [(String, Int64)])
  func acceptsNoRange(_ text: String, _ total: Int64) {
    #expect(ContentRange(text) == ContentRange(range: nil, total: total))
  }

  /// R17.
  @Test(arguments: [
    "bytes 5-/10", "bytes 9-5/10", "bytes 0-9/5", "bytes 0-10/10", "items 0-9/10", "bytes -1/10", "bytes -1-5/10",
    "bytes 000000000000000000000000000000-111111111111111111111111111111/222222222222222222222222222222",
    "bytes 0-9/222222222222222222222222222222", "bytes 0-9223372036854775807/*", "bytes */*", "bytes", "", "/", "-/",
    "bytes 0-9", "bytes 0-9/", "bytes /10", "bytes 0-9/10/10", "bytes 0-4-9/10", "bytes 0-9/-10", "bytes +0-9/10",
    "bytes 0x0-0x9/10", "bytes 0-9/10, bytes 0-9/10", "bytes0-9/10", "bytes: 0-9/10", "bytes ０-9/10", "bytes 0-9/1e3",
    "bytes 0-9/10\0", "bytes 0–9/10", "bytes a-b/c", "=0-9/10",
  ])
  func rejects(_ text: String) { #expect(ContentRange(text) == nil) }

  @Test func survivesAnything() {
    var chance = SeededGenerator(seed: 2)
    for round in 0..<20_000 {
      let seed = round.isMultiple(of: 2) ? "bytes 10-99/200" : "bytes */200"
      guard let value = ContentRange(chance.mutatedText(of: seed)) else { continue }
      #expect(value.range != nil || value.total != nil)
      if let range = value.range { #expect(!range.isEmpty && range.end <= value.total ?? .max) }
    }
  }
}
