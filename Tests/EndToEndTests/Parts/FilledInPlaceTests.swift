import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `--output-offset`: parts that are put in their places in one file.
@Suite(.waiting) struct FilledInPlaceTests {
  private static let length: Int64 = 20_000_001

  /// Bytes beside the range stay as they are, and the file is never cut.
  @Test(arguments: ["0", "5", "100"]) func nothingElseIsTouched(offset: String) throws {
    let trial = try Trial.parts()
    let old = Content.pattern(length: 5000, seed: 9)
    try trial.folder.write(old, to: trial.placed("disk"))
    trial.expect(try trial.run("--range", "7000-7999", "--output-offset", offset, "-o", "disk"), code: 0)
    let place = Int64(offset) ?? 0
    let expected =
      try old.bytes(in: 0..<place) + trial.content.bytes(in: 7000..<8000) + old.bytes(in: place + 1000..<5000)
    #expect(try trial.folder.bytes(trial.placed("disk")) == expected)
    #expect(trial.names == ["disk", "disk.7000-7999.part.json"])
  }

  @Test func theFileIsMade() throws {
    let trial = try Trial.parts()
    trial.expect(try trial.run("--range", "0-9", "--output-offset", "90", "-o", "new"), code: 0)
    #expect(
      try trial.folder.bytes(trial.placed("new")) == Array(repeating: 0, count: 90) + trial.content.bytes(in: 0..<10))
  }

  @Test(arguments: [
    ["--output-offset", "0", "-o", "f"], ["--output-offset", "0", "--range", "0-9"],
    ["--output-offset", "0", "--range", "5-", "-o", "f"], ["--output-offset", "0", "--range=-5", "-o", "f"],
    ["--output-offset", "1k", "--range", "0-9", "-o", "f"], ["--output-offset=-1", "--range", "0-9", "-o", "f"],
    ["--output-offset", "1152921504606846976", "--range", "0-9", "-o", "f"],
  ]) func wrongWords(words: [String]) throws {
    let trial = try Trial.parts()
    trial.expect(try trial.command(words).run(), code: 2, says: "--output-offset")
    #expect(trial.server.log.connections == 0 && trial.names.isEmpty)
  }

  /// Several processes fill one file at the same time.
  @Test func severalAtATime() throws {
    let trial = try Trial.parts()
    let ranges = ["0-6999999", "7000000-13999999", "14000000-20000000"]
    let commands = try ranges.map { range in
      try trial.command(["--range", range, "--output-offset", String(range.prefix { $0 != "-" }), "-o", "f"]).start()
    }
    for command in commands { trial.expect(try command.result(), code: 0) }
    try trial.expect("f", is: 0..<Self.length)
    #expect(Set(trial.names) == Set(["f"] + ranges.map { "f.\($0).part.json" }))
    trial.expect(try trial.swoop("join", "f", "--sha256", trial.sha256()), code: 0, says: "sha256 verified")
    #expect(trial.names == ["f"])
  }

  /// While a part is being written nobody else writes any of it, and the whole file is not joined.
  @Test func twoWritersOfOnePlace() throws {
    let content = Content.pattern(length: Self.length)
    let gate = BodyGate(after: 100_000)
    let trial = try Trial(content) { request in
      .file(content) { if request.method == "GET" { $0.gate = gate } }
    }
    let words = ["--output-offset", "1000000", "-o", "f", "--stall-timeout", "30", "--give-up-after", "30"]
    let first = try trial.command(["--range", "1000000-4999999"] + words).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 100_000 })
    #expect(try trial.waitForManifest(trial.placed("f.1000000-4999999.part.json")) { _ in true })
    let inside = ["--range", "1000000-1999999"] + words
    trial.expect(try trial.command(inside).run(), code: 9, says: "another process")
    trial.expect(try trial.command(["--range", "1000000-4999999"] + words).run(), code: 9, says: "another process")
    trial.expect(try trial.swoop("join", "f"), code: 9)
    gate.open()
    trial.expect(try first.result(), code: 0)
    #expect(try Array(trial.folder.bytes(trial.placed("f"))[1_000_000...]) == content.bytes(in: 1_000_000..<5_000_000))
  }

  /// A kill in the middle costs what came since the last checkpoint; the same command, or resume, goes on.
  @Test(arguments: [false, true]) func killedAndResumed(byName: Bool) throws {
    let content = Content.pattern(length: Self.length)
    let trial = try Trial(content, .file(content) { $0.stallAfter = 600_000 })
    let old = Content.pattern(length: Self.length, seed: 7)
    try trial.folder.write(old, to: trial.placed("f"))
    let words = ["--range", "4000000-15999999", "--output-offset", "4000000", "-o", "f"]
    let command = try trial.command(words + ["--stall-timeout", "30", "--give-up-after", "30"]).start()
    let name = "f.4000000-15999999.part.json"
    #expect(try trial.waitForManifest(trial.placed(name)) { $0.done >= 1_500_000 })
    command.signal(SIGKILL)
    _ = try command.result()
    let manifest = try StoredManifest(trial.folder.bytes(trial.placed(name)))
    try #expect(manifest.firstLie(trial.folder, trial.placed("f"), content) == nil)
    trial.heal()
    let count = trial.server.settledLog().entries.count
    let result = try byName ? trial.swoop("resume", name) : trial.command(words).run()
    trial.expect(result, code: 0, says: "resumed from")
    for asked in trial.asked(since: count) {
      #expect(!manifest.segments.contains { $0.range.overlaps(asked) }, "\(asked) was here already")
      #expect((4_000_000..<16_000_000).contains(asked.lowerBound))
    }
    let expected =
      try old.bytes(in: 0..<4_000_000) + content.bytes(in: 4_000_000..<16_000_000)
      + old.bytes(in: 16_000_000..<Self.length)
    #expect(try trial.folder.bytes(trial.placed("f")) == expected)
  }

  /// Again after it was complete: the server is asked for its version, and for no byte; what was damaged meanwhile is
  /// fetched again, and so is all of another version.
  @Test func onceMore() throws {
    let trial = try Trial.parts()
    try trial.fill("4000000-7999999", of: "f")
    var count = trial.server.settledLog().entries.count
    let again = try trial.run("--range", "4000000-7999999", "--output-offset", "4000000", "-o", "f")
    trial.expect(again, code: 0, says: "already complete")
    #expect(trial.asked(since: count).isEmpty)
    try trial.damage("f", at: 5_000_000)
    count = trial.server.settledLog().entries.count
    try trial.fill("4000000-7999999", of: "f")
    #expect(
      try Array(trial.folder.bytes(trial.placed("f"))[4_000_000...]) == trial.content.bytes(in: 4_000_000..<8_000_000))
    #expect(trial.asked(since: count).allSatisfy { (4_194_304..<5_242_880).contains($0.lowerBound) })
  }

  @Test func anotherVersion() throws {
    let new = Content.pattern(length: Self.length, seed: 2)
    let trial = try Trial(new, .file(.pattern(length: Self.length)))
    try trial.fill("4000000-7999999", of: "f")
    trial.heal()
    let result = try trial.run("--range", "4000000-7999999", "--output-offset", "4000000", "-o", "f")
    trial.expect(result, code: 0, says: "another version")
    #expect(try Array(trial.folder.bytes(trial.placed("f"))[4_000_000...]) == new.bytes(in: 4_000_000..<8_000_000))
  }

  @Test func aLinkIsLeftAlone() throws {
    let trial = try Trial.parts()
    try trial.folder.write("old", to: trial.placed("old"))
    #expect(try CommandRunner("ln", ["-s", "old", trial.folder.path(trial.placed("f"))]).run().exitCode == 0)
    let result = try trial.run("--range", "0-9", "--output-offset", "0", "-o", "f")
    trial.expect(result, code: 7, says: "symbolic link")
    #expect(try trial.folder.text(trial.placed("old")) == "old")
  }
}
