import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `--json` and `--progress json`.
@Suite(.waiting) struct JSONOutputTests {
  private static let members: Set = [
    "url", "path", "outcome", "bytes", "resumed", "seconds", "connections", "retries", "digests", "verified", "caveats",
    "exit", "error",
  ]

  /// Every line is one object.
  private func objects(_ text: String, location: SourceLocation = #_sourceLocation) throws -> [ParsedJSON] {
    #expect(text.isEmpty || text.hasSuffix("\n"), "\(text)", sourceLocation: location)
    return try text.split(separator: "\n").map { line in
      let value = try ParsedJSON(parsing: line)
      #expect(!value.names.isEmpty, "\(line)", sourceLocation: location)
      return value
    }
  }

  /// The events, once all that holds of any run's is checked: one version at the beginning, time that runs forward,
  /// bytes that fall by a restart alone, and an end for each file.
  private func events(_ result: CommandResult, location: SourceLocation = #_sourceLocation) throws -> [ParsedJSON] {
    let events = try objects(result.error, location: location)
    #expect(events.first?["version"].integer == 1, sourceLocation: location)
    #expect(events.dropFirst().allSatisfy { $0["version"] == .null }, sourceLocation: location)
    let times = events.map { $0["time"].number ?? -1 }
    #expect(times == times.sorted() && (times.first ?? 0) >= 0, "\(times)", sourceLocation: location)
    var done: [Int64: Int64] = [:]
    for event in events {
      let file = event["file"].integer ?? 0
      switch event["event"].string {
      case "start", "restart": done[file] = 0
      case "progress":
        let now = event["done"].integer ?? -1
        #expect(now >= done[file] ?? 0, "\(result.error)", sourceLocation: location)
        done[file] = now
      case "retry", "message", "warning", "trace":
        #expect(event["message"].string?.isEmpty == false, sourceLocation: location)
      case "verify", "end": break
      default: Issue.record("\(event)", sourceLocation: location)
      }
    }
    #expect(!result.error.contains(Trial.secret) && !result.output.contains(Trial.secret), sourceLocation: location)
    return events
  }

  private func ends(_ events: [ParsedJSON]) -> [ParsedJSON] { events.filter { $0["event"].string == "end" } }

