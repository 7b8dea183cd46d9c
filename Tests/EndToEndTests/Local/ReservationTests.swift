import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Room that cannot be reserved: because it is not there, or because the file system does not know how.
@Suite(.waiting, .enabled(if: Machine.hasFaultShim, Machine.noFaultShim)) struct ReservationTests {
  /// As if another process had taken it between the question and the reservation. ext4 keeps what it had given until
  /// it ran out.
  private static let deceived = [Fault("fstatvfs", count: 0, .roomier)]

  private func run(_ disk: MountedDisk, _ options: String...) throws -> CommandResult {
    let play = try FaultPlay(Self.deceived)
    let runner = disk.trial.command(options + ["-d", "disk"])
    let result = try play.runner(runner, in: disk.path).run()
    #expect(try play.outcomes().first?.played ?? 0 > 0)
    return result
  }

  @Test(.row("L10"), .enabled(if: Machine.canMountImages, Machine.noLoopMount))
  func l10GivesTheRoomBackWhereItRunsOut() throws {
    let disk = try MountedDisk(Trial.healthy(.pattern(length: 40_000_001)), .ext4(bytes: 16 << 20))
    let room = disk.room
    let result = try run(disk)
    #expect(result.exitCode == 7, "\(result.error)")
    #expect(result.error.contains("cannot reserve room for disk/file.bin.part: no space left"), "\(result.error)")
    #expect(disk.names.isEmpty && disk.room == room, "\(disk.names), \(disk.room) of \(room)")
    #expect(disk.trial.asked().isEmpty, "bytes were fetched")
  }

  @Test(.row("L10"), .enabled(if: Machine.canMountImages, Machine.noLoopMount))
  func l10AResumedPartIsAsLargeAsItWas() throws {
    let disk = try MountedDisk(Trial.stalling(), .ext4(bytes: 24 << 20))
    let (trial, part) = (disk.trial, disk.place("file.bin.part"))
    let command = try trial.command(["-d", "disk", "--no-preallocate"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    #expect(try command.result().termination == .signalled(SIGINT))
    trial.heal()
    let manifest = try StoredManifest(trial.folder.bytes(disk.place("file.bin.part.json")))
    try disk.fill(leaving: 3 << 20)
    let (room, allocated) = (disk.room, try trial.folder.allocatedSize(part))
    let result = try run(disk)
    #expect(result.exitCode == 7 && result.error.contains("no space left"), "\(result.error)")
    // The file system's own notes on where the holes are may have grown.
    let now = try trial.folder.allocatedSize(part)
    #expect(now <= allocated + 64 << 10, "\(now), \(allocated) before")
    #expect(disk.room >= room - 256 << 10, "\(disk.room) of \(room)")
    let kept = try StoredManifest(trial.folder.bytes(disk.place("file.bin.part.json")))
    try kept.expectHonest(trial.folder, part, trial.content, #_sourceLocation)
    #expect(kept.done >= manifest.done)
    trial.folder.remove(disk.place("other"))
    let rerun = try trial.command(["-d", "disk"]).run()
    #expect(rerun.exitCode == 0 && disk.names == ["file.bin"], "\(rerun.error)")
    #expect(try trial.folder.holds(trial.content, in: disk.place("file.bin")))
  }

  @Test(.row("L11"), arguments: [EOPNOTSUPP, ENOSYS, EINVAL]) func l11GrowsTheFileInstead(code: Int32) throws {
    let trial = try Trial.healthy(.million)
    try trial.expect(trial.run(with: [Fault("fallocate", count: 0, .error(code))]), exit: 0, .file)
  }

  @Test(.row("L11")) func l11AsksAgainWhereItIsInterrupted() throws {
    let trial = try Trial.healthy(.million)
    try trial.expect(trial.run(with: [Fault("fallocate", count: 0, .interruptions)]), exit: 0, .file)
  }
}
