import DownloadCore
import FaultCatalogue
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// The power fails after every call about files, and of what was not synced, some is lost.
///
/// With SWOOP_THOROUGH set, 40 times for each call. One scenario at a time, and with a pause after each run: there are as
/// few threads for tests as processors, and other tests need them, too.
@Suite(.serialized) struct PowerLossTests {
  private static let damages = getenv("SWOOP_THOROUGH") != nil ? 40 : 4

  @Test(.row("L14"), .timeLimit(.minutes(30)), arguments: CrashScenario.all)
  func thePowerFailsAfterEveryCall(scenario: CrashScenario) async throws {
    let stage = try CrashStage(scenario)
    var number = 1
    while try crash(after: number, stage) {
      number += 1
      await Task.yield()
    }
    #expect(number > 10, "no more than \(number) calls")
    CrashTally.shared.count(
      "losing power", calls: number, runs: number * (1 + Self.damages), damages: number * Self.damages)
  }

  /// False where the run had come to its end before; what it has finished must then be there.
  private func crash(after number: Int, _ stage: CrashStage) throws -> Bool {
    let files = CrashFileSystem(stage.disk, .crash(after: number))
    let run = try stage.run(on: files)
    let disk = files.hasFailed ? files.disk : files.settledDisk
    #expect(files.hasFailed || run.error?.failure == stage.scenario.failure)
    for index in 0..<Self.damages {
      let damage = Damage(number: (number + index) % 8, seed: UInt64(1000 * number + index))
      let promises = try DiskPromises(stage.scenario, disk.afterCrash(damage))
      let what: Comment = "after call \(number) of \(files.calls), \(damage)"
      promises.check(what)
      if !files.hasFailed, stage.scenario.failure == nil { #expect(promises.holds(stage.scenario.content), what) }
      try stage.finish(promises, what)
    }
    return files.hasFailed
  }
}
