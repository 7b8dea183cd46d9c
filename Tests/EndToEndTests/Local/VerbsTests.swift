import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `status`, `resume` and `verify`.
@Suite(.waiting) struct VerbsTests {
  @Test func statusSaysWhatIsHere() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart("--md5", String(repeating: "0", count: 32))
    for name in ["file.bin.part", "file.bin.part.json", "./file.bin.part"] {
      let result = try trial.swoop("status", name)
      #expect(result.exitCode == 0, "\(result.error)")
      #expect(result.error.isEmpty)
      #expect(result.output.contains("\(manifest.done) of 10000001 bytes"), "\(result.output)")
      #expect(result.output.contains(trial.server.url()) && result.output.contains("md5 000000"), "\(result.output)")
      let gap = try #require(manifest.segments.first)
      let missing = gap.start > 0 ? 0 : gap.end
      #expect(result.output.contains(": \(missing)-"), "\(result.output)")
    }
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
  }

  @Test func statusTriesAllAndGivesTheFirstFailure() throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let result = try trial.swoop("status", "nothing.part", "file.bin.part", "folder/other.part")
    #expect(result.exitCode == 11)
    #expect(result.output.contains("file.bin.part"))
    #expect(result.error.count(of: "swoop: error: ") == 2, "\(result.error)")
  }

  /// Where there is nothing, a finished file, or a part of somebody else's.
  @Test func whatIsNoPart() throws {
    let trial = try Trial.healthy()
    for name in ["done.bin", "foreign.part"] { try trial.folder.write("here", to: trial.placed(name)) }
    for verb in ["resume", "status"] {
      for (part, words) in [
        ("nothing.part", "there is no partial file nothing.part: nothing to resume"),
        ("done.bin.part", "there is no partial file done.bin.part: done.bin is here, and a finished file has no part"),
        ("foreign.part", "foreign.part has no manifest foreign.part.json beside it"),
      ] {
        let result = try trial.swoop(verb, part)
        #expect(result.exitCode == 11 && result.error.contains(words), "\(result.error)")
        #expect(result.error.count(of: "\n") == 1, "\(result.error)")
      }
    }
    #expect(trial.names == ["done.bin", "foreign.part"] && trial.server.log.entries.isEmpty)
  }

  /// What is here of a file without a length cannot be gone on with, and nothing promises that.
  @Test func aPartWithoutALength() throws {
    let trial = try Trial(.ten) { _ in
      .file(.ten) {
        ($0.isChunked, $0.honoursRange, $0.headLength, $0.stallAfter) = (true, false, .missing, 1_000_000)
      }
    }
    let command = try trial.command(["--stall-timeout", "30"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 900_000 })
    // Nothing is kept of what nobody has written.
    let isThere = { trial.folder.contains(trial.part) && (try? trial.folder.size(trial.part)) ?? 0 > 0 }
    for _ in 0..<200 where !isThere() { _ = command.waitForExit(timeout: .milliseconds(50)) }
    command.signal(SIGINT)
    let result = try command.result()
    #expect(result.error.contains("the server gave no length, so the same command begins again"), "\(result.error)")
    #expect(!result.error.contains("to resume"), "\(result.error)")
    let status = try trial.swoop("status", "file.bin.part")
    let words = "  missing  unknown: the server gave no length, so the next run begins again\n"
    #expect(status.exitCode == 0 && status.output.contains(words), "\(status.output)\(status.error)")
    let gaveUp = try trial.run("--stall-timeout", "1", "--give-up-after", "2")
    let advice = "run the same command again to begin again"
    #expect(gaveUp.exitCode == 3 && gaveUp.error.contains(advice), "\(gaveUp.error)")
  }

  @Test func resumeGoesOnFromTheManifestAlone() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let before = trial.server.log.entries.count
    var runner = CommandRunner.swoop("resume", "-n", "2", "\(Trial.place)/file.bin.part")
    runner.workingDirectory = trial.folder.path
    try trial.expect(runner.run(), exit: 0, .file, says: "resumed from")
    for range in trial.asked(since: before) { #expect(!manifest.segments.contains { $0.range.overlaps(range) }) }
  }

  @Test func resumeTakesTheSameFileFromANewAddress() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let moved = try ScriptedServer(.file(trial.content))
    let result = try trial.swoop("resume", "--url", moved.url("/elsewhere"), "file.bin.part")
    try trial.expect(result, exit: 0, .file, says: "resumed from")
    // The sample that proves it to be the same is asked for again, and no more of what is here.
    let asked = moved.settledLog().entries.compactMap { $0.request.askedBytes(of: trial.content.length) }
    let again = asked.filter { range in manifest.segments.contains { $0.range.overlaps(range) } }
    #expect(again.reduce(0) { $0 + $1.count } <= 1 << 20, "\(again)")
  }

  /// Same length, and no validator that would tell: only the bytes do.
  @Test(arguments: [true, false]) func resumeRefusesAnotherFile(hasValidators: Bool) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let (part, text) = (try trial.folder.bytes(trial.part), try trial.folder.text(trial.stored))
    let other = Content.pattern(length: Trial.usualLength, seed: 5)
    let moved = try ScriptedServer(
      .file(other) {
        guard !hasValidators else { return }
        $0.etag = nil
        $0.lastModified = nil
      })
    let result = try trial.swoop("resume", "--url", moved.url(), "file.bin.part")
    #expect(result.exitCode == 11, "\(result.error)")
    #expect(result.error.count(of: "\n") == 1, "\(result.error)")
    #expect(try trial.folder.bytes(trial.part) == part)
    #expect(try trial.folder.text(trial.stored) == text)
  }

  @Test func resumeAsksForTheSecretThatTheManifestLacks() throws {
    let trial = try Trial.stalling()
    let url = trial.server.url("/file.bin?a=b&X-Amz-Signature=S3CR3T")
    let command = try trial.command(["-v"], url: url).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    let interrupted = try command.result()
    #expect(!interrupted.error.contains(Trial.secret), "\(interrupted.error)")
    trial.heal()
    let text = try trial.folder.text(trial.stored)
    #expect(!text.contains(Trial.secret) && text.contains("?a=b"), "\(text)")
    let refused = try trial.swoop("resume", "file.bin.part")
    #expect(refused.exitCode == 11 && refused.error.contains("--url"), "\(refused.error)")
    #expect(try trial.folder.text(trial.stored) == text)
    let before = trial.server.log.entries.count
    let result = try trial.swoop("resume", "--url", url, "file.bin.part")
    try trial.expect(result, exit: 0, .file, says: "resumed from")
    #expect(trial.server.log.entries.dropFirst(before).allSatisfy { $0.request.target.contains(Trial.secret) })
  }

  @Test func resumeFailsForEachPartAlone() throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let result = try trial.swoop("resume", "nothing.part", "file.bin.part")
    #expect(result.exitCode == 11)
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
  }

  @Test func verifyTellsRightFromWrong() throws {
    let trial = try Trial.healthy()
    try trial.folder.write(trial.content, to: trial.placed("a file"))
    let right = try DigestTests.digest("sha256", of: trial.content)
    let wrong = String(repeating: "0", count: 64)
    let md5 = try DigestTests.digest("md5", of: trial.content)
    let good = try trial.swoop("verify", "--sha256", right, "--md5", md5, "a file")
    #expect(good.exitCode == 0 && good.output == "a file: OK\n" && good.error.isEmpty, "\(good.error)")
    let quiet = try trial.swoop("verify", "-q", "--sha256", right, "a file")
    #expect(quiet.exitCode == 0 && quiet.output.isEmpty && quiet.error.isEmpty, "\(quiet.output)")
    #expect(try trial.swoop("verify", "-q", "--sha256", wrong, "a file").output == "a file: FAILED\n")
    let bad = try trial.swoop("verify", "--sha256", wrong, "a file")
    #expect(bad.exitCode == 5 && bad.output == "a file: FAILED\n", "\(bad.output)")
    #expect(bad.error.contains("expected \(wrong), got \(right)"), "\(bad.error)")
    for name in ["nothing", "."] {
      let missing = try trial.swoop("verify", "--sha256", right, name)
      #expect(missing.exitCode == 7 && missing.error.count(of: "\n") == 1, "\(missing.error)")
    }
    #expect(try trial.swoop("verify", "a file").exitCode == 2)
    #expect(try trial.swoop("verify", "--sha256", right).exitCode == 2)
    #expect(try trial.swoop("verify", "--sha256", right, "a file", "b").exitCode == 2)
    #expect(trial.names == ["a file"] && trial.server.log.entries.isEmpty)
  }
}

