import DownloadCore
import FaultCatalogue
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// Every call about files fails, in every scenario, and a run after it makes good what the first one could not.
///
/// With SWOOP_THOROUGH set every call fails with every error number. One scenario at a time, and with a pause after each
/// run: there are as few threads for tests as processors, and other tests need them, too.
@Suite(.serialized) struct FileFaultTests {
  private static let isThorough = getenv("SWOOP_THOROUGH") != nil
  private static let turns: [ErrorTurns] =
    isThorough ? ErrorTurns.codes.map { ErrorTurns([$0]) } : [ErrorTurns()]

  @Test(.row("L06"), .timeLimit(.minutes(30)), arguments: CrashScenario.all, [false, true])
  func everyCallFails(scenario: CrashScenario, forEver: Bool) async throws {
    let stage = try CrashStage(scenario)
    for turns in Self.turns {
      var count = 0
      for call in FileCall.allCases {
        var number = 1
        while try fail(at: number, .failure(call, at: number, forEver: forEver, turns), stage) {
          number += 1
          await Task.yield()
        }
        count += number - 1
      }
      #expect(count > 10, "no more than \(count) calls")
      let runs = 2 * count + FileCall.allCases.count
      CrashTally.shared.count(forEver ? "failing for ever" : "failing once", calls: count, runs: runs)
    }
  }

  /// False where there was no such call.
  private func fail(at number: Int, _ trouble: FileTrouble, _ stage: CrashStage) throws -> Bool {
    let files = CrashFileSystem(stage.disk, trouble, seed: UInt64(number))
    let run = try stage.run(on: files)
    let what: Comment = "call \(number): \(files.failed.map { "\($0.call) with \($0.code)" } ?? "none"); \(run.outcome)"
    var disk = files.settledDisk
    #expect(disk.openCount == 0, what)
    disk.closeAll()
    let promises = try DiskPromises(stage.scenario, disk)
    promises.check(run, hasFailed: files.hasFailed, what)
    if case .failure(_, _, forEver: false, _) = trouble { #expect(!promises.hasTemporary, what) }
    guard files.hasFailed else { return false }
    try stage.finish(promises, what)
    return true
  }

  /// Short reads and writes, and a signal at every second call, change nothing.
  @Test(.row("L07"), arguments: CrashScenario.all) func interruptionsAreNoMatter(scenario: CrashScenario) throws {
    let stage = try CrashStage(scenario)
    for seed in 0..<UInt64(4) {
      let files = CrashFileSystem(stage.disk, .interruptions, seed: seed)
      let run = try stage.run(on: files)
      let disk = files.settledDisk
      #expect(disk.openCount == 0)
      try DiskPromises(scenario, disk).check(run, hasFailed: false, "seed \(seed): \(run.outcome)")
      CrashTally.shared.count("interrupted and short", calls: files.calls, runs: 1)
    }
  }
}
