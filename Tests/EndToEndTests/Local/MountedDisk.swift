import Glibc
import TestSupport
import Testing

/// A file system of its own, mounted on `disk` in the folder where files go, and gone with this.
final class MountedDisk: Sendable {
  /// What is mounted.
  enum Kind: Sendable {
    case tmpfs(bytes: Int64)
    /// In an image, by a loop device.
    case ext4(bytes: Int64)
    /// A folder seen through a file system in user space that knows neither fallocate(2) nor the flags of renameat2(2).
    case bindfs
  }

  let trial: Trial
  let path: String
  private let place: String
  /// What the file system is made of.
  private let source: TemporaryFolder

  /// A mount that fails is a failure of the test.
  init(_ trial: Trial, _ kind: Kind) throws {
    self.trial = trial
    place = trial.placed("disk")
    path = try trial.folder.makeFolder(place)
    source = try TemporaryFolder()
    for words in try Self.commands(kind, source, path) {
      let result = try CommandRunner(words[0], Array(words.dropFirst())).run()
      try #require(result.exitCode == 0, "\(words): \(result.error)")
    }
  }

  deinit { _ = try? CommandRunner("umount", ["-l", path]).run() }

  private static func commands(_ kind: Kind, _ source: TemporaryFolder, _ path: String) throws -> [[String]] {
    switch kind {
    case .tmpfs(let bytes): return [["mount", "-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", path]]
    case .ext4(let bytes):
      let image = source.path("image")
      try source.write("", to: "image")
      try source.truncate("image", to: bytes)
      // No blocks are kept back for root, so that what is free is free for everybody.
      return [
        ["mkfs.ext4", "-q", "-m", "0", image], ["mount", "-o", "loop", image, path], ["rmdir", path + "/lost+found"],
      ]
    case .bindfs: return [["bindfs", source.path, path]]
    }
  }

  /// The names on it.
  var names: [String] { (try? trial.folder.names(in: place)) ?? [] }

  /// The path of a name on it, as the trial's folder takes it.
  func place(_ name: String) -> String { "\(place)/\(name)" }

  /// The bytes that are free.
  var room: Int64 {
    var system = statvfs()
    return statvfs(path, &system) == 0 ? Int64(system.f_bavail) * Int64(system.f_bsize) : -1
  }

  /// Writes a file that leaves so many bytes, or as few as there can be.
  func fill(leaving rest: Int64 = 0) throws {
    if rest > 0 { return try trial.folder.write(.pattern(length: room - rest), to: place("other")) }
    #expect(throws: SystemCallFailure.self) {
      try trial.folder.write(.pattern(length: room + 1 << 20), to: place("other"))
    }
  }
}

extension Machine {
  static let noMount: Comment = "no file system can be mounted here"
  static let noLoopMount: Comment = "no image of a file system can be made and mounted here"
  static let noBindfs: Comment = "bindfs is not installed, or there is no /dev/fuse"

  /// Whether an ext4 in an image can be mounted: in a mount namespace of the command's own.
  static let canMountImages: Bool = {
    guard canMount, let folder = try? TemporaryFolder() else { return false }
    let lines = "truncate -s 8M image && mkfs.ext4 -q image && mount -o loop image /mnt"
    var runner = CommandRunner("unshare", ["-m", "sh", "-c", lines])
    runner.workingDirectory = folder.path
    return (try? runner.run().exitCode) == 0
  }()

  static let canMountBindfs =
    canMount && access("/dev/fuse", R_OK | W_OK) == 0
    && (try? CommandRunner("bindfs", ["--version"]).run().exitCode) == 0
}
