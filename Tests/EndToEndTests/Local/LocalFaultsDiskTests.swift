import Glibc
import TestSupport
import Testing

/// Disks that are too small, fill up, or hold no file of this size.
@Suite struct LocalFaultsDiskTests {
  /// A file system of some megabytes, mounted in the folder where files go and gone with this.
  private final class SmallDisk: Sendable {
    let trial: Trial
    let path: String

    /// Nil where nothing can be mounted.
    init(_ trial: Trial, bytes: Int64) throws {
      self.trial = trial
      path = try trial.folder.makeFolder(trial.placed("disk"))
      let mounted = try CommandRunner("mount", ["-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", path]).run()
      try #require(mounted.exitCode == 0, "\(mounted.error)")
    }

    deinit { _ = try? CommandRunner("umount", ["-l", path]).run() }

    var names: [String] { (try? trial.folder.names(in: trial.placed("disk"))) ?? [] }

    func place(_ name: String) -> String { trial.placed("disk/\(name)") }

    /// The bytes that are free.
    var room: Int64 {
      var system = statvfs()
      return statvfs(path, &system) == 0 ? Int64(system.f_bavail) * Int64(system.f_bsize) : -1
    }
  }

  @Test(.enabled(if: Machine.canMount, "no file system can be mounted here"), arguments: [[], ["--no-preallocate"]])
  func l02SaysAtOnceThatThereIsNoRoom(options: [String]) throws {
    let disk = try SmallDisk(Trial.healthy(), bytes: 6 << 20)
    let room = disk.room
    let result = try disk.trial.command(options + ["-d", "disk"]).run()
    #expect(result.exitCode == 7, "\(result.error)")
    #expect(result.error.contains("needs 9.5 MiB more, and there are 6.0 MiB"), "\(result.error)")
    #expect(disk.names.isEmpty && disk.room == room)
    #expect(disk.trial.asked().isEmpty, "bytes were fetched")
  }

  @Test(.enabled(if: Machine.canMount, "no file system can be mounted here"))
  func l03IsNotDisturbedByADiskThatFillsUp() throws {
    let disk = try SmallDisk(Trial.stalling(), bytes: 16 << 20)
    let trial = disk.trial
    let command = try trial.command(["-d", "disk"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    #expect(throws: SystemCallFailure.self) {
      try trial.folder.write(.pattern(length: 16 << 20), to: disk.place("other"))
    }
    trial.heal()
    let result = try command.result()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(result.error.count(of: "warning: the manifest could not be saved") <= 1, "\(result.error)")
    try #require(disk.names == ["file.bin", "other"])
    #expect(try trial.folder.holds(trial.content, in: disk.place("file.bin")))
  }

  @Test(.enabled(if: Machine.canMount, "no file system can be mounted here"))
  func l04KeepsAnHonestPartWhereADiskFillsUp() throws {
    let disk = try SmallDisk(Trial.stalling(), bytes: 16 << 20)
    let trial = disk.trial
    let command = try trial.command(["-d", "disk", "--no-preallocate"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    #expect(throws: SystemCallFailure.self) {
      try trial.folder.write(.pattern(length: 16 << 20), to: disk.place("other"))
    }
    trial.heal()
    let result = try command.result()
    #expect(result.exitCode == 7 && result.error.contains("no space left on device"), "\(result.error)")
    #expect(result.error.contains("make room and run the same command again"), "\(result.error)")
    #expect(disk.names == ["file.bin.part", "file.bin.part.json", "other"])
    let manifest = try StoredManifest(trial.folder.bytes(disk.place("file.bin.part.json")))
    try manifest.expectHonest(trial.folder, disk.place("file.bin.part"), trial.content, #_sourceLocation)
    // The manifest has room of its own: nothing that came before is forgotten.
    #expect(manifest.done >= 3_000_000)
    // Still full: the same end, and nothing lost.
    let again = try trial.command(["-d", "disk", "--no-preallocate"]).run()
    #expect(again.exitCode == 7, "\(again.error)")
    #expect(disk.names == ["file.bin.part", "file.bin.part.json", "other"])
    trial.folder.remove(disk.place("other"))
    let rerun = try trial.command(["-d", "disk", "--no-preallocate"]).run()
    #expect(rerun.exitCode == 0, "\(rerun.error)")
    #expect(disk.names == ["file.bin"])
    #expect(try trial.folder.holds(trial.content, in: disk.place("file.bin")))
  }

  /// A disk without a free byte has no room for a manifest either.
  @Test(.enabled(if: Machine.canMount, "no file system can be mounted here"))
  func leavesNothingOnADiskThatIsFull() throws {
    let disk = try SmallDisk(Trial.healthy(), bytes: 1 << 20)
    let trial = disk.trial
    #expect(throws: SystemCallFailure.self) {
      try trial.folder.write(.pattern(length: 2 << 20), to: disk.place("other"))
    }
    let result = try trial.command(["-d", "disk"]).run()
    #expect(result.exitCode == 7 && result.error.contains("room"), "\(result.error)")
    #expect(disk.names == ["other"])
  }

  @Test(arguments: [[], ["--no-preallocate"]])
  func l12SaysThatTheFileIsTooLarge(options: [String]) throws {
    let trial = try Trial.healthy()
    // In blocks of 512 bytes.
    let result = try Machine.shell("ulimit -f 8000", trial.command(options)).run()
    try trial.expect(result, exit: 7, .nothing, says: "too large for this file system")
    #expect(trial.asked().isEmpty, "bytes were fetched")
    try trial.expectCleanRerun()
  }

  @Test func r42RefusesALengthThatNoFileSystemHolds() throws {
    let lengths = ["1000000000000000", "9223372036854775807", "9223372036854775808", "18446744073709551616"]
    for length in lengths {
      let trial = try Trial(.pattern(length: 1000), .file(.pattern(length: 1000)) { $0.contentLengths = [length] })
      let result = try trial.command([]).run()
      #expect(result.exitCode == 7, "\(length): \(result.error)")
      #expect(trial.names.isEmpty)
    }
  }
}
