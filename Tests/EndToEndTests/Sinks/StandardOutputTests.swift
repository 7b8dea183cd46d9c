import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `-o -` where nothing goes wrong, and what is asked of it that cannot be.
@Suite(.waiting) struct StandardOutputTests {
  @Test(.row("L40"), arguments: ["1", "4", "16", "auto"], ["64k", "1M", "64M"])
  func sendsTheBytesInOrder(connections: String, window: String) throws {
    let trial = try Trial.healthy()
    let result = try trial.run("-n", connections, "--min-split", "4k", "--window", window, "-o", "-")
    try trial.expectSent(result, says: "swoop: sent 9.5 MiB to standard output (in ", "), not verified")
    #expect(trial.server.log.entries.count { $0.request.method == "GET" } >= (connections == "4" ? 4 : 1))
  }

  /// Ranges that are so short that connections would do little but ask for them are of no use to anybody.
  @Test(arguments: [("64k", 1), ("300k", 1), ("1M", 4), ("64M", 8)])
  func aWindowHasRoomForSoManyConnections(window: String, most: Int) throws {
    let trial = try Trial.healthy()
    let result = try trial.run("-n", "8", "--window", window, "-o", "-")
    let note = "swoop: --window leaves room for \(most) of 8 connections"
    #expect(result.error.contains(note) == (most < 8), "\(result.error)")
    try trial.expectSent(result)
    // One more for HEAD.
    #expect(trial.server.log.maxConcurrentConnections <= most + 1)
  }

  /// Where the bytes go to the terminal that messages go to, nothing is drawn between them.
  @Test(arguments: [["-o", "-"], ["-o", "/dev/tty"], ["-o", "-", "--progress", "bar"]])
  func nothingIsDrawnAmidTheBytes(options: [String]) throws {
    let text = String(repeating: "abc", count: 10)
    let trial = try Trial(.text(text), .file(.text(text)) { $0.rate = 20 })
    var runner = trial.command(options)
    runner.terminal = .init(forAllStreams: true)
    let result = try runner.run()
    #expect(result.exitCode == 0 && result.error.hasPrefix(text + "swoop: sent 30 B"), "\(result.error)")
    #expect(!result.error.contains("\u{1B}") && !result.error.contains("%"), "\(result.error)")
  }

  /// Lengths beside the borders of the window, of its pieces and of pages.
  @Test(arguments: [0, 1, 4095, 65_535, 65_536, 65_537, 131_072, 262_145] as [Int64])
  func shortFiles(length: Int64) throws {
    let trial = try Trial.healthy(.pattern(length: length))
    try trial.expectSent(trial.run("--window", "64k", "-o", "-"))
  }

  /// No range reaches beyond what the reader has, the window, and a quarter of it that waits with the server; none is
  /// smaller than it must be.
  @Test func asksForNothingBeyondTheWindow() throws {
    let trial = try Trial.healthy()
    let reader = try trial.fifo()
    let command = try trial.sending(["-n", "4", "--window", "1M"], to: reader).start()
    #expect(trial.server.waitUntil { $0.entries.count >= 4 })
    let first = try reader.read(2_000_000)
    for range in trial.asked() where range != 0..<trial.content.length {
      #expect(range.upperBound <= 2_000_000 + (5 << 18) + (128 << 10), "\(range)")
    }
    let rest = try reader.read(20_000_000)
    let result = try command.result()
    #expect(result.exitCode == 0, "\(result.error)")
    try trial.expectBytes(first + rest)
    #expect(first.count + rest.count == Int(trial.content.length))
    let asked = trial.asked()
    #expect(asked.count <= 80, "\(asked.count)")
  }

  @Test(arguments: ["-O -", "-qO-", "-o /dev/stdout", "--output=-"]) func otherWordsForIt(line: String) throws {
    let trial = try Trial.healthy()
    let result = try trial.command(line.split(separator: " ").map(String.init)).run()
    try trial.expectSent(result)
    if line == "-qO-" { #expect(result.error.isEmpty) }
  }

  /// A file that the shell has opened is standard output as any other.
  @Test func intoAFile() throws {
    let trial = try Trial.healthy()
    var runner = trial.command(["-o", "-"])
    runner.output = .file(trial.folder.path(trial.placed("mine")))
    let result = try runner.run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try trial.folder.holds(trial.content, in: trial.placed("mine")))
    try trial.expectNothingLeft(result, errors: 0, but: ["mine"])
  }

  /// What would go to standard output goes to standard error, so that nothing is mixed into the file.
  @Test func resultsGoToStandardError() throws {
    let trial = try Trial.healthy()
    let result = try trial.run("-q", "--json", "-o", "-")
    try trial.expectSent(result)
    let object = try ParsedJSON(parsing: result.error)
    #expect(object["path"].string == "-" && object["outcome"].string == "sent" && object["exit"].integer == 0)
    #expect(object["bytes"].integer == trial.content.length && object["retries"].integer == 0)
    let failed = try trial.run("-q", "--json", "--md5", String(repeating: "0", count: 32), "-o", "-")
    try trial.expectFailed(failed, exit: 5, says: "\"exit\":5")
    let events = try trial.run("--progress", "json", "--json", "-o", "-")
    try trial.expectSent(events, says: "\"event\":\"end\"", "\"event\":\"start\"")
    #expect(events.error.count(of: "\"outcome\"") == 1, "\(events.error)")
  }

