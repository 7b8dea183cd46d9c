import Glibc
import TestSupport

@testable import DownloadEngine

/// The files of one disk in memory, and who has them open: a value, so that a run can begin again from what it was.
///
/// What is written, and every change of names, is volatile until it is synced: files by themselves, names by their
/// folder. Calls do what Linux does; `MemoryDiskDifferenceTests` compares them.
struct MemoryDisk: Sendable {
  struct OpenFile: Sendable {
    let inode: Int
    let isReadable: Bool
    let isWritable: Bool
  }

  var inodes: [Int: Inode]
  var files: [Int32: OpenFile] = [:]
  var nextInode = Self.root + 1
  var nextFile: Int32 = 1 << 20
  /// In nanoseconds since 1970; moves with each change.
  private(set) var clock: Int64 = 1_800_000_000_000_000_000
  private(set) var boot = 1
  /// In blocks.
  var capacity = 1 << 20
  /// renameat2(2) knows RENAME_NOREPLACE.
  var renamesWithoutReplacing = true
  /// fallocate(2) is there.
  var allocates = true

  static let root = 0

  /// An empty folder.
  init() {
    inodes = [Self.root: Inode(.folder, number: 2, Inode.Attributes(mode: 0o755, modified: clock))]
    inodes[Self.root]?.links = 2
  }

  /// How many files are open.
  var openCount: Int { files.count }

  /// In blocks; less than 0 where the disk was made smaller.
  var room: Int { capacity - inodes.values.reduce(0) { $0 + ($1.isGone ? 0 : $1.data.blocks.count) } }

  /// A change of a file's bytes, or of a folder's names.
  mutating func touch(_ id: Int) {
    clock += 1_000_003
    inodes[id]?.attributes.modified = clock
  }

  /// The process has ended: nothing is open or locked.
  mutating func closeAll() {
    for file in files.keys { try? close(file) }
  }

  /// The disk as the next run of the machine finds it.
  func afterCrash(_ damage: Damage) -> MemoryDisk {
    var random = SplitMix64(state: damage.seed)
    var next = self
    next.files = [:]
    next.boot += 1
    next.inodes = [:]
    next.keep(Self.root, of: self, damage, &random)
    return next
  }

  /// What has no name is gone.
  private mutating func keep(_ id: Int, of old: MemoryDisk, _ damage: Damage, _ random: inout SplitMix64) {
    guard inodes[id] == nil, let inode = old.inodes[id] else { return }
    var survivor = inode.afterCrash(damage, using: &random)
    survivor.links = survivor.kind == .folder ? 2 : 0
    inodes[id] = survivor
    for (_, child) in survivor.names.sorted(by: { $0.key < $1.key }) {
      keep(child, of: old, damage, &random)
      if inodes[child]?.kind != .folder { inodes[child]?.links += 1 }
    }
  }
}

extension MemoryDisk {
  /// The names in a folder.
  func names(in path: String) -> [String] {
    guard let id = try? find(path, in: FileDescriptor.workingFolder).inode else { return [] }
    return (inodes[id]?.names.keys).map { $0.sorted() } ?? []
  }

  /// A file's bytes; nil where there is none.
  func bytes(_ path: String) -> SparseBytes? {
    guard let id = try? find(path, in: FileDescriptor.workingFolder).inode, inodes[id]?.kind == .regular else {
      return nil
    }
    return inodes[id]?.data
  }

  func mode(_ path: String) -> mode_t? {
    guard let id = try? find(path, in: FileDescriptor.workingFolder).inode else { return nil }
    return inodes[id]?.attributes.mode
  }
}
