import FaultCatalogue
import TestSupport
import Testing

/// `--max-size`, and bodies that have no end (H17, H18).
@Suite(.waiting) struct MaximumSizeTests {
  private static let endless = Reply.endless(
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", repeating: String(repeating: "swoop ", count: 10_000))

  /// A body that never ends, but to HEAD, which gives no length either.
  private static func endlessTrial() throws -> Trial {
    try Trial(.ten) { request in
      request.method == "HEAD" ? .raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n") : endless
    }
  }

  @Test(.row("H17")) func endlessBodyStopsAtTheLimit() throws {
    let trial = try Self.endlessTrial()
    let result = try trial.run("--max-size", "3M")
    let words = "tells no length, and has sent more than --max-size allows, 3.0 MiB (3145728 bytes)"
    #expect(result.exitCode == 7 && result.error.contains(words), "\(result.error)")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"] || trial.names.isEmpty)
    if trial.folder.contains(trial.part) { #expect(try trial.folder.size(trial.part) <= 3 << 20) }
    #expect(try trial.manifest()?.segments.isEmpty ?? true)
    Trial.expectPlain(result, #_sourceLocation)
    try trial.expectCleanRerun("--max-size", "10M")
  }

  /// At its limit to the byte, whatever the way to tell the length.
  @Test(.row("H17"), arguments: [10_000_001, 10_000_000])
  func bodyWithoutALength(most: Int) throws {
    for isChunked in [true, false] {
      let trial = try Trial(.ten) { _ in
        .file(.ten) {
          $0.isChunked = isChunked
          $0.isCloseDelimited = !isChunked
          $0.headLength = .missing
          $0.honoursRange = false
        }
      }
      let result = try trial.run("--max-size", "\(most)")
      if most == Content.ten.length { try trial.expect(result, exit: 0, .file) } else { #expect(result.exitCode == 7) }
    }
  }

  /// H17: without a limit it stops where the disk does.
  @Test(.row("H17"), .enabled(if: Machine.canMount, Machine.noMount))
  func endlessBodyStopsWhereTheDiskIsFull() throws {
    let disk = try MountedDisk(Self.endlessTrial(), .tmpfs(bytes: 16 << 20))
    let trial = disk.trial
    let result = try trial.command(["-d", "disk"]).run()
    #expect(result.exitCode == 7 && result.error.contains("no space left on device"), "\(result.error)")
    Trial.expectPlain(result, #_sourceLocation)
    #expect(disk.names.isEmpty || disk.names == ["file.bin.part", "file.bin.part.json"], "\(disk.names)")
    if disk.names.contains("file.bin.part.json") {
      let manifest = try StoredManifest(trial.folder.bytes(disk.place("file.bin.part.json")))
      #expect(manifest.segments.isEmpty)
    }
    trial.heal()
    let again = try trial.command(["-d", "disk"]).run()
    #expect(again.exitCode == 0 && disk.names == ["file.bin"], "\(again.error)")
    #expect(try trial.folder.holds(.ten, in: disk.place("file.bin")))
  }

  @Test(arguments: [[], ["--dry-run"], ["-n", "1"]]) func knownLengthIsRefusedBeforeAnythingIsWritten(
    options: [String]
  ) throws {
    for refusesHead in [false, true] {
      let trial = try Trial(.ten) { refusesHead && $0.method == "HEAD" ? .status(405) : .file(.ten) }
      let result = try trial.command(options + ["--max-size", "9M"]).run()
      let words = "/file.bin is 9.5 MiB (10000001 bytes), and --max-size allows 9.0 MiB (9437184 bytes)"
      try trial.expect(result, exit: 7, .nothing, says: words)
      #expect(refusesHead || trial.asked().isEmpty)
    }
  }

  @Test func exactlySoMuchIsAllowed() throws {
    let trial = try Trial.healthy()
    try trial.expect(trial.run("--max-size", "10000001"), exit: 0, .file)
    // What is here already was not refused.
    try trial.expect(trial.run("--max-size", "1k"), exit: 0, .file, says: "already complete")
  }

  /// The file grows beyond the limit while it is fetched.
  @Test func aNewVersionIsTooLarge() throws {
    let large = Content.pattern(length: 12_000_000, seed: 3)
    let trial = try Trial(.ten) { request in
      let isOld = request.method == "HEAD" || request.indexOfMethod < 4
      return .file(isOld ? .ten : large) { if isOld { $0.cutAfter = 500_000 } }
    }
    try trial.expect(trial.run("--max-size", "11M"), exit: 7, .part, says: "11 MiB (12000000 bytes), and --max-size")
    try trial.expectCleanRerun("--max-size", "11M")
  }

  @Test(arguments: ["0", "-1", "x", ""]) func limitThatIsNone(size: String) throws {
    let trial = try Trial.healthy()
    try trial.expect(trial.run("--max-size", size), exit: 2, .nothing, says: "--max-size needs a size")
  }

  /// H18: as much as no disk holds, and honest-looking.
  @Test(.row("H18"), arguments: [[], ["--no-preallocate"]]) func petabyte(options: [String]) throws {
    let trial = try Trial(.ten) { _ in .file(.ten) { $0.contentLengths = ["1000000000000000"] } }
    try trial.expect(trial.command(options).run(), exit: 7, .nothing, says: "not enough room")
    #expect(trial.server.settledLog().entries.allSatisfy { $0.bodyBytesSent == 0 })
    try trial.expectCleanRerun()
  }
}
