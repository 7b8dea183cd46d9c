import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// The file system in memory does what Linux does.
@Suite struct MemoryDiskDifferenceTests {
  private static let steps = 400

  @Test(arguments: 0..<UInt64(12)) func playsAsLinuxDoes(seed: UInt64) throws {
    let temporary = try TemporaryFolder()
    try temporary.link("l", to: "a")
    var disk = MemoryDisk()
    try disk.makeLink("l", to: "a")
    let memory = CrashFileSystem(disk)
    var (mine, linux) = (try FilePlayer(memory, in: "."), try FilePlayer(LinuxFileSystem(), in: temporary.path))
    var random = SplitMix64(state: seed)
    for number in 0..<Self.steps {
      let step = FilePlayer.Step(using: &random)
      let (found, right) = (mine.play(step), linux.play(step))
      try #require(found == right, "step \(number): \(step)")
      try #require(mine.view() == linux.view(), "after step \(number): \(step)")
    }
    try mine.closeAll()
    try linux.closeAll()
    #expect(memory.disk.openCount == 0)
  }
}
