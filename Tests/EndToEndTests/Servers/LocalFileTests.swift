import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `file://`: files of this machine, with the same promises.
@Suite(.waiting) struct LocalFileTests {
  @Test func isCopied() throws {
    let place = try SourcePlace()
    let digest = try DigestTests.digest("sha256", of: .ten)
    try place.expectFile(place.run("-n", "4", "--sha256", digest, url: place.fileURL()), says: "sha256 verified")
    #expect(try place.work.modificationTime("file.bin") == 1_577_836_801)
    try place.expectFile(place.run("--sha256", digest, url: place.fileURL()), says: "already complete")
  }

  /// Blanks, a question mark and an accent in its name.
  @Test func aNameInNeedOfEscapes() throws {
    let place = try SourcePlace()
    try place.put(.ten, as: "a b?ü%41.bin", date: "2020-01-01")
    let url = "file://localhost" + place.served.path("a%20b%3Fü%2541.bin")
    try place.expectFile(place.run("-o", "file.bin", url: url))
  }

  @Test(arguments: [0, 1, 4 << 20, (4 << 20) + 1]) func lengths(length: Int64) throws {
    let place = try SourcePlace(length == 0 ? .text("") : .pattern(length: length))
    let result = try place.run("--json", url: place.fileURL())
    try place.expectFile(result)
    #expect(try ParsedJSON(parsing: result.output)["connections"].integer ?? 0 >= 1, "\(result.output)")
    #expect(result.error.contains(" connection"), "\(result.error)")
  }

  @Test func wrongDigest() throws {
    let place = try SourcePlace()
    let result = try place.run("--sha256", String(repeating: "0", count: 64), url: place.fileURL())
    try place.expect(result, exit: 5, leaving: ["file.bin.part", "file.bin.part.json"], says: "does not match")
  }

  @Test func goesOnAfterAKill() throws {
    let place = try SourcePlace()
    try place.interrupt(["--limit-rate", "2M"], place.fileURL())
    let kept = try #require(try place.manifest())
    #expect(kept.done > 0 && kept.url == place.fileURL())
    let result = try place.run(url: place.fileURL())
    try place.expectFile(result, says: "resumed from")
    #expect(!result.error.contains("unverified"), "\(result.error)")
  }

  /// Of the same length, and of a date that differs by less than a second.
  @Test func changedBetweenTwoRuns() throws {
    let place = try SourcePlace()
    try place.interrupt(["--limit-rate", "2M"], place.fileURL())
    let new = Content.pattern(length: 10_000_001, seed: 2)
    try place.put(new, as: "file.bin", date: "2020-01-01 00:00:01.5")
    try place.expectFile(place.run(url: place.fileURL()), of: new, says: "beginning again")
  }

  /// libcurl cannot pause a local file: the limit is waited for, and nothing is asked for again.
  @Test(arguments: ["1", "4", "auto"], [false, true]) func rateIsLimited(connections: String, isSent: Bool) throws {
    let place = try SourcePlace(.pattern(length: 3_000_000))
    let options = ["-n", connections, "--limit-rate", "2M", "-v"] + (isSent ? ["-o", "-"] : [])
    let result = try place.command(options, place.fileURL()).run()
    if isSent {
      let isRight = try result.outputBytes == place.content.bytes(in: 0..<3_000_000)
      #expect(result.exitCode == 0 && isRight, "\(result.error)")
    } else {
      try place.expectFile(result)
    }
    #expect(!result.error.contains("trying again"), "\(result.error)")
    // But for what may come at once.
    #expect(result.elapsed > .milliseconds(1100), "\(result.elapsed)")
  }

  /// A signal is seen while the limit is waited for.
  @Test func aSignalEndsTheWaiting() throws {
    let place = try SourcePlace()
    let command = try place.command(["--limit-rate", "4k"], place.fileURL()).start()
    let deadline = ContinuousClock.now + .seconds(20)
    while try place.manifest() == nil, ContinuousClock.now < deadline { poll(nil, 0, 5) }
    command.signal(SIGTERM)
    let result = try command.result()
    #expect(result.termination == .signalled(SIGTERM) && !result.error.contains("trying again"), "\(result.error)")
  }

  /// A reader who takes a little at a time is waited for.
  @Test(arguments: ["64k", "1M"], ["1", "4"]) func aSlowReader(window: String, connections: String) throws {
    let place = try SourcePlace()
    let pipes = try TemporaryFolder()
    let reader = try FIFOReader(pipes.path("fifo"), reads: true)
    var runner = place.command(["--window", window, "-n", connections, "-o", "-"], place.fileURL())
    runner.output = .file(reader.path)
    let command = try runner.start()
    var bytes: [UInt8] = []
    while bytes.count < 10_000_001 {
      let piece = try reader.read(16 << 10)
      guard !piece.isEmpty else { break }
      bytes += piece
    }
    try place.expect(command.result(), exit: 0)
    #expect(try bytes == place.content.bytes(in: 0..<place.content.length))
  }

