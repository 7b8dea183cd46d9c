import FaultCatalogue
import TestSupport
import Testing

/// What is said of a digest that does not match: which, expected, got, where the data is, who is to blame, what to do.
@Suite(.waiting) struct MismatchTests {
  private static let content = Content.pattern(length: 3_000_001)
  private static let zeros = ChecksumListTests.zeros

  private func sha256() throws -> String { try DigestTests.digest("sha256", of: Self.content) }

  @Test(.row("D02")) func theServerOrTheDigest() throws {
    let trial = try Trial.healthy(Self.content)
    let words =
      try "sha256 of file.bin does not match: expected \(Self.zeros), got \(sha256()); the data on disk is what the "
      + "server sent (every CRC-32 is right), so its file or the digest is wrong; the data is in file.bin.part; run "
      + "again with the right digest, or with --restart\n"
    for _ in 1...2 { try trial.expect(trial.run("--sha256", Self.zeros), exit: 5, .part, says: words) }
  }

  @Test(.row("D05"), .enabled(if: Machine.hasFaultShim, Machine.noFaultShim)) func theDisk() throws {
    let trial = try Trial.healthy(Self.content)
    let once = try trial.run(
      ["--sha256", Self.zeros], with: [Fault("pwrite", names: ".part", first: 3, .flippedBit)])
    try trial.expect(once, exit: 5, .part, says: " damaged on disk and fetched again, now the data")
    #expect(once.error.contains("got \(try sha256());"), "\(once.error)")
    let bad = try Trial.healthy(Self.content)
    let always = try bad.run(
      ["--sha256", sha256()], with: [Fault("pwrite", names: ".part", count: 0, .flippedBit)])
    #expect(always.exitCode == 5 && always.error.contains("the disk is to blame: "), "\(always.error)")
    #expect(always.error.contains("check the disk, then run the same command again"), "\(always.error)")
    #expect(bad.names == ["file.bin.part", "file.bin.part.json"])
    // With a disk that has been put right, it does.
    try bad.expect(bad.run("--sha256", sha256()), exit: 0, .file, says: "), sha256 verified")
  }

  @Test func statusSaysSo() throws {
    let trial = try Trial.healthy(Self.content)
    try trial.expect(trial.run("--sha256", Self.zeros), exit: 5, .part)
    let line = try "  digest   sha256 \(Self.zeros) (does not match: got \(sha256()))\n"
    let status = try trial.swoop("status", "file.bin.part")
    #expect(status.exitCode == 0 && status.output.contains(line), "\(status.output)")
    // Of a part that was touched since, nobody knows.
    try trial.folder.flipByte(of: trial.part, at: 5)
    let later = try trial.swoop("status", "file.bin.part")
    #expect(later.output.contains("  digest   sha256 \(Self.zeros)\n"), "\(later.output)")
  }

  @Test(.row("D07")) func ofAFileThatIsHere() throws {
    let trial = try Trial.healthy(Self.content)
    try trial.folder.write(Self.content, to: trial.placed("file.bin"))
    let result = try trial.run("--sha256", Self.zeros)
    let words = try "exists and is not this file: its sha256 is \(sha256()), expected \(Self.zeros): left alone"
    #expect(result.exitCode == 10 && result.error.contains(words), "\(result.error)")
    #expect(trial.names == ["file.bin"])
  }

  /// A list that came over plain http proves no more to the run that goes on.
  @Test(arguments: [[], ["--restart"]]) func whatIsNotAuthenticatedStaysSo(options: [String]) throws {
    let right = try DigestTests.digest("sha256", of: .ten)
    let list = try ScriptedServer(.status(200, text: "\(right)  file.bin\n"))
    let trial = try Trial.stalling(.ten)
    try trial.leavePart("--checksum-file", list.url("/SUMS"))
    let result = try trial.swoop(["resume"] + options + ["file.bin.part"]).run()
    try trial.expect(result, exit: 0, .file, says: "), sha256 verified, digest not authenticated\n")
  }