/// What several URLs and dry runs come to.
@Suite(.waiting) struct VerbsFetchTests {
  @Test(arguments: [[], ["-q"]]) func aPlanIsAResult(options: [String]) throws {
    let trial = try Trial.healthy()
    let result = try trial.swoop(options + ["--dry-run", trial.server.url()]).run()
    #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.output.contains("10000001 bytes") && result.output.count(of: "\n") == 1, "\(result.output)")
    #expect(trial.names.isEmpty)
  }

  @Test func thatNothingIsToBeDoneIsAResult() throws {
    let trial = try Trial.healthy()
    try trial.folder.write(trial.content, to: trial.placed("file.bin"))
    let result = try trial.run("--dry-run")
    #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.output == "file.bin is already complete (9.5 MiB), not verified\n", "\(result.output)")
  }

  @Test(.enabled(if: Machine.canBeNobody)) func aPlanNeedsAFolderToWriteInto() throws {
    let trial = try Trial.healthy()
    try trial.folder.setMode(0o755, of: "")
    try trial.folder.setMode(0o555, of: Trial.place)
    for words in [["--dry-run"], ["--dry-run", "-d", "new/folder"], []] {
      let result = try Machine.withoutRights(trial.command(words)).run()
      #expect(result.exitCode == 7 && result.error.contains("permission denied"), "\(words): \(result.error)")
      #expect(result.output.isEmpty && trial.names.isEmpty)
    }
    try trial.folder.setMode(0o777, of: Trial.place)
    #expect(try Machine.withoutRights(trial.command(["--dry-run", "-d", "new/folder"])).run().exitCode == 0)
  }

