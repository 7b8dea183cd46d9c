import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// A run is killed as it enters a system call, for every call of those that leave something behind: the moments between
/// the steps of a save and of the finish that no clock meets.
@Suite(.waiting, .enabled(if: Machine.canTrace, "strace(1) cannot trace here")) struct KillAtCallTests {
  static let calls = [
    "flock", "fallocate", "ftruncate", "fdatasync", "fsync", "fchmod", "utimensat", "renameat", "renameat2", "linkat",
    "unlinkat",
  ]

  enum Way: CaseIterable {
    case plain, digest, replacing, growing
  }

  @Test(.row("L13", "L39"), arguments: calls, Way.allCases)
  func isFinishedByTheNextRun(call: String, way: Way) throws {
    var killed = 0
    // The last of the calls is behind us when a run comes to its end.
    for count in 1...60 {
      let trial = try Trial(.small, .file(.small))
      guard try isKilled(trial, way, at: call, count) else { break }
      killed += 1
      try expectNextRunFinishes(trial, way)
    }
    #expect(killed < 60)
    let isCalled =
      !(call == "linkat" || (call == "renameat2" && way == .replacing) || (call == "ftruncate" && way != .growing))
    #expect(killed > 0 || !isCalled, "\(call) is never called")
  }

  private func options(_ way: Way) throws -> [String] {
    switch way {
    case .plain: []
    case .digest: ["--sha256", try #require(Content.smallDigest)]
    case .replacing: ["--force"]
    case .growing: ["--no-preallocate"]
    }
  }

  /// Runs until the call is entered for the given time by one thread; false where the run ends before that.
  private func isKilled(_ trial: Trial, _ way: Way, at call: String, _ count: Int) throws -> Bool {
    if way == .replacing { try trial.folder.write(.other, to: trial.placed("file.bin")) }
    var runner = trial.command(try options(way))
    let words = ["-f", "-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(call):signal=KILL:when=\(count)"]
    runner.arguments = words + [runner.executable] + runner.arguments
    runner.executable = "strace"
    let result = try runner.run()
    guard result.termination == .signalled(SIGKILL) else {
      #expect(result.exitCode == 0, "\(result.error)")
      return false
    }
    return true
  }

  private func expectNextRunFinishes(_ trial: Trial, _ way: Way) throws {
    let names: Set = ["file.bin", "file.bin.part", "file.bin.part.json", "file.bin.part.json.new"]
    #expect(names.isSuperset(of: trial.names), "\(trial.names)")
    if trial.names.contains("file.bin") {
      let isOld = try way == .replacing && trial.folder.holds(.other, in: trial.placed("file.bin"))
      #expect(try isOld || trial.folder.holds(.small, in: trial.placed("file.bin")))
    }
    let manifest = try trial.manifest()
    if trial.names.contains("file.bin.part") {
      try manifest?.expectHonest(trial.folder, trial.part, .small, #_sourceLocation)
    }
    let isWhole = manifest?.done == Content.small.length
    let requests = trial.server.settledLog().entries.count
    try trial.expect(trial.command(options(way)).run(), exit: 0, .file)
    #expect(!isWhole || trial.server.settledLog().entries.count == requests, "the network was asked")
  }
}

extension Content {
  fileprivate static let small = Content.pattern(length: 300_000)
  fileprivate static let smallDigest = try? DigestTests.digest("sha256", of: small)
}

extension Machine {
  /// Whether processes can be traced, and a signal sent as they enter a call.
  static let canTrace: Bool = {
    let words = ["-f", "-o", "/dev/null", "-e", "trace=exit_group", "-e", "inject=exit_group:signal=KILL", "true"]
    return (try? CommandRunner("strace", words).run().termination) == .signalled(SIGKILL)
  }()
}
