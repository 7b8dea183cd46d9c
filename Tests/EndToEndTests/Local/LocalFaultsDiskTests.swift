import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Disks that are too small, fill up, or hold no file of this size.
@Suite(.waiting) struct LocalFaultsDiskTests {
  @Test(.row("L02"), .enabled(if: Machine.canMount, Machine.noMount), arguments: [[], ["--no-preallocate"]])
  func l02SaysAtOnceThatThereIsNoRoom(options: [String]) throws {
    let disk = try MountedDisk(Trial.healthy(), .tmpfs(bytes: 6 << 20))
    let room = disk.room
    let result = try disk.trial.command(options + ["-d", "disk"]).run()
    #expect(result.exitCode == 7, "\(result.error)")
    #expect(result.error.contains("needs 9.5 MiB more, and there are 6.0 MiB"), "\(result.error)")
    #expect(disk.names.isEmpty && disk.room == room)
    #expect(disk.trial.asked().isEmpty, "bytes were fetched")
  }

  @Test(.row("L02"), .enabled(if: Machine.canMountImages, Machine.noLoopMount), arguments: [[], ["--no-preallocate"]])
  func l02SaysSoOnExt4(options: [String]) throws {
    let disk = try MountedDisk(Trial.healthy(), .ext4(bytes: 10 << 20))
    let room = disk.room
    let result = try disk.trial.command(options + ["-d", "disk"]).run()
    #expect(result.exitCode == 7 && result.error.contains("needs 9.5 MiB more"), "\(result.error)")
    #expect(disk.names.isEmpty && disk.room == room)
    #expect(disk.trial.asked().isEmpty, "bytes were fetched")
  }

  @Test(.row("L03"), .enabled(if: Machine.canMount, Machine.noMount))
  func l03IsNotDisturbedByADiskThatFillsUp() throws {
    try expectUndisturbed(MountedDisk(Trial.stalling(), .tmpfs(bytes: 16 << 20)))
  }

  @Test(.row("L03"), .enabled(if: Machine.canMountImages, Machine.noLoopMount))
  func l03IsNotDisturbedOnExt4() throws {
    try expectUndisturbed(MountedDisk(Trial.stalling(), .ext4(bytes: 20 << 20)))
  }

  private func expectUndisturbed(_ disk: MountedDisk, at location: SourceLocation = #_sourceLocation) throws {
    let trial = disk.trial
    let command = try trial.command(["-d", "disk"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 }, sourceLocation: location)
    try disk.fill()
    trial.heal()
    let result = try command.result()
    #expect(result.exitCode == 0, "\(result.error)", sourceLocation: location)
    let warnings = result.error.count(of: "warning: the manifest could not be saved")
    #expect(warnings <= 1, "\(result.error)", sourceLocation: location)
    try #require(disk.names == ["file.bin", "other"], sourceLocation: location)
    #expect(try trial.folder.holds(trial.content, in: disk.place("file.bin")), sourceLocation: location)
  }

  @Test(.row("L04"), .enabled(if: Machine.canMount, Machine.noMount))
  func l04KeepsAnHonestPartWhereADiskFillsUp() throws {
    try expectHonestPart(MountedDisk(Trial.stalling(), .tmpfs(bytes: 16 << 20)))
  }

  @Test(.row("L04"), .enabled(if: Machine.canMountImages, Machine.noLoopMount))
  func l04KeepsAnHonestPartOnExt4() throws {
    try expectHonestPart(MountedDisk(Trial.stalling(), .ext4(bytes: 20 << 20)))
  }

