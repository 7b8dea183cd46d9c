import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// What is written while a download runs: a line on a terminal, lines elsewhere, and never a reason to wait.
@Suite(.waiting) struct OutputTests {
  /// A server that takes about a second and a half.
  private func slow(_ length: Int64 = 6_000_000) throws -> Trial {
    try Trial(.pattern(length: length), .file(.pattern(length: length)) { $0.rate = Double(length) / 6 })
  }

  /// What is sent to draw beside text, returns and line ends.
  private static let controls = ["[K", "[J", "[1A", "[2A", "[3A", "[4A", "[2m", "[0m"].map { "\u{1B}" + $0 }

  private static func withoutControls(_ text: String) -> String {
    controls.reduce(text) { $0.replacing($1, with: "") }
  }

  /// The lines that were drawn, the map's among them.
  private func drawings(_ bytes: some Sequence<UInt8>) -> [String] {
    Self.withoutControls(String(decoding: Array(bytes), as: UTF8.self)).unicodeScalars
      .split { $0 == "\r" || $0 == "\n" }.map { String($0) }
  }

  @Test(arguments: [UInt16(20), 40, 80, 200]) func theLineFitsTheWindow(columns: UInt16) throws {
    let trial = try slow()
    var runner = trial.command([])
    runner.terminal = .init(columns: columns)
    let result = try runner.run()
    #expect(result.exitCode == 0, "\(result.error)")
    let lines = drawings(result.errorBytes).filter { $0.contains("%") }
    #expect(lines.count >= 3, "\(result.error)")
    #expect(
      drawings(result.errorBytes).filter { $0.contains("%") || $0.hasPrefix("[") }.allSatisfy { $0.count < columns })
    #expect(lines.last?.contains("100%") == true, "\(lines)")
    // At most ten a second, and the last one.
    let seconds = Double(result.elapsed.components.seconds) + Double(result.elapsed.components.attoseconds) * 1e-18
    #expect(Double(lines.count) <= seconds * 10 + 3, "\(lines.count) in \(seconds) s")
    expectHarmless(result)
    #expect(result.error.contains("saved file.bin"))
    if columns == 200 { #expect(lines.contains { $0.contains("MiB/s") && $0.contains("connections") }, "\(lines)") }
  }

  @Test func theLineFollowsTheWindow() throws {
    let trial = try slow()
    var runner = trial.command([])
    runner.terminal = .init(columns: 120)
    let command = try runner.start()
    #expect(command.waitForOutput(containing: "MiB/s"))
    command.resize(columns: 30, rows: 10)
    let before = command.error.utf8.count
    let result = try command.result()
    #expect(result.exitCode == 0)
    // What was being drawn may still have the old width.
    let lines = drawings(result.errorBytes.dropFirst(before)).dropFirst(2).filter { $0.contains("%") }
    #expect(!lines.isEmpty && lines.allSatisfy { $0.count < 30 }, "\(lines)")
  }

  /// Nothing but text, the pieces of the map, returns, line ends, and what draws over.
  private func expectHarmless(_ result: CommandResult, location: SourceLocation = #_sourceLocation) {
    let isHarmless = Self.withoutControls(result.error).unicodeScalars.allSatisfy { scalar in
      ["\n", "\r", "·"].contains(scalar) || (0x20..<0x7F).contains(scalar.value)
        || (0x2580...0x259F).contains(scalar.value)
    }
    #expect(isHarmless, "\(result.errorBytes)", sourceLocation: location)
  }

