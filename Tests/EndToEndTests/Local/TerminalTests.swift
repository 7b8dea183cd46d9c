import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// What a terminal shows while a download runs, as tmux sees it. The server holds every body back, so that the window
/// stands still while it is looked at.
@Suite(.waiting, .serialized, .enabled(if: Machine.hasTmux)) struct TerminalTests {
  /// A download on a terminal, four connections with a megabyte each.
  private struct Scene {
    let gate = BodyGate(after: 1_000_000)
    let trial: Trial
    let terminal: TmuxTerminal

    init(columns: Int, rows: Int = 24, content: Content = .pattern(length: Trial.usualLength)) throws {
      let gate = gate
      trial = try Trial(content, .file(content) { $0.gate = gate })
      terminal = try TmuxTerminal(columns: columns, rows: rows, in: trial.folder.path(Trial.place))
    }

    /// The command as it is typed. `-n 4` of ten megabytes: each connection has more to fetch than comes at once.
    func command(_ before: String = "", _ options: String = "", _ urls: String? = nil) -> String {
      "\(before) \(BuiltProducts.swoop) -n 4 --stall-timeout 50 \(options) \(urls ?? trial.server.url())"
    }

    /// Waits for it.
    func shows(_ texts: String..., location: SourceLocation = #_sourceLocation) throws {
      let isShown = terminal.wait { screen in texts.allSatisfy { screen.text.contains($0) } }
      #expect(isShown, "\(texts) not in\n\(terminal.text)", sourceLocation: location)
    }

    func finish(location: SourceLocation = #_sourceLocation) throws {
      gate.open()
      try shows("swoop: saved", location: location)
      #expect(trial.names.contains("file.bin"), sourceLocation: location)
    }
  }

  /// The rows that swoop draws: those with a percentage, and the map's.
  private static func drawn(_ screen: TmuxTerminal.Screen) -> [String] {
    screen.rows.filter { $0.contains("%") || $0.hasPrefix("[") }
  }

  @Test(arguments: [(20, 80), (40, 200), (80, 30), (200, 70)]) func fitsAnyWindow(columns: Int, later: Int) throws {
    let scene = try Scene(columns: columns)
    try scene.terminal.type("clear")
    try scene.terminal.type(scene.command("", "-v"))
    try scene.shows(" 39%")
    let first = Self.drawn(try scene.terminal.screen())
    #expect(first.count == (columns < 60 ? 1 : 2) && first.allSatisfy { $0.count < columns }, "\(first)")
    if columns >= 60 { expectParallel(first[0], columns) }
    try scene.terminal.resize(columns: later)
    let fits = scene.terminal.wait { screen in
      let rows = Self.drawn(screen)
      return rows.count == (later < 60 ? 1 : 2) && rows.allSatisfy { $0.count < later }
        && (later < 60 || rows[0].count == later - 1)
    }
    #expect(fits, "\(scene.terminal.text)")
    try scene.finish()
    let last = try scene.terminal.screen()
    let end = Self.unbroken(last)
    #expect(Self.drawn(last).count == 1 && end.contains("100%") && end.contains("notverified"), "\(last.text)")
    // What was said while the line was drawn is above it, each once.
    let all = Self.unbroken(try scene.terminal.screen(withHistory: true))
    #expect(all.count(of: ">HEADhttp") == 1 && all.count(of: "<206Partial") >= 4, "\(all)")
  }

  /// Without spaces: a row that ends with one does not show it.
  private static func unbroken(_ screen: TmuxTerminal.Screen) -> String { screen.text.filter { !$0.isWhitespace } }

  /// Full and empty stretches by turns, one for each connection.
  private func expectParallel(_ map: String, _ columns: Int) {
    #expect(map.count == columns - 1 && map.hasPrefix("[█") && map.hasSuffix("·]"), "\(map)")
    #expect(map.split(separator: "·").count { $0.contains("█") } == 4, "\(map)")
  }

  @Test(arguments: [("", "\u{1B}[2m"), ("NO_COLOR=1", "▒"), ("NO_COLOR=", "\u{1B}[2m"), ("LC_ALL=C", "=")])
  func theResumedPartHasAnotherShade(environment: String, shade: String) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let gate = BodyGate(after: 100_000)
    let server = try ScriptedServer(.file(trial.content) { $0.gate = gate })
    let terminal = try TmuxTerminal(columns: 90, in: trial.folder.path(Trial.place))
    try terminal.type("clear")
    let words = "resume -n 4 --stall-timeout 50 --url \(server.url()) file.bin.part"
    try terminal.type("\(environment) \(BuiltProducts.swoop) \(words)")
    let isDrawn = terminal.wait { screen in
      screen.rows.contains { $0.contains("%") && $0.contains("4 connections") }
    }
    let screen = try terminal.screen(withShades: true)
    #expect(isDrawn && screen.text.contains(shade), "\(screen.text)")
    #expect(screen.text.contains("resuming file.bin from"))
    if environment == "NO_COLOR=1" { #expect(!screen.text.contains("\u{1B}"), "\(screen.text)") }
    if environment == "LC_ALL=C" { #expect(screen.text.utf8.allSatisfy { $0 < 0x80 }, "\(screen.text)") }
    gate.open()
    #expect(terminal.wait { $0.text.contains("resumed from") }, "\(terminal.text)")
  }

  @Test(arguments: ["TERM=dumb", "TERM=", "env -u TERM"]) func aSimpleTerminalGetsLines(environment: String) throws {
    let scene = try Scene(columns: 100)
    try scene.terminal.type("clear")
    try scene.terminal.type(scene.command(environment))
    try scene.shows("swoop: 3", " % of 9.5 MiB")
    try scene.finish()
    let screen = try scene.terminal.screen()
    #expect(screen.text.contains("swoop: 100 % of 9.5 MiB") && !screen.text.contains("█"), "\(screen.text)")
  }

  @Test func theBackgroundIsLeftAlone() throws {
    let scene = try Scene(columns: 100, rows: 90)
    try scene.terminal.type("stty tostop; clear")
    try scene.terminal.type(scene.command("", "-v") + " & jobs")
    // What it says comes all the same, and does not stop it.
    #expect(scene.trial.server.waitUntil(timeout: .seconds(30)) { $0.bodyBytesSent == 4_000_000 })
    try scene.shows("swoop: * ", "Running")
    try scene.terminal.type("echo still-$((1+1)); jobs")
    try scene.shows("still-2", "Running")
    let screen = try scene.terminal.screen()
    #expect(
      Self.drawn(screen).filter { !$0.hasPrefix("[1]") }.isEmpty && !screen.text.contains("Stopped"), "\(screen.text)")
    try scene.terminal.type("fg")
    try scene.shows(" 39%")
    try scene.finish()
  }

  @Test func aStoppedRunGoesOnBelow() throws {
    let scene = try Scene(columns: 100)
    try scene.terminal.type("clear")
    try scene.terminal.type(scene.command())
    try scene.shows(" 39%")
    try scene.terminal.press("C-z")
    try scene.shows("Stopped")
    try scene.terminal.type("echo between-$((1+1)); fg")
    let goesOn = scene.terminal.wait { screen in
      guard let place = screen.rows.firstIndex(of: "between-2") else { return false }
      return screen.rows[place...].contains { $0.contains(" 39%") }
    }
    let screen = try scene.terminal.screen()
    #expect(goesOn && screen.text.contains("Stopped") && screen.text.contains("between-2"), "\(screen.text)")
    try scene.finish()
    #expect(scene.terminal.text.contains("Stopped"))
  }

  /// Side by side. The second one knows no ranges and does not tell its length: it is one body, so the gate holds it, which
  /// would let bodies of ranges pass that are shorter than what comes before it.
  @Test func severalFilesHaveALineEachAndATotal() throws {
    let scene = try Scene(columns: 100)
    let gate = BodyGate(after: 2_000_000)
    let second = try ScriptedServer(
      .file(.pattern(length: 3_000_000)) {
        ($0.isChunked, $0.headLength, $0.gate) = (true, .missing, gate)
        ($0.honoursRange, $0.acceptRanges) = (false, nil)
      })
    try scene.terminal.type("clear")
    try scene.terminal.type(
      scene.command("", "", "\(scene.trial.server.url()) \(second.url("/other.bin"))") + "; echo ended with $?")
    let isShown = scene.terminal.wait { screen in
      screen.rows.contains { $0.hasPrefix("file.bin ") && $0.contains("%") && $0.contains(" MiB / 9.5 MiB") }
        && screen.rows.contains { $0.hasPrefix("other.bin ") && $0.contains("  1.9 MiB  ") && !$0.contains("%") }
        && screen.rows.contains { $0.hasPrefix("0 of 2 files  ") && $0.contains(" MiB or more") }
    }
    #expect(isShown, "\(scene.terminal.text)")
    #expect(second.log.entries.allSatisfy { $0.bodyBytesSent <= 2_000_000 })
    scene.gate.open()
    gate.open()
    try scene.shows("saved file.bin", "saved other.bin", "2 of 2 files saved", "ended with 0")
    let screen = try scene.terminal.screen()
    #expect(Self.drawn(screen).map { $0.prefix(8) }.sorted() == ["file.bin", "other.bi"], "\(screen.text)")
    #expect(!screen.text.contains("0 of 2 files") && !screen.text.contains("1 of 2 files"), "\(screen.text)")
  }

  /// The digest was wrong before the line had told of its reading: that line does not stay.
  @Test func aWrongDigestLeavesNoStaleLine() throws {
    let scene = try Scene(columns: 200)
    try scene.terminal.type("clear")
    scene.gate.open()
    try scene.terminal.type(scene.command("", "--md5 \(String(repeating: "0", count: 32))") + "; echo ended with $?")
    try scene.shows("does not match", "ended with 5")
    let screen = try scene.terminal.screen()
    #expect(!screen.rows.contains { $0.contains("verifying") && !$0.contains("100%") }, "\(screen.text)")
  }

  /// In a narrow window, too, lines of several files have their names; after an interruption as well.
  @Test func namesFitInANarrowWindow() throws {
    let scene = try Scene(columns: 40)
    let gate = BodyGate(after: 2_000_000)
    let second = try ScriptedServer(.file(.pattern(length: Trial.usualLength)) { $0.gate = gate })
    try scene.terminal.type("clear")
    try scene.terminal.type(scene.command("", "", "\(scene.trial.server.url()) \(second.url("/other.bin"))"))
    func hasNames(_ screen: TmuxTerminal.Screen) -> Bool {
      let drawn = Self.drawn(screen).filter { !$0.contains("swoop") }
      return drawn.contains { $0.hasPrefix("file.bin ") } && drawn.contains { $0.hasPrefix("other.bin ") }
        && drawn.allSatisfy { $0.hasPrefix("file.bin ") || $0.hasPrefix("other.bin ") }
    }
    #expect(scene.terminal.wait { hasNames($0) }, "\(scene.terminal.text)")
    try scene.terminal.press("C-c")
    try scene.shows("interrupted by SIGINT")
    #expect(hasNames(try scene.terminal.screen()), "\(scene.terminal.text)")
    scene.gate.open()
    gate.open()
  }

  @Test func anInterruptedRunLeavesItsLastState() throws {
    let scene = try Scene(columns: 100)
    try scene.terminal.type("clear")
    try scene.terminal.type(scene.command())
    try scene.shows(" 39%")
    try scene.terminal.press("C-c")
    try scene.shows("swoop: interrupted by SIGINT")
    let screen = try scene.terminal.screen()
    #expect(Self.drawn(screen).count == 1 && !screen.text.contains("^C"), "\(screen.text)")
    scene.gate.open()
  }
}

extension Machine {
  static let hasTmux: Bool = (try? CommandRunner("tmux", ["-V"]).run().exitCode) == 0
}
