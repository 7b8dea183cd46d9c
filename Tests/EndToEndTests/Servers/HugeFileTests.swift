import FaultCatalogue
import TestSupport
import Testing

/// Offsets that do not fit into 32 bits.
@Suite(.waiting) struct HugeFileTests {
  private static let fourGibibytes: Int64 = 4 << 30

  /// Zeros but for some bytes near 0, 2 GiB and 4 GiB, which are missing of a part that an earlier run has left: so the
  /// file takes next to no room, where it is served and where it comes to.
  @Test(.row("R41")) func beyondFourGibibytes() throws {
    let length = Self.fourGibibytes + 1
    let folder = try TemporaryFolder()
    try folder.write("", to: "sparse")
    try folder.truncate("sparse", to: length)
    for offset in [0, 1 << 31, Self.fourGibibytes - 400_000, Self.fourGibibytes - 1, Self.fourGibibytes] {
      try folder.flipByte(of: "sparse", at: offset)
    }
    let content = try Content.file(folder.path("sparse"))
    let trial = try Trial(content, .file(content))
    let missing: [Range<Int64>] = [
      0..<1000, (1 << 31) - 100_000..<(1 << 31) + 100_000, Self.fourGibibytes - 500_000..<Self.fourGibibytes - 1000,
      Self.fourGibibytes - 1..<length,
    ]
    try trial.plant(missing: missing)
    try trial.expect(trial.run(), exit: 0, .file)
    let asked = trial.gets.compactMap { $0.request.askedBytes(of: length) }
    #expect(asked.allSatisfy { range in missing.contains { $0.contains(range.lowerBound) } }, "\(asked)")
    // I7, without reading all of it once more.
    let again = try trial.run()
    #expect(again.exitCode == 0 && again.error.contains("already complete"), "\(again.error)")
  }
}
