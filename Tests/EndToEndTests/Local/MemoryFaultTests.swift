import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// A machine without memory: a run may end as it must, but what it leaves is true, and the next run finishes.
@Suite(.waiting, .enabled(if: Machine.hasFaultShim, Machine.noFaultShim)) struct MemoryFaultTests {
  private static let content = Content.pattern(length: 300_001)
  private static let samples = 60

  @Test(.row("L44"), arguments: [1, 0]) func l44AnyAllocationMayFail(count: Int) throws {
    let step = try allocations() / Self.samples
    let sweep = FaultSweep(first: 1 + step / 2, step: step, trial: { try .healthy(Self.content) }) {
      Fault("malloc", first: $0, count: count, .error(ENOMEM))
    }
    let met = try sweep.run { trial, result, _ in
      switch result.termination {
      // The Swift runtime ends a process that gets no memory; to say so it needs some, and may fall over that.
      case .signalled(let signal):
        #expect([SIGABRT, SIGILL, SIGTRAP, SIGSEGV].contains(signal), "signal \(signal): \(result.error)")
      case .exited(let code): #expect(code < 128, "\(result.error)")
      }
      try expectHarmless(trial, result)
      try trial.expectCleanRerun()
    }
    #expect(met >= Self.samples / 2, "\(met)")
  }

  /// How many there are in a run.
  private func allocations() throws -> Int {
    let run = try FaultyRun(.healthy(Self.content), [], [Fault("malloc", first: .max, .error(ENOMEM))])
    #expect(try run.command.result().exitCode == 0)
    return try #require(try run.play.outcomes().first).seen
  }

  private func expectHarmless(_ trial: Trial, _ result: CommandResult) throws {
    let names: Set = ["file.bin", "file.bin.part", "file.bin.part.json", "file.bin.part.json.new"]
    #expect(names.isSuperset(of: trial.names), "\(trial.names)")
    let isFinished = trial.names.contains("file.bin")
    #expect(isFinished || result.exitCode != 0, "\(result.error)")
    if isFinished { #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin"))) }
    let data = trial.folder.contains(trial.part) ? trial.part : trial.placed("file.bin")
    try trial.manifest()?.expectHonest(trial.folder, data, trial.content, #_sourceLocation)
  }
}