  @Test(.enabled(if: Machine.canMount, Machine.noMount)) func aPlanNeedsRoom() throws {
    let disk = try MountedDisk(.healthy(), .tmpfs(bytes: 4 << 20))
    let result = try disk.trial.command(["--dry-run", "-d", "disk"]).run()
    #expect(result.exitCode == 7 && result.error.contains("not enough room for disk/file.bin"), "\(result.error)")
    #expect(result.output.isEmpty && disk.names.isEmpty)
  }

  /// The server calls both by one name, and both have the same length and time.
  @Test func oneNameIsNotGivenTwice() throws {
    let (first, second) = (Content.pattern(length: 1000, seed: 1), Content.pattern(length: 1000, seed: 2))
    let trial = try Trial(first) { request in
      .file(request.target == "/a" ? first : second) { $0.contentDisposition = "attachment; filename=\"same.bin\"" }
    }
    for _ in 1...2 {
      let result = try trial.swoop(trial.server.url("/a"), trial.server.url("/b"))
      #expect(result.exitCode == 10 && result.error.count(of: "swoop: error: ") == 1, "\(result.error)")
      #expect(try trial.folder.holds(first, in: trial.placed("same.bin")))
      #expect(trial.names == ["same.bin"])
    }
  }
}

/// Words that make no sense: one clear line, the right exit code, and nothing touched.
@Suite(.waiting) struct VerbsBadInputTests {
  @Test(arguments: [
    [], ["-o", "x"], ["http://"], ["ftp://127.0.0.1/"], ["file://host/x"], ["gopher://x/"],
    ["http://127.0.0.1:99999/x"], ["http://127.0.0.1:x/"], ["http://[::1/x"], ["http://a b/x"], ["http://%zz/"], [""],
    ["-n", "0"], ["-n", "65"], ["-n", "-1"], ["-n", "many"], ["-n"], ["-n", ""], ["-n", "1e2"],
    ["--min-split", "0"], ["--min-split", "12q"], ["--min-split", "-5"], ["--min-split", "99999999999999T"],
    ["--stall-timeout", "0"], ["--stall-timeout", "soon"], ["--give-up-after", "-1"], ["--connect-timeout", "nan"],
    ["--md5", "123"], ["--checksum", "md5"], ["--nonsense"], ["-Z"], ["--quiet=yes"], ["-x", "16", "-O"],
    ["-o", "a", "http://127.0.0.1:1/b"], ["-o", "a/.."], ["-o", ""], ["-o", "x.part"], ["-o", "x.part.json"],
    ["-d", ""], ["-d", "sub", "-o", "/abs"], ["-H", "no colon"], ["-H", "A: b\r\nC: d"], ["--cacert", "nothing"],
    ["--progress", "rainbow"], ["-x", "ftp://p/"], ["-u", ""], ["--url", "http://127.0.0.1:1/"],
    ["resume"], ["resume", "x"], ["resume", "http://127.0.0.1:1/x.part"], ["status"], ["status", "x"], ["verify"],
    ["verify", "--md5", "d41d8cd98f00b204e9800998ecf8427e"], ["resume", "-o", "y", "x.part"],
    ["get"], ["fetch"], ["-I"], ["--location"], ["--compressed"],
  ]) func isRefused(words: [String]) throws {
    let trial = try Trial.healthy()
    // Words that are a fault by themselves come without the URL that would be right.
    let isWhole =
      words.isEmpty || words.contains { $0.contains("://") || $0.isEmpty }
      || ["resume", "status", "verify"].contains(words.first) || words == ["-n"]
    let result = try trial.swoop(words + (isWhole ? [] : [trial.server.url()])).run()
    let isFine = words == ["-o", "x"] || words == ["-o", "a", "http://127.0.0.1:1/b"]
    guard !isFine else { return }
    #expect(result.exitCode == 2, "\(words): \(result.exitCode) \(result.error)")
    #expect(result.error.hasPrefix("swoop: error: "), "\(result.error)")
    #expect(result.error.count(of: "\n") == 1, "\(result.error)")
    #expect(result.output.isEmpty && trial.names.isEmpty)
    #expect(trial.server.log.entries.isEmpty, "the server was asked")
  }

