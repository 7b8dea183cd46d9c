import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// File systems that lack what others have, and those of networks, where a handle goes stale.
@Suite(.waiting) struct PoorFileSystemTests {
  /// What is missing, from the least to the most: the flags of a rename, second names as well, locks as well.
  private static let lacking: [[Fault]] = [
    [Fault("fallocate", count: 0, .error(EOPNOTSUPP)), Fault("renameat2", count: 0, .error(EINVAL))],
    [Fault("renameat2", count: 0, .error(ENOSYS)), Fault("linkat", count: 0, .error(EPERM))],
    [Fault("renameat2", count: 0, .error(EINVAL)), Fault("linkat", count: 0, .error(EOPNOTSUPP))],
    [Fault("flock", count: 0, .error(ENOLCK)), Fault("fcntl", count: 0, .error(EINVAL))],
    [Fault("flock", count: 0, .error(EOPNOTSUPP)), Fault("fcntl", count: 0, .error(ENOLCK))],
    [Fault("fchmod", count: 0, .error(EPERM)), Fault("futimens", count: 0, .error(EPERM))],
    [Fault("fstatvfs", count: 0, .error(ENOSYS)), Fault("fsync", names: ".", count: 0, .error(EINVAL))],
  ]

  @Test(.row("L46"), .enabled(if: Machine.hasFaultShim, Machine.noFaultShim), arguments: lacking.indices)
  func l46MakesDoWithWhatThereIs(index: Int) throws {
    let trial = try Trial.healthy(.million)
    try trial.expect(trial.run(with: Self.lacking[index]), exit: 0, .file)
  }

  /// Without a rename that spares what is there, nothing is replaced all the same.
  @Test(.row("L46", "L38"), .enabled(if: Machine.hasFaultShim, Machine.noFaultShim), arguments: 0..<3)
  func l46ReplacesNothing(index: Int) throws {
    let trial = try Trial.healthy(.million)
    try trial.completePart([])
    try trial.folder.write("in the way", to: trial.placed("file.bin"))
    let play = try FaultPlay(Self.lacking[index])
    let result = try play.runner(trial.command([]), in: trial.folder.path(Trial.place)).run()
    #expect(result.exitCode == 10, "\(result.error)")
    #expect(try trial.folder.text(trial.placed("file.bin")) == "in the way")
    #expect(trial.names == ["file.bin", "file.bin.part", "file.bin.part.json"])
  }

  /// NFS: a rename is done, and the next use of the folder does not know of it.
  @Test(.row("L46"), .enabled(if: Machine.hasFaultShim, Machine.noFaultShim), arguments: [1, 0])
  func l46AHandleGoesStaleAfterARename(count: Int) throws {
    let sweep = FaultSweep(width: 2, trial: { try .healthy(.million) }) {
      Fault("fsync", names: ".", first: $0, count: count, .error(ESTALE))
    }
    let met = try sweep.run { trial, result, _ in
      try trial.expect(result, exit: 0, .file)
      try trial.expectCleanRerun()
    }
    #expect(met >= 2, "\(met)")
  }

  @Test(.row("L46", "L11"), .enabled(if: Machine.canMountBindfs, Machine.noBindfs))
  func l46FetchesAndResumesInUserSpace() throws {
    let disk = try MountedDisk(Trial.stalling(), .bindfs)
    let trial = disk.trial
    let command = try trial.command(["-d", "disk"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    let second = try trial.command(["-d", "disk"]).run()
    #expect(second.exitCode == 9, "\(second.error)")
    command.signal(SIGINT)
    #expect(try command.result().termination == .signalled(SIGINT))
    let manifest = try StoredManifest(trial.folder.bytes(disk.place("file.bin.part.json")))
    try manifest.expectHonest(trial.folder, disk.place("file.bin.part"), trial.content, #_sourceLocation)
    trial.heal()
    let before = trial.server.settledLog().entries.count
    let result = try trial.command(["-d", "disk"]).run()
    #expect(result.exitCode == 0 && disk.names == ["file.bin"], "\(result.error)")
    #expect(try trial.folder.holds(trial.content, in: disk.place("file.bin")))
    let again = trial.asked(since: before).contains { range in manifest.segments.contains { $0.range.overlaps(range) } }
    #expect(!again)
  }

  @Test(.row("L46"), .enabled(if: Machine.canMountBindfs, Machine.noBindfs))
  func l46ReplacesOnlyByForceInUserSpace() throws {
    let disk = try MountedDisk(Trial.healthy(), .bindfs)
    try disk.trial.folder.write("the old file", to: disk.place("file.bin"))
    let refused = try disk.trial.command(["-d", "disk"]).run()
    #expect(refused.exitCode == 10, "\(refused.error)")
    #expect(try disk.trial.folder.text(disk.place("file.bin")) == "the old file")
    let forced = try disk.trial.command(["-d", "disk", "--force"]).run()
    #expect(forced.exitCode == 0 && disk.names == ["file.bin"], "\(forced.error)")
    #expect(try disk.trial.folder.holds(disk.trial.content, in: disk.place("file.bin")))
  }
}
