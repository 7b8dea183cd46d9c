import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// Small files of one batch, on a disk that loses what was not synced.
@Suite struct SmallFileCrashTests {
  private static let count = 12

  private static func bytes(_ index: Int) -> [UInt8] {
    (0..<3000 + index * 700).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index &* 7 &+ 1) }
  }

  private static func file(_ index: Int, in folder: Folder, name: String? = nil, digest: Digest? = nil) -> SmallFile {
    let url = RemoteURL(scheme: "http", host: "h", port: 80, path: "/f\(index)")
    let names = TakenNames()
    let job = SmallJob(
      number: index, request: DownloadRequest(url: url), likelyName: "f\(index)", folder: folder,
      claim: NameClaim(in: names), began: 0, host: "h")
    return SmallFile(
      job, name: name ?? "f\(index)", bytes: bytes(index), expected: digest.map { [$0] } ?? [],
      modified: 1_700_000_000, seconds: 0)
  }

  /// Writes all, and finishes them; gives those that were said to be saved, and whether anything failed.
  private func run(on files: CrashFileSystem, named name: (Int) -> String? = { _ in nil }) -> (saved: [Int], all: Bool)
  {
    guard let folder = try? Folder.open(".", in: files) else { return ([], false) }
    var batch = SmallFileBatch()
    var (saved, isWhole) = ([Int](), true)
    for index in 0..<Self.count {
      do throws(DownloadError) {
        if try !batch.write(Self.file(index, in: folder, name: name(index))) { isWhole = false }
      } catch {
        isWhole = false
      }
    }
    batch.finish(onWarning: { _, _ in }) { file, error in
      if error == nil { saved.append(file.number) } else { isWhole = false }
    }
    return (saved, isWhole)
  }

  private func check(_ disk: MemoryDisk, saved: [Int], _ what: Comment) {
    for index in 0..<Self.count {
      guard let found = disk.bytes("f\(index)") else {
        #expect(!saved.contains(index), what)
        continue
      }
      let content = Content.bytes(Self.bytes(index))
      #expect(found.length == content.length && found.holds(content, in: 0..<content.length), what)
    }
    let ours = Set((0..<Self.count).flatMap { ["f\($0)", "f\($0).part"] })
    #expect(ours.isSuperset(of: disk.names(in: ".")), what)
  }

  @Test func noNameIsThereBeforeItsData() {
    var number = 1
    while true {
      let files = CrashFileSystem(MemoryDisk(), .crash(after: number))
      let saved = run(on: files).saved
      for seed in 0..<8 {
        let damage = Damage(number: (number + seed) % 8, seed: UInt64(number * 100 + seed))
        let isOver = !files.hasFailed
        check(files.disk.afterCrash(damage), saved: isOver ? saved : [], "after call \(number), \(damage)")
      }
      guard files.hasFailed else { break }
      number += 1
    }
    #expect(number > 5 * Self.count)
  }

  /// One sync for all data, and one for all names.
  @Test func aBatchIsSyncedOnce() {
    let turns = ErrorTurns([EIO])
    for (call, isSaved) in [(1, false), (2, true), (3, true)] {
      let files = CrashFileSystem(MemoryDisk(), .failure(.sync, at: call, forEver: false, turns))
      let (saved, _) = run(on: files)
      #expect(saved.count == (isSaved ? Self.count : 0), "\(call)")
      #expect(files.hasFailed == (call < 3), "\(call)")
      // What could not be made durable has no name, and leaves nothing.
      #expect(files.disk.names(in: ".").count == (isSaved ? Self.count : 0))
    }
  }

  @Test(arguments: [FileCall.write, .open, .lock, .status, .rename, .flush]) func whatFailsFailsAlone(call: FileCall) {
    let turns = ErrorTurns([EIO])
    for number in 2...6 {
      let files = CrashFileSystem(MemoryDisk(), .failure(call, at: number, forEver: false, turns))
      let (saved, _) = run(on: files)
      #expect(files.hasFailed && saved.count >= Self.count - 1, "\(call) \(number)")
      check(files.disk, saved: saved, "\(call) \(number)")
    }
  }

  /// A name of the server's: until the file has it, a manifest says whose the part is.
  @Test func aPartUnderANameOfTheServersHasAManifest() throws {
    let files = CrashFileSystem()
    let folder = try Folder.open(".", in: files)
    var batch = SmallFileBatch()
    #expect(try batch.write(Self.file(1, in: folder, name: "other")))
    #expect(files.disk.names(in: ".") == ["other.part", "other.part.json"])
    #expect(try ManifestFile(folder: folder, name: "other").load()?.get().url == "http://h/f1")
    batch.finish(onWarning: { _, text in Issue.record("\(text)") }) { _, error in #expect(error == nil) }
    #expect(files.disk.names(in: ".") == ["other"] && batch.count == 0)
  }

  /// What has the name of a file is seen when the name is given, at the latest.
  @Test func whatIsThereIsLeftAlone() throws {
    let files = CrashFileSystem()
    let folder = try Folder.open(".", in: files)
    for name in ["f1", "f2.part.json", "f4", "f4.part"] { _ = try folder.open(name, O_WRONLY | O_CREAT | O_EXCL) }
    var batch = SmallFileBatch()
    #expect(try batch.write(Self.file(1, in: folder)) && !batch.write(Self.file(2, in: folder)))
    let error = #expect(throws: DownloadError.self) { _ = try batch.write(Self.file(4, in: folder)) }
    #expect(error?.failure == .targetExists)
    let wrong = Digest(.md5, hex: String(repeating: "0", count: 32))
    #expect(try !batch.write(Self.file(3, in: folder, digest: wrong)))
    var ended: [DownloadError?] = []
    batch.finish(onWarning: { _, text in Issue.record("\(text)") }) { _, error in ended.append(error) }
    #expect(ended.map { $0?.failure } == [.targetExists] && batch.count == 0)
    #expect(files.disk.names(in: ".") == ["f1", "f2.part.json", "f4", "f4.part"])
    #expect(files.disk.bytes("f1")?.length == 0)
  }

  /// Another process has it: exit 9.
  @Test func aPartThatIsLockedIsRefused() throws {
    let files = CrashFileSystem()
    let folder = try Folder.open(".", in: files)
    let part = try #require(try PartFile.open(in: folder, name: "f1", creating: true))
    var batch = SmallFileBatch()
    let error = #expect(throws: DownloadError.self) { _ = try batch.write(Self.file(1, in: folder)) }
    #expect(error?.failure == .locked && part.name == "f1")
  }
}