  @Test func elsewhereThereAreLines() throws {
    let trial = try slow()
    let result = try trial.command([]).run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.errorBytes.contains(0x0D) && !result.errorBytes.contains(0x1B))
    let lines = result.error.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasPrefix("swoop: ") }, "\(result.error)")
    #expect((3...14).contains(lines.count), "\(result.error)")
    #expect(lines.last?.hasPrefix("swoop: saved file.bin (5.7 MiB in ") == true, "\(result.error)")
    #expect(result.output.isEmpty)
  }

  @Test func quietIsSilent() throws {
    for terminal in [nil, CommandRunner.Terminal()] {
      let trial = try Trial.healthy()
      var runner = trial.command(["-q"])
      runner.terminal = terminal
      let result = try runner.run()
      #expect(result.exitCode == 0 && result.errorBytes.isEmpty && result.outputBytes.isEmpty, "\(result.error)")
      let failed = try trial.swoop("-q", "--md5", String(repeating: "0", count: 32), trial.server.url())
      #expect(failed.exitCode == 10 && failed.error.count(of: "\n") == 1, "\(failed.error)")
    }
  }

  @Test func verboseTellsNoSecrets() throws {
    let trial = try Trial(
      .pattern(length: 100_000),
      .file(.pattern(length: 100_000)) {
        $0.headers = ["Set-Cookie": "id=S3CR3T", "X-Color": "\u{1B}[31mred", "X-Auth-Token": "S3CR3T"]
      })
    let url = trial.server.url("/file.bin?token=S3CR3T&sig=S3CR3T").replacing("http://", with: "http://me:S3CR3T@")
    let options = ["-v", "-H", "Authorization: Bearer S3CR3T", "-H", "X-Api-Key: S3CR3T", "-b", "a=S3CR3T"]
    let result = try trial.command(options, url: url).run()
    try trial.expect(result, exit: 0, .file)
    #expect(result.error.contains("swoop: * "), "\(result.error)")
    let request = try #require(trial.server.log.entries.last?.request)
    #expect(request.headers["X-Api-Key"] == Trial.secret && request.target.contains(Trial.secret))
  }

  @Test func verboseTellsDecisions() throws {
    let trial = try slow()
    let result = try trial.run("-v")
    #expect(result.exitCode == 0 && result.error.contains(" bytes missing in 1 range, up to 4 connections"))
    let asked = result.error.split(separator: "\n").filter { $0.contains(" > GET ") && $0.contains(" bytes=") }
    #expect(asked.count >= 4 && result.error.count(of: " < 206 ") >= 4, "\(result.error)")
  }

  /// A terminal on which somebody has pressed Ctrl-S: all that waits for it is the last words.
  @Test func aTerminalThatTakesNothingSlowsNothing() throws {
    let trial = try slow()
    var runner = trial.command(["-v"])
    runner.terminal = .init()
    let command = try runner.start()
    try command.type(Trial.stopOutput)
    let isThere = { trial.names == ["file.bin"] }
    for _ in 0..<1500 where !isThere() { _ = command.waitForExit(timeout: .milliseconds(20)) }
    #expect(isThere(), "\(trial.names)")
    #expect(command.isRunning, "nothing waits for the terminal: the test does not test anything")
    try command.type(Trial.goOnWithOutput)
    let result = try command.result()
    #expect(result.exitCode == 0 && result.error.contains("saved file.bin"))
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
  }

  @Test func theLineOfAResumedRunBeginsWhereItWas() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    var runner = trial.command([])
    runner.terminal = .init()
    let result = try runner.run()
    #expect(result.exitCode == 0)
    let percents = drawings(result.errorBytes).compactMap { line in
      line.split(separator: "%").first.flatMap { Int64($0.filter { $0 != " " }) }
    }
    let least = manifest.done * 100 / Trial.usualLength
    #expect(!percents.isEmpty && percents.allSatisfy { $0 >= least }, "\(percents), \(least)")
    #expect(percents == percents.sorted(), "\(percents)")
    #expect(result.error.contains("/ 9.5 MiB"), "\(result.error)")
  }

  @Test func nothingGoesIntoFilesWhereStreamsAreClosed() throws {
    let trial = try Trial.healthy()
    let result = try Machine.shell("exec <&- >&- 2>&-", trial.command(["-v"])).run()
    #expect(result.exitCode == 0)
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
    #expect(trial.names == ["file.bin"])
  }
}
