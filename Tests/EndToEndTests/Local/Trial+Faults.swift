import Glibc
import TestSupport
import Testing

/// One run of the command with faults in what it does about files.
struct FaultyRun {
  let trial: Trial
  let play: FaultPlay
  let command: RunningCommand

  init(_ trial: Trial, _ options: [String] = [], _ faults: [Fault]) throws {
    self.trial = trial
    play = try FaultPlay(faults)
    command = try play.runner(trial.command(options), in: trial.folder.path(Trial.place)).start()
  }
}

extension Trial {
  /// Runs the command to its end with these faults, each of which must have happened.
  func run(
    _ options: [String] = [], with faults: [Fault], at location: SourceLocation = #_sourceLocation
  ) throws -> CommandResult {
    let run = try FaultyRun(self, options, faults)
    let result = try run.command.result()
    for (fault, outcome) in zip(faults, try run.play.outcomes()) {
      #expect(outcome.played > 0, "it did not happen: \(fault)", sourceLocation: location)
    }
    return result
  }
}

/// Plays a fault at the first call, at the second, and so on, each in a run of its own, until there is no such call
/// any more.
struct FaultSweep {
  var options: [String] = []
  /// How many runs go on at once.
  var width = 4
  /// The number of the call of the first run.
  var first = 1
  /// By how much it grows from one run to the next.
  var step = 1
  let trial: @Sendable () throws -> Trial
  /// The fault at call number N.
  let fault: @Sendable (Int) -> Fault

  /// Returns how many runs met the fault. `check` gets what one left, and what it happened to.
  @discardableResult
  func run(check: (Trial, CommandResult, FaultPlay.Outcome) throws -> Void) throws -> Int {
    var (number, met) = (first, 0)
    while true {
      let numbers = (0..<width).map { number + $0 * step }
      let runs = try numbers.map { try FaultyRun(trial(), options, [fault($0)]) }
      var isOver = true
      for run in runs {
        let result = try run.command.result()
        guard let outcome = try run.play.outcomes().first, outcome.played > 0 else { continue }
        try check(run.trial, result, outcome)
        (isOver, met) = (false, met + 1)
      }
      if isOver { return met }
      number += width * step
    }
  }
}

extension Machine {
  /// Whether the library that makes calls fail could be built.
  static let hasFaultShim = FaultShim.path != nil
  static let noFaultShim: Comment = "there is no compiler for the library that makes calls fail"
}
