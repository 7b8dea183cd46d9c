import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// A part whose name is gone, or another file's, while a run writes it.
@Suite(.waiting) struct TakenPartRegressionTests {
  enum Instead: CaseIterable {
    case nothing, file, anotherRun
  }

  private static let patience = ["--stall-timeout", "60", "--give-up-after", "60"]

  enum End: CaseIterable {
    case complete, refused, interrupted
  }

  /// Whatever becomes of the first run: it does not touch what another one has there now.
  @Test(arguments: Instead.allCases, End.allCases) func leavesTheNamesAlone(instead: Instead, end: End) throws {
    let gate = Monitor(false)
    let (content, length) = (Content.pattern(length: Trial.usualLength), 500_000)
    let trial = try Trial(content) { request in
      let isSecond = request.headers["X-Run"] == "second"
      guard request.method == "GET" else { return .file(content) }
      if isSecond { return .file(content) { $0.stallAfter = Int64(length) } }
      if request.indexOfMethod == 0 { return .file(content) { $0.cutAfter = Int64(length) } }
      _ = gate.wait(timeout: .seconds(20)) { $0 }
      return end == .refused ? .status(404) : .file(content)
    }
    let first = try trial.command(["-n", "1"] + Self.patience).start()
    trial.server.waitUntil { $0.methods.count { $0 == "GET" } >= 2 }
    for name in [trial.part, trial.stored] { trial.folder.remove(name) }
    let second = try put(instead, in: trial)
    let before = try look(trial)
    if end == .interrupted { first.signal(SIGINT) }
    gate.change { $0 = true }
    let result = try first.result()
    #expect(try look(trial) == before)
    switch end {
    case .complete:
      #expect(result.termination == .exited(7), "\(result.error)")
      #expect(result.error.contains("file.bin.part was removed or replaced"), "\(result.error)")
    case .refused: #expect(result.termination == .exited(4), "\(result.error)")
    case .interrupted: #expect(result.termination == .signalled(SIGINT), "\(result.error)")
    }
    guard let second else { return }
    second.signal(SIGINT)
    #expect(try second.result().termination == .signalled(SIGINT))
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file)
  }

  private func put(_ instead: Instead, in trial: Trial) throws -> RunningCommand? {
    switch instead {
    case .nothing: return nil
    case .file:
      try trial.folder.write("of somebody else", to: trial.part)
      try trial.folder.write("of somebody else", to: trial.stored)
      return nil
    case .anotherRun:
      let second = try trial.command(["-n", "1", "-H", "X-Run: second"] + Self.patience).start()
      trial.server.waitUntil { log in
        log.entries.contains { $0.request.headers["X-Run"] == "second" && $0.bodyBytesSent >= 500_000 }
      }
      return second
    }
  }

  /// Names and inodes, and which part the manifest is of: the second run writes both of its own meanwhile.
  private func look(_ trial: Trial) throws -> [String] {
    var runner = CommandRunner("find", [".", "-name", "*.part", "-printf", "%p %i %y\\n"])
    runner.workingDirectory = trial.folder.path(Trial.place)
    let text = trial.folder.contains(trial.stored) ? try trial.folder.text(trial.stored) : ""
    let inode = try? StoredManifest(Array(text.utf8)).part?.inode
    return try trial.names + [runner.run().output, inode.map { String($0) } ?? text]
  }
}
