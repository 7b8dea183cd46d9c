import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// The part: open, locked, reserved, finished.
@Suite struct PartFileTests {
  private let temporary: TemporaryFolder
  private let folder: Folder

  init() throws {
    temporary = try TemporaryFolder()
    folder = try Folder.open(temporary.path)
  }

  private func open(creating: Bool = true) throws -> PartFile? {
    try PartFile.open(in: folder, name: "file", creating: creating)
  }

  private func made() throws -> PartFile { try #require(try open()) }

  private func failure(_ body: () throws -> Void) -> Failure? {
    do { try body() } catch let error as DownloadError { return error.failure } catch {}
    return nil
  }

  @Test func isMadeOnlyWhereThatIsWanted() throws {
    #expect(try open(creating: false) == nil)
    #expect(try made().isNew)
    #expect(try temporary.mode("file.part") == 0o600)
    #expect(try open(creating: false)?.isNew == false)
  }

  @Test func isLockedAgainstEverybodyElse() throws {
    do {
      let first = try made()
      #expect(failure { _ = try open() } == .locked)
      // Closing another descriptor of the same file drops no lock.
      _ = try temporary.bytes("file.part")
      #expect(failure { _ = try open(creating: false) } == .locked)
      withExtendedLifetime(first) {}
    }
    #expect(try !made().isNew)
  }

  @Test func reservesItsRoom() throws {
    let part = try made()
    try part.prepare(length: 3_000_000, reserving: true)
    #expect(try temporary.size("file.part") == 3_000_000)
    #expect(try temporary.allocatedSize("file.part") >= 3_000_000)
    try part.prepare(length: 1_000_000, reserving: true)
    #expect(try temporary.size("file.part") == 1_000_000)
  }

  @Test func growsWithoutReserving() throws {
    let part = try made()
    try part.prepare(length: 3_000_000, reserving: false)
    #expect(try temporary.size("file.part") == 0)
    try [1, 2, 3].withUnsafeBytes { bytes throws in try part.write(bytes, at: 1_000_000) }
    #expect(try temporary.size("file.part") > 1_000_000)
    try part.prepare(length: 500_000, reserving: false)
    #expect(try temporary.size("file.part") == 500_000)
    #expect(try temporary.allocatedSize("file.part") < 100_000)
  }

  @Test func refusesWhatTheDiskCannotHold() throws {
    let part = try made()
    #expect(failure { try part.prepare(length: 1 << 59, reserving: true) } == .local)
    #expect(try temporary.size("file.part") == 0)
    #expect(try temporary.allocatedSize("file.part") == 0)
  }

  @Test func finishesWithModeTimeAndName() throws {
    let part = try made()
    try part.finish(mode: 0o640, modified: 1_600_000_000, replacing: false)
    try part.syncName()
    #expect(try temporary.names() == ["file"])
    #expect(try temporary.mode("file") == 0o640)
    #expect(try temporary.modificationTime("file") == 1_600_000_000)
  }

  @Test func replacesNothingUnasked() throws {
    let part = try made()
    try temporary.write("old", to: "file")
    #expect(failure { try part.finish(mode: 0o644, modified: nil, replacing: false) } == .targetExists)
    #expect(try temporary.text("file") == "old")
    #expect(try temporary.mode("file.part") == 0o600)
    try part.finish(mode: 0o644, modified: nil, replacing: true)
    #expect(try temporary.bytes("file").isEmpty)
    #expect(try temporary.names() == ["file"])
  }

  /// A lock holds a file, not its name: what has the name now is another run's.
  @Test(arguments: [true, false]) func leavesAnotherFileOfItsNameAlone(replacing: Bool) throws {
    let part = try made()
    temporary.remove("file.part")
    #expect(failure { try part.finish(mode: 0o644, modified: nil, replacing: replacing) } == .local)
    try part.discard()
    let other = try made()
    #expect(failure { try part.finish(mode: 0o644, modified: nil, replacing: replacing) } == .local)
    try part.discard()
    #expect(try temporary.names() == ["file.part"])
    try other.finish(mode: 0o644, modified: nil, replacing: replacing)
    #expect(try temporary.names() == ["file"])
  }

  /// What is open stays where it is, wherever the folder's name leads meanwhile.
  @Test func worksInTheFolderThatWasOpened() throws {
    try temporary.makeFolder("real")
    try temporary.makeFolder("other")
    try temporary.link("link", to: temporary.path("real"))
    let linked = try Folder.open(temporary.path("link"))
    let part = try #require(try PartFile.open(in: linked, name: "file", creating: true))
    temporary.remove("link")
    try temporary.link("link", to: temporary.path("other"))
    try part.finish(mode: 0o644, modified: nil, replacing: false)
    #expect(try temporary.names(in: "real") == ["file"])
    #expect(try temporary.names(in: "other").isEmpty)
  }

  @Test func cannotBeMadeInAFolderThatIsGone() throws {
    try temporary.makeFolder("gone")
    let gone = try Folder.open(temporary.path("gone"))
    temporary.remove("gone")
    #expect(failure { _ = try PartFile.open(in: gone, name: "file", creating: true) } == .local)
  }
}

/// What a run leaves that is killed in its last steps.
@Suite struct FinishedFileTests {
  private let temporary: TemporaryFolder
  private let folder: Folder
  private let file: ManifestFile

