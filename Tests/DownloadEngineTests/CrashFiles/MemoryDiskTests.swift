import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// The file system in memory is right itself: what is synced stays, and what is not may go.
@Suite struct MemoryDiskTests {
  private static let root = FileDescriptor.workingFolder
  private var disk = MemoryDisk()
  private static let bytes = [UInt8](repeating: 7, count: 10_000)

  private mutating func make(_ name: String, _ bytes: [UInt8] = Self.bytes) throws -> Int32 {
    let file = try disk.open(name, in: Self.root, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
    #expect(try bytes.withUnsafeBytes { try disk.write(file, $0, at: 0) } == bytes.count)
    return file
  }

  private mutating func syncFolder() throws {
    let folder = try disk.open(".", in: Self.root, O_RDONLY | O_DIRECTORY, mode: 0)
    try disk.sync(folder, dataOnly: false)
    try disk.close(folder)
  }

  /// Of each kind of loss, several.
  private func survivors() -> [MemoryDisk] {
    (0..<64).map { disk.afterCrash(Damage(number: $0 % 8, seed: UInt64($0))) }
  }

  private func content(_ disk: MemoryDisk, _ name: String) -> [UInt8]? {
    guard let found = disk.bytes(name) else { return nil }
    return [UInt8](unsafeUninitializedCapacity: Int(found.length)) { buffer, count in
      count = found.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
    }
  }

  @Test mutating func whatIsSyncedStays() throws {
    let file = try make("a")
    try disk.sync(file, dataOnly: true)
    try syncFolder()
    #expect(survivors().allSatisfy { content($0, "a") == Self.bytes && $0.names(in: ".") == ["a"] })
  }

  @Test mutating func aSyncedFileOfAnUnsyncedNameMayBeGone() throws {
    let file = try make("a")
    try disk.sync(file, dataOnly: false)
    let found = survivors().map { content($0, "a") }
    #expect(Set(found) == [nil, Self.bytes])
  }

  @Test mutating func anUnsyncedFileOfASyncedNameLosesBlocksAndItsEnd() throws {
    _ = try make("a")
    try syncFolder()
    let found = survivors().compactMap { content($0, "a") }
    #expect(found.count == 64)
    #expect(found.contains([]) && found.contains(Self.bytes))
    // Its end, where its first bytes were not.
    #expect(found.contains { $0.count == 10_000 && $0[0] == 0 && $0[9_999] == 7 })
    #expect(found.contains { $0.count == 8192 || $0.count == 4096 })
    // A block in the middle of which there is a border between what was written and what was not.
    #expect(found.contains { $0.count >= 4096 && $0[0] == 7 && $0[4095] == 0 })
    #expect(found.allSatisfy { $0.allSatisfy { $0 == 0 || $0 == 7 } })
  }

  @Test mutating func overwrittenBytesAreOldOrNew() throws {
    let file = try make("a")
    try disk.sync(file, dataOnly: true)
    try syncFolder()
    _ = try [UInt8](repeating: 9, count: 10_000).withUnsafeBytes { try disk.write(file, $0, at: 0) }
    let found = survivors().compactMap { content($0, "a") }
    #expect(found.allSatisfy { $0.count == 10_000 && $0.allSatisfy { $0 == 7 || $0 == 9 } })
    #expect(found.contains { $0[0] == 7 && $0[9_999] == 9 } && found.contains { $0[0] == 9 && $0[9_999] == 7 })
  }

  @Test mutating func aCutFileMayHaveItsOldBytesAgain() throws {
    let file = try make("a")
    try disk.sync(file, dataOnly: true)
    try syncFolder()
    try disk.truncate(file, to: 0)
    let found = survivors().compactMap { content($0, "a") }
    #expect(found.contains(Self.bytes) && found.contains([]))
  }

  @Test mutating func aRenameHappensAsOneOrNotAtAll() throws {
    for (name, byte) in [("old", 1), ("new", 2)] as [(String, UInt8)] {
      let file = try make(name, [byte])
      try disk.sync(file, dataOnly: false)
    }
    try syncFolder()
    try disk.rename("new", to: "old", in: Self.root, replacing: true)
    let found = survivors().map { [$0.names(in: ".").joined(separator: " "), "\(content($0, "old") ?? [])"] }
    #expect(Set(found) == [["new old", "[1]"], ["old", "[2]"]])
  }

  @Test mutating func changesOfNamesAreLostOutOfOrder() throws {
    for name in ["a", "b"] { _ = try make(name) }
    let found = Set(survivors().map { $0.names(in: ".") })
    #expect(found == [[], ["a"], ["b"], ["a", "b"]])
  }

  @Test mutating func aLostUnlinkBringsAFileBack() throws {
    let file = try make("a")
    try disk.sync(file, dataOnly: false)
    try syncFolder()
    try disk.remove("a", in: Self.root)
    try disk.close(file)
    let found = survivors().map { content($0, "a") }
    #expect(Set(found) == [nil, Self.bytes])
  }

  @Test mutating func aFolderIsDurableOnceWhatIsAboveItIsSynced() throws {
    try disk.makeFolder("folder")
    let file = try disk.open("folder/a", in: Self.root, O_RDWR | O_CREAT, mode: 0o600)
    try disk.sync(file, dataOnly: false)
    let folder = try disk.open("folder", in: Self.root, O_RDONLY, mode: 0)
    try disk.sync(folder, dataOnly: false)
    #expect(Set(survivors().map { $0.names(in: ".") + $0.names(in: "folder") }) == [[], ["folder", "a"]])
    try syncFolder()
    #expect(survivors().allSatisfy { $0.names(in: "folder") == ["a"] })
  }

  @Test mutating func dataAloneLeavesModesAndTimesToChance() throws {
    let file = try make("a")
    try disk.sync(file, dataOnly: false)
    try syncFolder()
    try disk.setMode(file, 0o644)
    try disk.setModified(file, 1_600_000_000)
    try disk.sync(file, dataOnly: true)
    #expect(Set(survivors().map { $0.mode("a") }) == [0o600, 0o644])
    try disk.sync(file, dataOnly: false)
    #expect(survivors().allSatisfy { $0.mode("a") == 0o644 })
  }

  /// fsync(2) of Linux: what could not be written counts as clean, and a second one that succeeds proves nothing.
  @Test mutating func aFailedSyncIsNotMadeGoodByAnother() throws {
    let file = try make("a")
    try syncFolder()
    var random = SplitMix64(state: 3)
    try disk.failSync(file, using: &random)
    try disk.sync(file, dataOnly: true)
    #expect(survivors().allSatisfy { content($0, "a") == [UInt8](repeating: 0, count: 10_000) })
    _ = try Self.bytes.withUnsafeBytes { try disk.write(file, $0, at: 0) }
    try disk.sync(file, dataOnly: true)
    #expect(survivors().allSatisfy { content($0, "a") == Self.bytes })
  }

  @Test mutating func aFullDiskTakesWhatFits() throws {
    disk.capacity = 2
    let file = try disk.open("a", in: Self.root, O_RDWR | O_CREAT, mode: 0o600)
    #expect(throws: Errno.noSpace) { try disk.allocate(file, ByteRange(0, 10_000), keepingLength: false) }
    #expect(try disk.status(of: file).allocated == 8192 && disk.status(of: file).size == 0)
    #expect(try Self.bytes.withUnsafeBytes { try disk.write(file, $0, at: 0) } == 8192)
    #expect(throws: Errno.noSpace) { try Self.bytes.withUnsafeBytes { try disk.write(file, $0, at: 8192) } }
    try disk.truncate(file, to: 4096)
    #expect(try disk.freeSpace(around: file) == 4096)
  }

  @Test mutating func theRoomOfAnOpenFileIsFreeWhenItIsClosed() throws {
    let before = disk.room
    let file = try make("a")
    try disk.remove("a", in: Self.root)
    #expect(disk.room == before - 3)
    try disk.close(file)
    #expect(disk.room == before)
  }

  @Test mutating func locksAreHeldByOpenFiles() throws {
    let first = try make("a")
    let second = try disk.open("a", in: Self.root, O_RDWR, mode: 0)
    for kind in LockKind.ofAll {
      try disk.lock(first, kind)
      try disk.lock(first, kind)
      #expect(throws: Errno(EWOULDBLOCK)) { try disk.lock(second, kind) }
    }
    try disk.close(first)
    for kind in LockKind.ofAll { try disk.lock(second, kind) }
  }

  @Test mutating func linksAreFollowedOnlyWhereThatIsWanted() throws {
    _ = try make("a")
    try disk.makeLink("link", to: "a")
    #expect(throws: Errno.isLink) { try disk.open("link", in: Self.root, O_RDONLY | O_NOFOLLOW, mode: 0) }
    let file = try disk.open("link", in: Self.root, O_RDONLY, mode: 0)
    #expect(try disk.status(of: file).size == 10_000)
    #expect(try disk.status(of: "link", in: Self.root, followingLinks: false).kind == .link)
  }

  @Test mutating func aCrashEndsTheBootAndEveryOpenFile() throws {
    let file = try make("a")
    var next = disk.afterCrash(Damage(number: 0, seed: 1))
    #expect(next.openCount == 0 && next.boot == 2)
    #expect(throws: Errno(EBADF)) { try next.truncate(file, to: 0) }
  }
}