  @Test func aDryRunSaysItsPlanOnStandardError() throws {
    let trial = try Trial.healthy()
    let result = try trial.run("--dry-run", "-o", "-")
    #expect(result.exitCode == 0 && result.outputBytes.isEmpty)
    #expect(result.error.contains("would fetch 9.5 MiB (10000001 bytes)"), "\(result.error)")
    #expect(result.error.contains(" to standard output over up to 4 connections"), "\(result.error)")
    try trial.expectNothingLeft(result, errors: 0)
  }

  @Test(arguments: [
    ["-o", "-", "-d", "x"], ["-o", "-", "--force"], ["-o", "-", "--restart"], ["-o", "-", "http://127.0.0.1:1/b"],
    ["--window", "63k", "-o", "-"], ["--window", "much", "-o", "-"], ["resume", "-o", "-"],
    ["resume", "--window", "1M"], ["-o", "-", "--keep-manifest"],
    ["-o", "-", "--range", "0-9", "--output-offset", "3"],
  ]) func whatMakesNoSense(words: [String]) throws {
    let trial = try Trial.healthy()
    let result = try trial.swoop(words + [trial.server.url()]).run()
    try trial.expectFailed(result, exit: 2)
    #expect(result.error.count(of: "\n") == 1 && result.outputBytes.isEmpty && trial.server.log.connections == 0)
  }

  /// What a config file says of folders holds for files.
  @Test func aConfigFileIsNotInTheWay() throws {
    let trial = try Trial.healthy()
    let place = try TemporaryFolder()
    try place.write("directory=elsewhere\nforce\nwindow=128k\n", to: "config")
    try trial.expectSent(trial.run("--config", place.path("config"), "-o", "-"))
  }

  @Test(.row("D01")) func digestsAreComputedOnTheWay() throws {
    let trial = try Trial.healthy()
    let right = try DigestTests.digest("sha256", of: trial.content)
    try trial.expectSent(trial.run("--sha256", right, "--window", "256k", "-o", "-"), says: "sha256 verified")
    let wrong = String(right.reversed())
    let result = try trial.run("--sha256", wrong, "-o", "-")
    try trial.expectFailed(result, exit: 5, says: wrong, right, "standard output has the bytes already")
    #expect(Int64(result.outputBytes.count) == trial.content.length)
  }

  /// Under the URL's name, because there is no other.
  @Test func theListHasTheNameOfTheURL() throws {
    let trial = try Trial.healthy()
    let place = try TemporaryFolder()
    let right = try DigestTests.digest("sha256", of: trial.content)
    try place.write("\(right)  file.bin\n", to: "SUMS")
    try trial.expectSent(trial.run("--checksum-file", place.path("SUMS"), "-o", "-"), says: "sha256 verified")
    try place.write("\(right)  other.bin\n", to: "SUMS")
    let result = try trial.run("--checksum-file", place.path("SUMS"), "-o", "-")
    try trial.expectFailed(result, exit: 2, says: "no line for file.bin")
    #expect(result.outputBytes.isEmpty)
  }

  @Test(.row("D08"), arguments: [true, false]) func whatTheServerAnnouncesIsCompared(isRight: Bool) throws {
    let content = Content.pattern(length: Trial.usualLength)
    let value = try Base64Digest.of(isRight ? content : .pattern(length: Trial.usualLength, seed: 9), "sha256")
    let trial = try Trial(content) { _ in .file(content) { $0.headers = ["Repr-Digest": "sha-256=:\(value):"] } }
    let result = try trial.run("-o", "-")
    if isRight { return try trial.expectSent(result, says: "sha256 verified") }
    try trial.expectFailed(result, exit: 5, says: "does not match what the server announced", "--no-server-digest")
    try trial.expectSent(trial.run("--no-server-digest", "-o", "-"), says: "not verified")
  }

  @Test(arguments: ["1000000-5999999", "4000001-", "-123456", "0-0"], [true, false])
  func aPartOfAFile(range: String, hasRanges: Bool) throws {
    let content = Content.pattern(length: Trial.usualLength)
    let trial = try Trial(content) { _ in
      .file(content) { if !hasRanges { ($0.acceptRanges, $0.honoursRange) = ("none", false) } }
    }
    let result = try trial.run("--range", range, "--window", "256k", "-o", "-")
    #expect(result.exitCode == 0, "\(result.error)")
    let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    let start = ends[0] ?? content.length - (ends[1] ?? 0)
    let end = ends[0] == nil ? content.length : ends[1].map { $0 + 1 } ?? content.length
    #expect(try result.outputBytes == content.bytes(in: start..<end), "\(result.outputBytes.count)")
    try trial.expectNothingLeft(result, errors: 0)
  }

  /// What was sent is not there any more to compare a mirror with.
  @Test func mirrorsAreNotAsked() throws {
    let trial = try Trial.healthy()
    let mirror = try Trial.healthy()
    let result = try trial.run("--mirror", mirror.server.url(), "-o", "-")
    try trial.expectSent(result, says: "standard output gets the bytes of one source")
    #expect(mirror.server.log.connections == 0)
  }

  @Test func tooLargeIsRefusedBeforeAByte() throws {
    let trial = try Trial.healthy()
    let result = try trial.run("--max-size", "9M", "-o", "-")
    try trial.expectFailed(result, exit: 7, says: "--max-size")
    #expect(result.outputBytes.isEmpty)
  }

  @Test(.row("L41")) func aClosedOutputIsToldBeforeARequest() throws {
    let trial = try Trial.healthy()
    var runner = trial.command(["-o", "-"])
    runner.output = .closed
    try trial.expectFailed(runner.run(), exit: 7, says: "cannot write to standard output")
    #expect(trial.server.log.connections == 0)
  }
}