  private func expectHonestPart(_ disk: MountedDisk, at location: SourceLocation = #_sourceLocation) throws {
    let trial = disk.trial
    let command = try trial.command(["-d", "disk", "--no-preallocate"]).start()
    let isHere = try trial.waitForManifest(disk.place("file.bin.part.json")) { $0.done >= 3_000_000 }
    #expect(isHere, sourceLocation: location)
    try disk.fill()
    trial.heal()
    let result = try command.result()
    let says = result.error.contains("no space left on device; make room and run the same command again")
    #expect(result.exitCode == 7 && says, "\(result.error)", sourceLocation: location)
    let names = ["file.bin.part", "file.bin.part.json", "other"]
    #expect(disk.names == names, sourceLocation: location)
    let manifest = try StoredManifest(trial.folder.bytes(disk.place("file.bin.part.json")))
    try manifest.expectHonest(trial.folder, disk.place("file.bin.part"), trial.content, location)
    // The manifest has room of its own: nothing that came before is forgotten.
    #expect(manifest.done >= 3_000_000, sourceLocation: location)
    // Still full: the same end, and nothing lost.
    let again = try trial.command(["-d", "disk", "--no-preallocate"]).run()
    #expect(again.exitCode == 7, "\(again.error)", sourceLocation: location)
    #expect(disk.names == names, sourceLocation: location)
    trial.folder.remove(disk.place("other"))
    let rerun = try trial.command(["-d", "disk", "--no-preallocate"]).run()
    #expect(rerun.exitCode == 0, "\(rerun.error)", sourceLocation: location)
    #expect(disk.names == ["file.bin"], sourceLocation: location)
    #expect(try trial.folder.holds(trial.content, in: disk.place("file.bin")), sourceLocation: location)
  }

  /// A disk without a free byte has no room for a manifest either.
  @Test(.row("L02"), .enabled(if: Machine.canMount, Machine.noMount))
  func leavesNothingOnADiskThatIsFull() throws {
    let disk = try MountedDisk(Trial.healthy(), .tmpfs(bytes: 1 << 20))
    try disk.fill()
    let result = try disk.trial.command(["-d", "disk"]).run()
    #expect(result.exitCode == 7 && result.error.contains("room"), "\(result.error)")
    #expect(disk.names == ["other"])
  }

  /// The limit is in blocks of 512 bytes.
  @Test(.row("L12"), arguments: [[], ["--no-preallocate"]]) func l12SaysThatTheFileIsTooLarge(options: [String]) throws
  {
    let trial = try Trial.healthy()
    let result = try Machine.shell("ulimit -f 8000", trial.command(options)).run()
    try trial.expect(result, exit: 7, .nothing, says: "too large for this file system")
    #expect(trial.asked().isEmpty, "bytes were fetched")
    try trial.expectCleanRerun()
  }

  /// What FAT32 has for its files: a byte less than this one.
  @Test(.row("L12"), arguments: [[], ["--no-preallocate"]]) func l12KnowsOf4GiB(options: [String]) throws {
    let trial = try Trial.healthy(.pattern(length: 4 << 30))
    let result = try Machine.shell("ulimit -f 8388607", trial.command(options)).run()
    try trial.expect(result, exit: 7, .nothing, says: "too large for this file system")
    #expect(trial.asked().isEmpty, "bytes were fetched")
  }

  /// The length of such a file is not known before it has come.
  @Test(.row("L06")) func l06StopsAtALimitThatNobodyKnewOf() throws {
    let content = Content.pattern(length: Trial.usualLength)
    let trial = try Trial(
      content,
      .file(content) {
        $0.isChunked = true
        $0.honoursRange = false
        $0.headLength = .missing
      })
    let result = try Machine.shell("ulimit -f 8000", trial.command([])).run()
    try trial.expect(result, exit: 7, .partOrNothing, says: "too large for this file system")
    try trial.expectCleanRerun()
  }

  @Test(.row("R42")) func r42RefusesALengthThatNoFileSystemHolds() throws {
    let lengths = ["1000000000000000", "9223372036854775807", "9223372036854775808", "18446744073709551616"]
    for length in lengths {
      let trial = try Trial(.pattern(length: 1000), .file(.pattern(length: 1000)) { $0.contentLengths = [length] })
      let result = try trial.command([]).run()
      #expect(result.exitCode == 7, "\(length): \(result.error)")
      #expect(trial.names.isEmpty)
    }
  }
}
