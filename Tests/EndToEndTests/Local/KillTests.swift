import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// A run that is killed at any moment is resumed by the same command, and nothing that is here is fetched again.
@Suite struct KillTests {
  /// One file, one kill or two, all of it from a seed.
  private final class Round: Sendable {
    let seed: UInt64
    let connections: Int
    let trial: Trial
    /// Bytes a second over all connections.
    let rate: Double
    /// When to kill, and when to kill the resumed run; each in seconds from its start.
    let moments: [Double]

    init(seed: UInt64) throws {
      var chance = SplitMix64(state: seed)
      self.seed = seed
      let lengths: [Int64] = [1, 65_537, 1 << 20, 3_000_001, 10_000_001, 17_000_000, 24_000_000, 12_345_678]
      let length = lengths[Int(seed) % lengths.count]
      connections = [1, 2, 4, 8].randomElement(using: &chance) ?? 1
      let first = Double.random(in: 0.05...3.2, using: &chance)
      moments = seed % 4 == 3 ? [first, Double.random(in: 0.05...1.5, using: &chance)] : [first]
      rate = max(200_000, Double(length) / 4)
      let share = rate / Double(connections)
      var settings = ScriptedServer.Settings()
      settings.sendBuffer = 32 << 10
      let content = Content.pattern(length: length, seed: seed + 1)
      trial = try Trial(content, .file(content) { $0.rate = share }, settings: settings)
    }

    func start() throws -> RunningCommand {
      try trial.swoop(["-n", "\(connections)", trial.server.url()]).start()
    }
  }

  @Test(.row("L13"), arguments: 0..<4) func resumesAfterAKillAtAnyMoment(batch: UInt64) throws {
    let rounds = try (0..<6).map { try Round(seed: batch * 6 + $0) }
    for stage in 0..<2 {
      let killed = rounds.filter { stage < $0.moments.count }
      try kill(killed, stage: stage)
      for round in killed { try checkKilled(round) }
    }
    // Some against the slow server still, to see how much comes: a fast one sends more than anybody asked for.
    for round in rounds where round.seed % 6 != 1 { round.trial.heal() }
    try finish(rounds)
  }

  private func kill(_ rounds: [Round], stage: Int) throws {
    let commands = try rounds.map { (try $0.start(), $0.moments[stage], ContinuousClock.now) }
    for (command, moment, start) in commands.sorted(by: { $0.1 < $1.1 }) {
      _ = command.waitForExit(timeout: max(.zero, start + .seconds(moment) - .now))
      command.kill()
      _ = try command.result()
    }
  }

  private func checkKilled(_ round: Round) throws {
    let trial = round.trial
    let names: Set = ["file.bin", "file.bin.part", "file.bin.part.json", "file.bin.part.json.new"]
    #expect(names.isSuperset(of: trial.names), "\(trial.names)")
    if trial.names.contains("file.bin") {
      #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
    } else {
      try trial.manifest()?.expectHonest(trial.folder, trial.part, trial.content, #_sourceLocation)
    }
  }

  private func finish(_ rounds: [Round]) throws {
    let runs = try rounds.map { round in
      let claimed = try round.trial.manifest()?.segments ?? []
      return (round, claimed, round.trial.server.settledLog(), try round.start())
    }
    for (round, claimed, before, command) in runs {
      let trial = round.trial
      let result = try command.result()
      try trial.expect(result, exit: 0, .file)
      let done = claimed.reduce(0) { $0 + $1.end - $1.start }
      for range in trial.asked(since: before.entries.count) {
        let again = claimed.first { $0.range.overlaps(range) }
        #expect(again == nil, "seed \(round.seed): \(range) was asked for, \(again?.range ?? range) is here")
      }
      let sent = trial.server.log.bodyBytesSent - before.bodyBytesSent
      if round.seed % 6 == 1 {
        // What was on its way when another connection took the rest of a range over.
        let slack = Int64(round.connections) * 256 << 10
        #expect(sent <= trial.content.length - done + slack, "seed \(round.seed): \(sent) came, \(done) were here")
      }
      expectWholeProgress(result, done, trial.content.length)
    }
  }

  /// The progress begins where it was, and its total is the whole file's.
  private func expectWholeProgress(_ result: CommandResult, _ done: Int64, _ length: Int64) {
    guard done > 0, !result.error.contains("damaged") else { return }
    #expect(result.error.contains("resuming file.bin from") || result.error.contains("saved"), "\(result.error)")
    let lines = result.error.split(separator: "\n").filter { $0.contains(" % of ") }
    for line in lines {
      let percent = line.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? -1
      #expect(percent >= done * 100 / length, "\(result.error)")
    }
    let totals = Set(lines.map { $0.split(separator: " % of ").last?.split(separator: ",").first ?? "" })
    #expect(totals.count <= 1, "\(result.error)")
  }

  /// A checkpoint comes every two seconds: more than that, and what was in flight, is never lost. The bound is twice
  /// as wide, for machines that are busy.
  @Test(.row("L13")) func losesNoMoreThanWhatCameSinceTheLastCheckpoint() throws {
    let rate = 4_000_000.0
    var settings = ScriptedServer.Settings()
    settings.totalRate = rate
    settings.sendBuffer = 32 << 10
    let content = Content.pattern(length: 40_000_000)
    let trial = try Trial(content, .file(content), settings: settings)
    let command = try trial.command([]).start()
    #expect(trial.server.waitUntil(timeout: .seconds(30)) { $0.bodyBytesSent >= 21_000_000 })
    command.kill()
    _ = try command.result()
    let sent = trial.server.settledLog().bodyBytesSent
    let manifest = try #require(try trial.manifest())
    try manifest.expectHonest(trial.folder, trial.part, content, #_sourceLocation)
    let lost = sent - manifest.done
    print("a kill at \(sent) bytes lost \(lost), \(Double(lost) / rate) s of transfer")
    #expect(Double(lost) <= 4 * rate + Double(1 << 20), "\(lost) bytes were lost")
  }
}