  init() throws {
    temporary = try TemporaryFolder()
    folder = try Folder.open(temporary.path)
    file = ManifestFile(folder: folder, name: "file")
    try temporary.write("four", to: "file")
    var manifest = Manifest(url: "http://host/file")
    manifest.length = 4
    manifest.segments = [Manifest.StoredSegment(Segment(ByteRange(0, 4), crc32: 0))]
    manifest.part = try #require(try folder.status(of: "file")).identity
    try file.save(manifest, ticket: file.ticket(), synced: false)
  }

  @Test func isSettled() throws {
    let found = try #require(try FinishedFile(in: folder, name: "file"))
    #expect(try found.settle())
    #expect(try temporary.names() == ["file"])
  }

  /// The run that made the file is done before this one has the lock.
  @Test func isSettledOnce() throws {
    let found = try #require(try FinishedFile(in: folder, name: "file"))
    #expect(try FinishedFile(in: folder, name: "file")?.settle() == true)
    #expect(try found.settle() == false)
    #expect(try temporary.names() == ["file"])
  }

  /// And another one has begun to replace it.
  @Test func leavesWhatIsNew() throws {
    let found = try #require(try FinishedFile(in: folder, name: "file"))
    try file.remove()
    try temporary.write("new", to: "file.part")
    var new = Manifest(url: "http://host/file")
    new.length = 8
    try file.save(new, ticket: file.ticket(), synced: false)
    #expect(try found.settle() == false)
    #expect(try temporary.names() == ["file", "file.part", "file.part.json"])
    #expect(try file.load()?.get().length == 8)
  }

  @Test func loosesItsSecondName() throws {
    #expect(link(temporary.path("file"), temporary.path("file.part")) == 0)
    try #require(try FinishedFile(in: folder, name: "file")).settle()
    #expect(try temporary.names() == ["file"])
  }

  @Test func isNotTakenFromWhoeverIsAtWork() throws {
    let other = Glibc.open(temporary.path("file"), O_RDWR)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    let found = try #require(try FinishedFile(in: folder, name: "file"))
    #expect(throws: DownloadError.self) { try found.settle() }
    #expect(try temporary.names() == ["file", "file.part.json"])
  }

  @Test func isNoOtherFile() throws {
    try temporary.write("part", to: "file.part")
    #expect(try FinishedFile(in: folder, name: "file") == nil)
    temporary.remove("file.part")
    try temporary.write("other", to: "file")
    #expect(try FinishedFile(in: folder, name: "file") == nil)
    temporary.remove("file")
    #expect(try FinishedFile(in: folder, name: "file") == nil)
  }
}