  @Test func aDownloadIsToldFromStartToEnd() throws {
    let content = Content.pattern(length: 3_000_000)
    let trial = try Trial(content, .file(content) { $0.rate = 1_000_000 })
    let digest = try DigestTests.digest("sha256", of: content)
    let url = trial.server.url("/file.bin?token=S3CR3T")
    let options = ["--progress", "json", "--json", "--sha256", digest, "-H", "X-Api-Key: S3CR3T", "-v"]
    let result = try trial.command(options, url: url).run()
    #expect(result.exitCode == 0, "\(result.error)")
    let events = try events(result)
    let start = try #require(events.first { $0["event"].string == "start" })
    #expect(start["path"].string == "./file.bin" || start["path"].string == "file.bin", "\(start)")
    #expect(start["total"].integer == 3_000_000 && start["resumed"].integer == 0)
    let states = events.filter { $0["event"].string == "progress" }
    #expect(states.count >= 3 && states.last?["done"].integer == 3_000_000, "\(result.error)")
    #expect(states.contains { ($0["rate"].integer ?? 0) > 0 && $0["connections"].integer == 4 }, "\(result.error)")
    #expect(events.contains { $0["event"].string == "trace" } && ends(events).count == 1)
    let object = try #require(try objects(result.output).first)
    #expect(object.names == Self.members && result.output.count(of: "\n") == 1, "\(result.output)")
    for name in Self.members { #expect(events.last?[name] == object[name], "\(name)") }
    #expect(object["bytes"].integer == 3_000_000 && object["exit"].integer == 0 && object["error"] == .null)
    #expect(object["digests"]["sha256"].string == digest && object["verified"].array == [.string("sha256")])
    #expect(object["outcome"].string == "saved" && object["connections"].integer == 4)
    #expect((object["seconds"].number ?? 0) > 0.2)
  }

  @Test func aFailureHasItsObjectToo() throws {
    let trial = try Trial(.ten, .status(404))
    let result = try trial.run("--json", "--progress=json", url: trial.server.url("/a%22b?sig=S3CR3T"))
    #expect(result.exitCode == 4, "\(result.error)")
    let object = try #require(try objects(result.output).first)
    #expect(object.names == Self.members && object["exit"].integer == 4 && object["path"] == .null)
    #expect(object["error"].string?.contains("404") == true && object["outcome"].string == "failed")
    #expect(ends(try events(result)).first?["error"] == object["error"])
    // For people beside it: one line.
    let plain = try trial.run("--json")
    #expect(plain.error.hasPrefix("swoop: error: ") && plain.error.count(of: "\n") == 1, "\(plain.error)")
    #expect(try objects(plain.output).first?["exit"].integer == 4)
  }

  @Test(arguments: [SIGINT, SIGTERM]) func aSignalIsAnEnd(signal: Int32) throws {
    let trial = try Trial.stalling()
    let command = try trial.command(["--json", "--progress", "json", "--stall-timeout", "50"]).start()
    // Each of four connections has brought a megabyte, and all of that was read.
    #expect(command.waitForOutput(containing: "\"done\":4000000,", timeout: .seconds(30)))
    command.signal(signal)
    let result = try command.result()
    #expect(result.termination == .signalled(signal))
    let end = try #require(try events(result).last)
    #expect(end["event"].string == "end" && end["exit"].integer == Int64(128 + signal), "\(result.error)")
    let object = try #require(try objects(result.output).first)
    #expect(object["exit"].integer == Int64(128 + signal) && object["bytes"].integer == 4_000_000, "\(result.output)")
    trial.heal()
    let again = try trial.run("--progress", "json", "--json")
    let resumed = try #require(try objects(again.output).first)
    #expect(again.exitCode == 0 && (resumed["resumed"].integer ?? 0) > 0, "\(again.output)")
    #expect(try events(again).first { $0["event"].string == "start" }?["resumed"] == resumed["resumed"])
  }

  /// Small files that a signal finds under way have an object each, like all that were begun, and no more than one.
  @Test(arguments: [SIGINT, SIGTERM]) func aSignalEndsSmallFiles(signal: Int32) throws {
    let shelf = try Shelf { request in
      request.path == "/f1.bin" ? .file(Shelf.content(1)) { $0.stallAfter = 10 } : nil
    }
    let options = ["--json", "--progress", "json", "-j", "3", "--stall-timeout", "50"]
    let command = try shelf.command(Array(shelf.list(0..<3).utf8), options).start()
    #expect(shelf.server.waitUntil { $0.entries.count == 3 && $0.entries.allSatisfy { $0.bodyBytesSent > 0 } })
    command.signal(signal)
    let result = try command.result()
    #expect(result.termination == .signalled(signal))
    let ended = try objects(result.output)
    #expect(Set(ended.map { $0["url"].string }) == Set((0..<3).map { shelf.server.url("/f\($0).bin") }))
    #expect(ended.count == 3, "\(result.output)")
    let stalled = ended.first { $0["url"].string?.hasSuffix("f1.bin") == true }
    #expect(stalled?["exit"].integer == Int64(128 + signal) && stalled?["outcome"].string == "failed")
    let events = try events(result)
    #expect(ends(events).compactMap { $0["file"].integer }.sorted() == [1, 2, 3], "\(result.error)")
    #expect(ends(events).count == 3, "\(result.error)")
    let last = try #require(events.last)
    #expect(last["event"].string == "message" && last["message"].string?.hasPrefix("interrupted by") == true)
  }

  /// Files that are here are counted as such, and why their results are not is said once.
  @Test func resultsOfSeveralThatCannotBeWritten() throws {
    let shelf = try Shelf()
    let list = shelf.list(0..<3) + shelf.server.url("/none") + "\n"
    var runner = shelf.command(Array(list.utf8), ["--json", "-j", "1"])
    runner.output = .closed
    let result = try runner.run()
    #expect(result.exitCode == 7, "\(result.error)")
    #expect(result.error.contains("3 of 4 files saved (") && result.error.hasSuffix("), 1 failed\n"), "\(result.error)")
    #expect(result.error.count(of: "error: cannot write to standard output") == 1, "\(result.error)")
    #expect(try (0..<3).allSatisfy { try shelf.holds($0, in: "f\($0).bin") })
  }

  @Test func retriesAreTold() throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.method == "GET", request.indexOfMethod < 3 { $0.cutAfter = 100_000 } }
    }
    let result = try trial.run("--progress", "json", "--json")
    #expect(result.exitCode == 0, "\(result.error)")
    let retries = try events(result).count { $0["event"].string == "retry" }
    let object = try #require(try objects(result.output).first)
    #expect(retries > 0 && object["retries"].integer == Int64(retries), "\(result.error)")
  }

  @Test func aRestartIsTold() throws {
    let content = Content.pattern(length: 2_000_000)
    let trial = try Trial(content) { request in
      .file(content) {
        $0.isChunked = true
        $0.headLength = .missing
        $0.honoursRange = false
        $0.rate = 2_000_000
        if request.method == "GET", request.indexOfMethod == 0 { $0.cutAfter = 1_500_000 }
      }
    }
    let result = try trial.run("--progress", "json")
    #expect(result.exitCode == 0, "\(result.error)")
    let events = try events(result)
    let place = try #require(events.firstIndex { $0["event"].string == "restart" }, "\(result.error)")
    let before = events[..<place].compactMap { $0["done"].integer }.max() ?? 0
    let after = events[place...].first { $0["event"].string == "progress" }?["done"].integer ?? .max
    #expect(before > 0 && after < before, "\(result.error)")
    #expect(events.last?["bytes"].integer == 2_000_000)
  }

  /// Each file has its object, in the order in which they ended, and the exit code is the first failure's.
  @Test func severalFilesHaveAnObjectEach() throws {
    let trial = try Trial(.ten) { $0.target.hasPrefix("/file") ? .file(.ten) : .status(410) }
    let words = ["--json", "--progress", "json", trial.server.url("/gone"), trial.server.url()]
    let result = try trial.swoop(words).run()
    #expect(result.exitCode == 4, "\(result.error)")
    #expect(try objects(result.output).map { $0["exit"].integer } == [4, 0])
    #expect(ends(try events(result)).map { $0["file"].integer } == [1, 2])
  }

  @Test func quietLeavesTheEnds() throws {
    let trial = try Trial.healthy()
    let result = try trial.run("-q", "--json", "--progress", "json")
    #expect(result.exitCode == 0 && result.output.count(of: "\n") == 1)
    #expect(try events(result).map { $0["event"].string } == ["end"], "\(result.error)")
    let complete = try trial.run("-q", "--json")
    #expect(complete.error.isEmpty)
    #expect(try objects(complete.output).first?["outcome"].string == "already complete")
  }

  @Test func wrongWordsAreAnEndOnceTheOptionsAreKnown() throws {
    let trial = try Trial.healthy()
    let result = try trial.swoop("--json", "--progress", "json")
    #expect(result.exitCode == 2)
    #expect(try ends(events(result)).map { $0["exit"].integer } == [2])
    #expect(result.error.count(of: "\n") == 1, "\(result.error)")
    let object = try #require(try objects(result.output).first)
    #expect(object.names == Self.members && object["url"] == .null, "\(result.output)")
    let unknown = try trial.swoop("--json", "--progress", "json", "--nonsense")
    #expect(unknown.exitCode == 2 && unknown.output.isEmpty && unknown.error.hasPrefix("swoop: error: "))
    let missing = try trial.swoop("--progress", "json", "--checksum-file", trial.server.url("/n"), trial.server.url())
    #expect(missing.exitCode == 2, "\(missing.error)")
    #expect(try ends(events(missing)).count == 1, "\(missing.error)")
  }

  @Test func namesComeAsTheyAre() throws {
    let trial = try Trial.healthy()
    let name = "quo\"te \\ ü 日本 \u{202E}.bin"
    let result = try trial.run("--json", "--progress", "json", "-o", name)
    let object = try #require(try objects(result.output).first)
    #expect(result.exitCode == 0 && object["path"].string?.hasSuffix(name) == true, "\(result.output)")
    #expect(try events(result).contains { $0["path"].string?.hasSuffix(name) == true })
    #expect(!result.output.unicodeScalars.contains("\u{202E}"))
  }

  @Test func aDryRunHasAPlan() throws {
    let trial = try Trial.healthy()
    let result = try trial.run("--json", "--dry-run")
    let object = try #require(try objects(result.output).first)
    #expect(object["outcome"].string == "planned" && object["bytes"].integer == Trial.usualLength, "\(result.output)")
    #expect(object["plan"].string?.hasPrefix("would fetch") == true && trial.names.isEmpty)
  }

  @Test func aResultThatCannotBeWrittenIsAFailure() throws {
    let trial = try Trial.healthy()
    var runner = trial.command(["--json", "--progress", "json"])
    runner.output = .closed
    let result = try runner.run()
    #expect(result.exitCode == 7, "\(result.error)")
    let end = ends(try events(result))
    #expect(end.count == 1 && end[0]["error"].string?.contains("standard output") == true, "\(result.error)")
  }

  @Test func statusHasAnObjectForEachPart() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let result = try trial.swoop("status", "--json", "file.bin.part", "nothing.part")
    #expect(result.exitCode == 11 && result.error.count(of: "\n") == 1, "\(result.error)")
    let parts = try objects(result.output)
    #expect(parts.map { $0["exit"].integer } == [0, 11] && parts[0]["done"].integer == manifest.done)
    let missing = parts[0]["missing"].array?.reduce(0) { $0 + ($1["end"].integer ?? 0) - ($1["start"].integer ?? 0) }
    #expect(missing == Trial.usualLength - manifest.done && parts[0]["total"].integer == Trial.usualLength)
    let told = try trial.swoop("status", "--progress", "json", "nothing.part")
    #expect(told.exitCode == 11)
    #expect(try ends(events(told)).count == 1, "\(told.error)")
  }

  @Test func verifyHasAnObjectForEachFile() throws {
    let trial = try Trial.healthy()
    try trial.folder.write(trial.content, to: trial.placed("good"))
    try trial.folder.write("other", to: trial.placed("bad"))
    let digest = try DigestTests.digest("sha256", of: trial.content)
    let list = ["good", "bad", "nothing"].map { "\(digest)  \($0)\n" }.joined()
    try trial.folder.write(list, to: trial.placed("SUMS"))
    let result = try trial.swoop("verify", "--json", "--progress", "json", "-c", "SUMS")
    #expect(result.exitCode == 5, "\(result.error)")
    let files = try objects(result.output)
    #expect(
      files.map { $0["exit"].integer } == [0, 5, 7] && files.map { $0["path"].string } == ["good", "bad", "nothing"])
    #expect(files[0]["verified"].array == [.string("sha256")] && files[1]["verified"].array == [])
    #expect(files[1]["digests"]["sha256"].string?.count == 64 && files[1]["error"].string?.contains("expected") == true)
    #expect(ends(try events(result)).map { $0["file"].integer } == [1, 2, 3], "\(result.error)")
    let plain = try trial.swoop("verify", "--json", "-c", "SUMS", "bad")
    #expect(plain.exitCode == 5 && plain.error.hasPrefix("swoop: error: sha256 of bad"), "\(plain.error)")
  }
}