  @Test func aTypedDigestIsAuthenticatedLater() throws {
    let right = try DigestTests.digest("sha256", of: .ten)
    let list = try ScriptedServer(.status(200, text: "\(right)  file.bin\n"))
    let trial = try Trial.stalling(.ten)
    try trial.leavePart("--checksum-file", list.url("/SUMS"))
    let result = try trial.swoop("resume", "--sha256", right, "file.bin.part")
    try trial.expect(result, exit: 0, .file, says: "), sha256 verified\n")
  }

  @Test func aListWithoutTheServersName() throws {
    let trial = try Trial(Self.content) { _ in
      .file(Self.content) { $0.contentDisposition = "attachment; filename=\"file.bin\"" }
    }
    let folder = try TemporaryFolder()
    try folder.write("\(sha256())  file.bin\n", to: "SUMS")
    let words = ["--checksum-file", folder.path("SUMS"), trial.server.url("/get?id=5")]
    let refused = try trial.swoop(words).run()
    try trial.expect(refused, exit: 2, .nothing, says: "has no line for get; if the server names the file otherwise, ")
    try trial.expect(trial.swoop(["-o", "file.bin"] + words).run(), exit: 0, .file, says: "), sha256 verified\n")
  }
}

/// A digest that the server announced and the file does not have is asked for again by the next run.
@Suite(.waiting) struct HealedAnnouncementTests {
  private static let content = Content.ten

  /// Announces what `said` says at the time, with GET alone.
  private static func trial(_ said: Monitor<String?>, _ content: Monitor<Content> = Monitor(.ten)) throws -> Trial {
    try Trial(Self.content) { request in
      .file(content.read { $0 }) {
        guard request.method == "GET", let value = said.read({ $0 }) else { return }
        $0.headers = ["Repr-Digest": value]
      }
    }
  }

  private static func value(_ content: Content, _ algorithm: String = "sha256") throws -> String {
    try Base64Digest.field("Repr-Digest", algorithm, content)
  }

  @Test(.row("D08"), arguments: ["sha256", "sha512"]) func isPutRight(algorithm: String) throws {
    let said = Monitor<String?>(try Self.value(.other))
    let trial = try Self.trial(said)
    let words = "run the same command again later to ask the server once more, with --no-server-digest"
    try trial.expect(trial.run(), exit: 5, .part, says: words)
    let status = try trial.swoop("status", "file.bin.part")
    #expect(status.output.contains(" (announced by the server, does not match: got "), "\(status.output)")
    try trial.expect(trial.run(), exit: 5, .part, says: words)
    let right = try Self.value(Self.content, algorithm)
    said.change { $0 = right }
    let before = trial.server.settledLog().bodyBytesSent
    try trial.expect(trial.run(), exit: 0, .file, says: "), \(algorithm) verified\n")
    // Nothing of the file was fetched again but what was on its way.
    #expect(trial.server.settledLog().bodyBytesSent - before < 8 << 20)
  }

  /// To say nothing any more takes nothing back; nor does a server that is away.
  @Test(.row("D08")) func isNotTakenBack() throws {
    let said = Monitor<String?>(try Self.value(.other))
    let trial = try Self.trial(said)
    try trial.expect(trial.run(), exit: 5, .part)
    said.change { $0 = nil }
    try trial.expect(trial.run(), exit: 5, .part, says: "what the server announced")
    trial.server.stop()
    let away = try trial.run("--give-up-after", "1")
    try trial.expect(away, exit: 5, .part, says: "what the server announces now is not known", "does not match what")
    try trial.expect(trial.run("--no-server-digest"), exit: 0, .file, says: "), not verified")
  }

  /// The file itself was put right, and has another version.
  @Test(.row("D08")) func ofANewVersion() throws {
    let said = Monitor<String?>(try Self.value(Self.content))
    let served = Monitor(Content.pattern(length: Self.content.length, seed: 77))
    let trial = try Self.trial(said, served)
    let old = served.read { $0 }
    try trial.expect(trial.run(), exit: 5, .part, of: old)
    served.change { $0 = Self.content }
    try trial.expect(trial.run(), exit: 0, .file, says: "of another version", "), sha256 verified\n")
  }
}
