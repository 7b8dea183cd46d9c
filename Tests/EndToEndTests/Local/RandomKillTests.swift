import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// A run that is killed at any moment is resumed by the same command, and nothing that is here is fetched again.
@Suite(.waiting) struct RandomKillTests {
  /// 220 kills at random moments, a quarter of them followed by another one in the resumed run; a batch at a time, all
  /// of whose runs go on at once.
  @Test(.row("L13"), .serialized, arguments: 0..<4)
  func resumesAfterAKillAtAnyMoment(batch: UInt64) throws {
    let rounds = try (0..<55).map { try KillRound(seed: batch * 55 + $0) }
    var killed: [KillRound] = []
    for stage in 0..<2 {
      let now = rounds.filter { stage < $0.moments.count }
      killed += try kill(now, stage: stage)
      for round in now { try round.expectHonest() }
    }
    // Those that were too fast for their kill are few, and none of them is slow because of others.
    #expect(killed.count >= 55, "only \(killed.count) were killed")
    // Some against the slow server still, to see how much comes: a fast one sends more than anybody asked for.
    for round in rounds where !round.staysSlow { round.trial.heal() }
    try finish(rounds)
  }

  /// Kills each run at its moment, all at once; returns those that were not too late for it.
  private func kill(_ rounds: [KillRound], stage: Int) throws -> [KillRound] {
    let ends = Monitor<[UInt64: Bool]>([:])
    for round in rounds {
      try BackgroundThread.start {
        let isKilled = (try? round.kill(after: round.moments[stage])) ?? false
        ends.change { $0[round.seed] = isKilled }
      }
    }
    #expect(ends.wait(timeout: .seconds(120)) { $0.count == rounds.count })
    return ends.read { ends in rounds.filter { ends[$0.seed] == true } }
  }

  private func finish(_ rounds: [KillRound]) throws {
    let runs = try rounds.map { round in
      let claimed = try round.trial.manifest()?.segments ?? []
      return (round, claimed, round.trial.server.settledLog(), try round.start())
    }
    for (round, claimed, before, command) in runs {
      let trial = round.trial
      let result = try command.result()
      try trial.expect(result, exit: 0, .file)
      for range in trial.asked(since: before.entries.count) {
        let again = claimed.first { $0.range.overlaps(range) }
        #expect(again == nil, "\(round): \(range) was asked for, \(again?.range ?? range) is here")
      }
      let done = claimed.reduce(0) { $0 + $1.end - $1.start }
      let sent = trial.server.log.bodyBytesSent - before.bodyBytesSent
      #expect(
        !round.staysSlow || sent <= trial.content.length - done + round.slack,
        "\(round): \(sent) came, \(done) were here")
      expectWholeProgress(result, done, trial.content.length)
    }
  }

  /// The progress begins where it was, and its total is the whole file's.
  private func expectWholeProgress(_ result: CommandResult, _ done: Int64, _ length: Int64) {
    guard done > 0, !result.error.contains("damaged") else { return }
    #expect(result.error.contains("resuming file.bin from") || result.error.contains("saved"), "\(result.error)")
    let lines = result.error.split(separator: "\n").filter { $0.contains(" % of ") && !$0.contains("verifying") }
    for line in lines {
      let percent = line.split(separator: " ").dropFirst().first.flatMap { Int64($0) } ?? -1
      #expect(percent >= done * 100 / length, "\(result.error)")
    }
    let totals = Set(lines.map { $0.split(separator: " % of ").last?.split(separator: ",").first ?? "" })
    #expect(totals.count <= 1, "\(result.error)")
  }
}

/// One file, one kill or two, all of it from a seed.
final class KillRound: Sendable, CustomStringConvertible {
  private static let lengths: [Int64] = [1, 65_537, 300_000, 1 << 20, 2_000_003, 3_000_001, 5_000_000, 6_000_001]
  private static let contents = lengths.map { Content.pattern(length: $0, seed: UInt64($0)) }
  private static let digests = try? contents.map { try DigestTests.digest("sha256", of: $0) }

  let seed: UInt64
  let trial: Trial
  /// When to kill, and when to kill the resumed run; each in seconds from its start.
  let moments: [Double]
  /// The server stays as slow as it is.
  var staysSlow: Bool { seed % 6 == 1 && relay == nil }
  /// What may be on its way when another connection takes the rest of a range over, in bytes.
  var slack: Int64 { Int64(connections) * 256 << 10 }
  private let connections: Int
  private let relay: TCPRelay?

  init(seed: UInt64) throws {
    var chance = SplitMix64(state: seed)
    self.seed = seed
    let content = Self.contents[Int(seed) % Self.contents.count]
    connections = [1, 2, 4, 8].randomElement(using: &chance) ?? 1
    // A run takes longer than this.
    let seconds = Double.random(in: 0.8...2, using: &chance)
    let first = Double.random(in: 0.02...seconds, using: &chance)
    moments = seed % 4 == 3 ? [first, Double.random(in: 0.02...seconds / 2, using: &chance)] : [first]
    let share = Double(content.length) / seconds / Double(connections)
    var settings = ScriptedServer.Settings()
    settings.sendBuffer = 32 << 10
    trial = try Trial(content, settings: settings) { request in
      .file(content) {
        $0.rate = share
        // The first piece of a slow body comes at once.
        if content.length < 100_000, request.method == "GET" { $0.delay = .seconds(seconds) }
      }
    }
    // Far enough away that ranges are asked for before anything is known of the file.
    let delay = Duration.milliseconds(Int.random(in: 6...20, using: &chance))
    relay =
      seed % 3 == 2
      ? try TCPRelay(to: trial.server.port) { _ in
        var fate = TCPRelay.Fate()
        fate.delay = delay
        return fate
      } : nil
  }

  var description: String { "seed \(seed), \(trial.content.length) bytes, -n \(connections), killed at \(moments)" }

  /// Starts the command: the same words each time.
  func start() throws -> RunningCommand {
    let digests = try #require(Self.digests)
    let digest = seed % 2 == 0 ? ["--sha256", digests[Int(seed) % digests.count]] : []
    let port = relay?.port ?? trial.server.port
    return try trial.swoop(["-n", "\(connections)"] + digest + ["http://127.0.0.1:\(port)/file.bin"]).start()
  }

  /// Starts it and kills it after so many seconds; false where it has ended before.
  func kill(after seconds: Double) throws -> Bool {
    let command = try start()
    _ = command.waitForExit(timeout: .seconds(seconds))
    command.kill()
    return try command.result().termination == .signalled(SIGKILL)
  }

  /// After a kill: our names alone, and what they claim is so.
  func expectHonest() throws {
    let names: Set = ["file.bin", "file.bin.part", "file.bin.part.json", "file.bin.part.json.new"]
    #expect(names.isSuperset(of: trial.names), "\(self): \(trial.names)")
    if trial.names.contains("file.bin") {
      #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")), "\(self)")
    } else {
      let manifest = try trial.manifest()
      let lie = try manifest?.firstLie(trial.folder, trial.part, trial.content)
      #expect(lie == nil, "\(self): \(lie ?? "")")
    }
  }
}
