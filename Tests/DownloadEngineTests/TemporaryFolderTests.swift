import TestSupport
import Testing

/// Folders and made-up contents.
@Suite struct TemporaryFolderTests {
  @Test func findsTheFirstDifference() throws {
    let folder = try TemporaryFolder()
    let content = Content.pattern(length: 2_500_000, seed: 9)
    try folder.write(content, to: "a")
    #expect(try folder.holds(content, in: "a"))
    try folder.flipByte(of: "a", at: 2_000_000)
    #expect(try folder.firstDifference(of: "a", from: content) == 2_000_000)
    try folder.truncate("a", to: 5)
    #expect(try folder.firstDifference(of: "a", from: content) == 5)
    #expect(try folder.size("a") == 5)
    #expect(try folder.names() == ["a"])
    #expect(try folder.mode("a") & 0o600 == 0o600)
  }

  @Test func patternsDifferAtEveryShiftAndSeed() throws {
    let content = Content.pattern(length: 10_000_000)
    for shift: Int64 in [1, 4, 4096, 1 << 20] {
      let shifted = try content.bytes(in: shift..<shift + 64)
      #expect(try shifted != content.bytes(in: 0..<64))
    }
    #expect(try Content.pattern(length: 64, seed: 2).bytes(in: 0..<64) != content.bytes(in: 0..<64))
  }
}
