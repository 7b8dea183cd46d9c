import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// A machine that gives no thread, or not the memory for one.
@Suite(.waiting) struct MachineRegressionTests {
  /// It works, or says in one line that it does not.
  private func expectNoCrash(_ runner: CommandRunner, _ trial: Trial) throws {
    let result = try runner.run()
    switch result.termination {
    case .exited(0):
      #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
    case .exited(let code):
      #expect(code == 1 || code == 7, "\(code): \(result.error)")
      #expect(!trial.names.contains("file.bin"))
    case .signalled(let signal):
      Issue.record("ended by signal \(signal): \(result.error)")
    }
    Trial.expectPlain(result, #_sourceLocation)
  }

  @Test(.enabled(if: Machine.canBeNobody, "nobody without rights can run the command"), arguments: [1, 2])
  func noThreadCanBeMade(most: Int) throws {
    let trial = try Trial.healthy()
    try trial.giveAway()
    var runner = trial.command([])
    runner.arguments.insert(contentsOf: ["--nproc=\(most)", runner.executable], at: 0)
    runner.executable = "prlimit"
    try expectNoCrash(Machine.withoutRights(runner), trial)
  }

  /// In KiB of addresses.
  @Test(.disabled(if: Sanitizer.isOn, "it needs more itself"), arguments: [80_000, 100_000, 120_000, 150_000])
  func noMemoryForAThread(limit: Int) throws {
    let trial = try Trial.healthy()
    try expectNoCrash(Machine.shell("ulimit -v \(limit)", trial.command([])), trial)
  }
}