  /// Of the kernel's files the size says nothing: one that is empty has contents, one of 4096 bytes has fewer.
  @Test(arguments: ["/proc/version", "/proc/self/status", "/sys/kernel/uevent_seqnum"])
  func aFileThatIsMadeWhileItIsRead(path: String) throws {
    let place = try SourcePlace()
    let isThere = access(path, R_OK) == 0
    let says = isThere ? "its length is not known before it is read" : "could not fetch"
    try place.expect(place.run(url: "file://" + path), exit: 4, says: says)
  }

  /// None of them is opened: nobody would ever write into the FIFO.
  @Test(arguments: ["missing.bin", "folder", "fifo", "loop", "/dev/null"]) func isNoFile(name: String) throws {
    let place = try SourcePlace()
    try place.served.makeFolder("folder")
    #expect(mkfifo(place.served.path("fifo"), 0o644) == 0)
    try place.served.link("loop", to: "loop")
    let url = name.hasPrefix("/") ? "file://\(name)" : place.fileURL(name)
    let words = [
      "missing.bin": "no such file", "folder": "is a directory", "fifo": "it is a device, socket or FIFO",
      "loop": "too many levels", "/dev/null": "it is a device, socket or FIFO",
    ]
    try place.expect(place.run(url: url), exit: 4, says: words[name] ?? "")
  }

  /// Root may read everything: the run is another user's.
  @Test func mayNotBeRead() throws {
    let place = try SourcePlace(.pattern(length: 1000))
    try place.served.setMode(0, of: "file.bin")
    guard geteuid() == 0 else {
      return try place.expect(place.run(url: place.fileURL()), exit: 4, says: "permission denied")
    }
    for folder in [place.served, place.work] { #expect(chmod(folder.path, 0o777) == 0) }
    var command = place.command([], place.fileURL())
    let words = ["--reuid", "65534", "--regid", "65534", "--clear-groups", command.executable]
    command.arguments = words + command.arguments
    command.executable = "setpriv"
    try place.expect(command.run(), exit: 4, says: "permission denied")
  }
}

/// Who may name such a source: a user, and nobody else.
@Suite(.waiting) struct TypedSourceTests {
  private static let sources = ["ftp://127.0.0.1:1/file.bin", "ftps://127.0.0.1:1/file.bin", "file:///etc/passwd"]

  @Test(arguments: sources) func notARedirect(source: String) throws {
    let trial = try Trial(.ten, .redirect(to: source))
    try trial.expect(trial.run(), exit: 4, .nothing, says: "redirect refused")
  }

  /// Anybody may have written the manifest.
  @Test(arguments: sources) func notAManifest(source: String) throws {
    let place = try SourcePlace()
    try place.work.write("", to: "file.bin.part", mode: 0o600)
    try place.work.write(StoredManifest(url: source).text, to: "file.bin.part.json", mode: 0o600)
    let result = try CommandRunner.swoop("resume", "file.bin.part", in: place.work).run()
    try place.expect(
      result, exit: 11, leaving: ["file.bin.part", "file.bin.part.json"], says: "swoop resume file.bin.part --url URL")
  }

  /// The same part goes on where its URL is typed.
  @Test func typedAgain() throws {
    let place = try SourcePlace()
    try place.interrupt(["--limit-rate", "2M"], place.fileURL())
    let result = try CommandRunner.swoop("resume", "file.bin.part", "--url", place.fileURL(), in: place.work).run()
    try place.expectFile(result, says: "resumed from")
  }

  @Test(arguments: sources) func notAPastedLine(source: String) throws {
    let place = try SourcePlace()
    let result = try CommandRunner.swoop("curl", source, in: place.work).run()
    try place.expect(result, exit: 2, says: "http and https only")
  }

  /// A list of digests is where a user says it is.
  @Test func aListOfDigests() throws {
    let place = try SourcePlace()
    let digest = try DigestTests.digest("sha256", of: .ten)
    try place.served.write("\(digest)  file.bin\n", to: "SUMS")
    let right = try place.run("--checksum-file", place.fileURL("SUMS"), url: place.fileURL())
    try place.expectFile(right, says: "sha256 verified")
    place.work.remove("file.bin")
    let wrong = try place.run("--checksum-file", place.fileURL("missing"), url: place.fileURL())
    try place.expect(wrong, exit: 4, says: "no such file")
  }
}