  /// No host of such a name is looked for, and the files that are here stay as they are.
  @Test(arguments: [
    (["help"], "not a URL: 'help'; did you mean --help?"), (["version"], "did you mean --version?"),
    (["verfy", "one.bin"], "not a URL: 'verfy'; did you mean verify?"), (["-"], "not a URL: '-'"),
    (["one.bin"], "'one.bin' is a file that is here, not a URL; did you mean swoop verify?"),
    (["big.bin.part"], "not a URL: 'big.bin.part'; did you mean swoop resume big.bin.part?"),
    (["resume", "big.bin"], "did you mean big.bin.part?"), (["status", "big.bin"], "did you mean big.bin.part?"),
    (["-q"], "no URL was given; try 'swoop -h'"), ([], "no URL was given; try 'swoop -h'"),
  ]) func isNoHost(words: [String], says: String) throws {
    let trial = try Trial.healthy()
    for name in ["one.bin", "big.bin.part"] { try trial.folder.write("here", to: trial.placed(name)) }
    let result = try trial.swoop(words).run(timeout: .seconds(5))
    #expect(result.exitCode == 2, "\(result.error)")
    #expect(result.error.hasPrefix("swoop: error: ") && result.error.contains(says), "\(result.error)")
    #expect(result.error.count(of: "\n") == 1 && result.output.isEmpty, "\(result.error)")
    #expect(trial.names == ["big.bin.part", "one.bin"])
  }

  @Test func helpAndVersionGoToStandardOutput() throws {
    for words in [["-h"], ["--help"], ["-V"], ["--version"]] {
      let result = try CommandRunner.swoop(words).run()
      #expect(result.exitCode == 0 && result.error.isEmpty && !result.output.isEmpty)
    }
    for word in ["-h", "--help"] {
      let result = try CommandRunner.swoop(["plan", word]).run()
      #expect(result.exitCode == 0 && result.error.isEmpty, "\(result.error)")
      #expect(result.output.contains("usage: swoop plan URL --parts N [--part I]\n"), "\(result.output)")
      #expect(result.output.contains("--parts N") && !result.output.contains("--remove-parts"), "\(result.output)")
    }
    var runner = CommandRunner.swoop("--help")
    runner.output = .closed
    let closed = try runner.run()
    #expect(closed.exitCode == 7 && closed.error.contains("standard output"), "\(closed.error)")
  }
}
