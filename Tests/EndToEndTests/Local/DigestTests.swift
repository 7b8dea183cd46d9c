import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Digests: right, wrong, corrected, malformed, of files that are here and of disks that fail.
@Suite(.waiting) struct DigestTests {
  private let zeros = String(repeating: "0", count: 32)

  /// The digest of the content, by the system's own command.
  static func digest(_ algorithm: String, of content: Content) throws -> String {
    let folder = try TemporaryFolder()
    try folder.write(content, to: "file")
    let result = try CommandRunner("openssl", ["dgst", "-r", "-\(algorithm)", folder.path("file")]).run()
    return String(try #require(result.output.split(separator: " ").first))
  }

  @Test(.row("D01"), arguments: ["md5", "sha1", "sha256", "sha512"]) func d01VerifiesWhatIsRight(algorithm: String)
    throws
  {
    let trial = try Trial.healthy()
    let hex = try Self.digest(algorithm, of: trial.content)
    let name = algorithm.uppercased()
    let ways = [
      ["--\(algorithm)", hex], ["--\(algorithm)", "  \(hex.uppercased())  file.bin"], ["--\(algorithm)=\(hex)"],
      ["--checksum", "\(name):\(hex)"], ["--checksum=\(algorithm)=\(hex)"],
    ]
    for options in ways {
      let result = try trial.command(options).run()
      try trial.expect(result, exit: 0, .file, says: "\(algorithm) verified")
      trial.folder.remove(trial.placed("file.bin"))
    }
  }

  @Test(.row("D01")) func d01VerifiesSeveralAtOnce() throws {
    let trial = try Trial.healthy()
    let options = try ["--md5", Self.digest("md5", of: trial.content), "--sha256"]
    let result = try trial.command(options + [Self.digest("sha256", of: trial.content)]).run()
    try trial.expect(result, exit: 0, .file, says: "md5 and sha256 verified")
    trial.folder.remove(trial.placed("file.bin"))
    let wrong = try trial.command(options + [String(repeating: "0", count: 64)]).run()
    try trial.expect(wrong, exit: 5, .part, says: "sha256 of file.bin does not match")
  }

  @Test(.row("D02")) func d02KeepsThePartAndFinishesWithACorrectedDigest() throws {
    let trial = try Trial.healthy()
    let wrong = try trial.command(["--md5", zeros]).run()
    let right = try Self.digest("md5", of: trial.content)
    try trial.expect(wrong, exit: 5, .part, says: "expected \(zeros), got \(right)", "file.bin.part", "--restart")
    let requests = trial.server.log.entries.count
    // The same again, without one, by `resume`: at once, from what is known.
    for words in [["--md5", zeros, trial.server.url()], [trial.server.url()], ["resume", "file.bin.part"]] {
      let again = try trial.swoop(words).run()
      try trial.expect(again, exit: 5, .part, says: "--restart")
    }
    let corrected = try trial.command(["--md5", right]).run()
    try trial.expect(corrected, exit: 0, .file, says: "md5 verified")
    #expect(trial.server.log.entries.count == requests, "the network was asked")
  }

  /// What is here is the server's file, damaged nowhere: it is not fetched a second time.
  @Test func d02FetchesNothingTwiceWithoutRanges() throws {
    let content = Content.pattern(length: 1_000_000)
    let trial = try Trial(
      content,
      .file(content) {
        $0.acceptRanges = "none"
        $0.honoursRange = false
      })
    try trial.expect(trial.command(["--md5", zeros]).run(), exit: 5, .part)
    #expect(trial.server.settledLog().entries.count { $0.request.method == "GET" } == 1)
  }

  @Test(.row("D02")) func d02VerifiesByAnotherAlgorithmWithoutTheNetwork() throws {
    let trial = try Trial.healthy()
    #expect(try trial.command(["--md5", zeros]).run().exitCode == 5)
    let requests = trial.server.log.entries.count
    let sha256 = try Self.digest("sha256", of: trial.content)
    let result = try trial.swoop("resume", "--sha256", sha256, "file.bin.part")
    try trial.expect(result, exit: 0, .file, says: "sha256 verified")
    #expect(trial.server.log.entries.count == requests, "the network was asked")
  }

  @Test(.row("D02")) func d02RestartFetchesAgain() throws {
    let trial = try Trial.healthy()
    #expect(try trial.command(["--md5", zeros]).run().exitCode == 5)
    let restarted = try trial.command(["--restart", "--md5", zeros]).run()
    try trial.expect(restarted, exit: 5, .part)
    let result = try trial.command(["--restart"]).run()
    try trial.expect(result, exit: 0, .file, says: "not verified")
  }

  @Test(
    .row("D03"),
    arguments: [
      (["--md5", "12"], "32"), (["--md5", "g" + String(repeating: "0", count: 31)], "hexadecimal"),
      (["--sha256", String(repeating: "0", count: 63)], "64"), (["--checksum", "md6:00"], "md6"),
      (["--checksum", "00"], "--checksum"), (["--md5", ""], "md5"), (["--checksum", "md5:"], "md5"),
    ]) func d03RefusesWhatIsMalformed(options: [String], words: String) throws
  {
    let trial = try Trial.healthy()
    let result = try trial.command(options).run()
    try trial.expect(result, exit: 2, .nothing, says: words)
    #expect(trial.server.log.entries.isEmpty)
    let verified = try trial.swoop(["verify"] + options + ["nothing"]).run()
    #expect(verified.exitCode == 2, "\(verified.error)")
  }

  /// The disk damages a block while the rest is fetched: that block alone comes again.
  @Test(.row("D05")) func d05FetchesADamagedBlockAgainOnce() throws {
    let trial = try Trial.stalling()
    let right = try Self.digest("sha256", of: trial.content)
    let command = try trial.command(["--sha256", right, "--stall-timeout", "30"]).start()
    // A whole block is here and will not be written again.
    let isThere = {
      (try? trial.manifest()?.segments.contains { $0.end - $0.start >= 900_000 }) == true
    }
    for _ in 0..<200 where !isThere() { _ = command.waitForExit(timeout: .milliseconds(50)) }
    let segment = try #require(try trial.manifest()?.segments.max { $0.end - $0.start < $1.end - $1.start })
    try trial.folder.flipByte(of: trial.part, at: segment.start + 100)
    command.signal(SIGINT)
    _ = try command.result()
    trial.heal()
    let result = try trial.command(["--sha256", right]).run()
    try trial.expect(result, exit: 0, .file, says: "sha256 verified", "damaged")
    let asked = trial.asked().filter { $0.contains(segment.start + 100) }
    #expect(asked.count >= 2)
  }

  /// The damage is there when everything has come, and nobody has touched the file as far as its time tells.
  @Test(.row("D05")) func d05FindsDamageInACompletePart() throws {
    let trial = try Trial.healthy()
    let right = try Self.digest("sha256", of: trial.content)
    try trial.completePart(["--sha256", right])
    try trial.flipUnnoticed(at: 5_000_000)
    var manifest = try #require(try trial.manifest())
    manifest.computed = [:]
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    let before = trial.server.log.entries.count
    let result = try trial.command(["--sha256", right]).run()
    try trial.expect(result, exit: 0, .file, says: "sha256 verified", "damaged")
    // The block alone; a connection may have taken over what another had asked for.
    let asked = trial.asked(since: before)
    let isOfTheBlock = asked.allSatisfy { $0.lowerBound >= 4 << 20 && $0.upperBound <= 5 << 20 }
    #expect(isOfTheBlock && !asked.isEmpty, "\(asked)")
  }

  @Test(.row("D06")) func d06TakesACompleteFileForOneWithoutTheNetwork() throws {
    let trial = try Trial.healthy()
    let right = try Self.digest("md5", of: trial.content)
    try trial.folder.write(trial.content, to: trial.placed("file.bin"))
    for options in [["--md5", right], ["--md5", right, "--force"]] {
      let result = try trial.command(options).run()
      try trial.expect(result, exit: 0, .file, says: "already complete", "md5 verified")
    }
    #expect(trial.server.log.entries.isEmpty)
  }

  @Test(.row("D07")) func d07LeavesAFileAloneWhoseDigestIsWrong() throws {
    let trial = try Trial.healthy()
    let old = Content.pattern(length: Trial.usualLength, seed: 9)
    try trial.folder.write(old, to: trial.placed("file.bin"))
    let right = try Self.digest("md5", of: trial.content)
    let result = try trial.command(["--md5", right]).run()
    #expect(result.exitCode == 10, "\(result.error)")
    #expect(trial.names == ["file.bin"])
    #expect(try trial.folder.holds(old, in: trial.placed("file.bin")))
    let forced = try trial.command(["--md5", right, "--force"]).run()
    try trial.expect(forced, exit: 0, .file, says: "md5 verified")
    // A wrong one does not cost the old file.
    let wrong = try trial.command(["--md5", zeros, "--force"]).run()
    #expect(wrong.exitCode == 5, "\(wrong.error)")
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
  }

  /// Over plain http whoever changes the file can make it fit an md5, or has changed the page that names it too.
  @Test(.row("D10")) func d10SaysWhatAnOldDigestDoesNotProve() throws {
    let trial = try Trial.healthy()
    let note = "does not stop an attacker"
    let weak = try trial.command(["--md5", Self.digest("md5", of: trial.content)]).run()
    try trial.expect(weak, exit: 0, .file, says: "md5 verified", note)
    trial.folder.remove(trial.placed("file.bin"))
    let strong = try trial.command(["--sha256", Self.digest("sha256", of: trial.content)]).run()
    try trial.expect(strong, exit: 0, .file)
    #expect(!strong.error.contains(note), "\(strong.error)")
  }

  @Test func aResumedRunDemandsTheDigestOfTheFirst() throws {
    let trial = try Trial.stalling()
    try trial.leavePart("--md5", zeros)
    let result = try trial.swoop("resume", "file.bin.part")
    try trial.expect(result, exit: 5, .part, says: "md5 of file.bin does not match")
  }
}

extension Trial {
  /// Flips a byte of the part as a failing disk does: its time stays as it was.
  func flipUnnoticed(at offset: Int64) throws { try changeUnnoticed { try folder.flipByte(of: part, at: offset) } }

  /// Changes the part, and gives it the time that it had.
  func changeUnnoticed(_ change: () throws -> Void) throws {
    var before = stat()
    #expect(stat(folder.path(part), &before) == 0)
    try change()
    var times = [before.st_atim, before.st_mtim]
    #expect(utimensat(AT_FDCWD, folder.path(part), &times, 0) == 0)
  }
}
