import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// Checkpoints: made in the background, in order, the newest last.
@Suite struct CheckpointWriterTests {
  private let temporary: TemporaryFolder
  private let part: PartFile
  private let file: ManifestFile
  private let wakeup = Wakeup()

  init() throws {
    temporary = try TemporaryFolder()
    let folder = try Folder.open(temporary.path)
    part = try #require(try PartFile.open(in: folder, name: "file", creating: true))
    file = ManifestFile(folder: folder, name: "file")
  }

  private func manifest(_ boot: String) -> Manifest {
    var manifest = Manifest(url: "http://host/file")
    manifest.boot = boot
    return manifest
  }

  private func waitUntilIdle(_ writer: CheckpointWriter) {
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    while !writer.isIdle {
      poll(&entry, 1, 5000)
      wakeup.clear()
    }
  }

  @Test func theNewestIsWhatStays() throws {
    let writer = CheckpointWriter(part: part, manifestFile: file, wakeup: wakeup)
    for number in 0..<50 { writer.submit(manifest("\(number)")) }
    waitUntilIdle(writer)
    #expect(writer.failure == nil && writer.unsaved == nil)
    #expect(writer.durable?.boot == "49")
    guard case .success(let saved)? = try file.load() else {
      Issue.record("no manifest")
      return
    }
    #expect(saved.boot == "49")
    #expect(try temporary.names() == ["file.part", "file.part.json"])
  }

  /// As at a signal: what is written at once is not replaced by a checkpoint that was begun before.
  @Test func whatIsSavedAtOnceStays() throws {
    for round in 0..<50 {
      let writer = CheckpointWriter(part: part, manifestFile: file, wakeup: wakeup)
      writer.submit(manifest("background"))
      try file.save(manifest("at once \(round)"), ticket: file.ticket(), synced: false)
      waitUntilIdle(writer)
      guard case .success(let saved)? = try file.load() else {
        Issue.record("no manifest")
        return
      }
      #expect(saved.boot == "at once \(round)")
      #expect(try temporary.names() == ["file.part", "file.part.json"])
    }
  }

  /// A sync that fails: on a pipe, in the place of the part, there is nothing to sync.
  private func breakSync() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let name = temporary.path("file.part")
    for descriptor in 0..<Int32(1024) {
      var target = [CChar](repeating: 0, count: 4096)
      let count = max(0, readlink("/proc/self/fd/\(descriptor)", &target, target.count))
      let path = String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if path == name { dup2(ends[0], descriptor) }
    }
    for end in ends { close(end) }
  }

  @Test func afterAFailedSyncNothingIsWrittenAndNobodyWaits() throws {
    let writer = CheckpointWriter(part: part, manifestFile: file, wakeup: wakeup)
    writer.submit(manifest("good"))
    waitUntilIdle(writer)
    try breakSync()
    for _ in 0..<3 {
      writer.submit(manifest("bad"))
      waitUntilIdle(writer)
      #expect(writer.failure?.failure == .local)
    }
    #expect(writer.durable?.boot == "good")
    guard case .success(let saved)? = try file.load() else {
      Issue.record("no manifest")
      return
    }
    #expect(saved.boot == "good")
  }

  /// As after a restart: what is durable of the old version is nothing to go back to.
  @Test func forgetsWhatIsOfAnotherVersion() throws {
    for _ in 0..<20 {
      let writer = CheckpointWriter(part: part, manifestFile: file, wakeup: wakeup)
      writer.submit(manifest("old"))
      try file.save(manifest("new"), ticket: file.ticket(), synced: false)
      writer.forget()
      waitUntilIdle(writer)
      #expect(writer.durable == nil)
      writer.submit(manifest("newer"))
      waitUntilIdle(writer)
      #expect(writer.durable?.boot == "newer")
    }
  }

  /// Data is safe all the same: a download need not end.
  @Test func aManifestThatCannotBeSavedIsNoFailure() throws {
    try temporary.makeFolder("file.part.json")
    let writer = CheckpointWriter(part: part, manifestFile: file, wakeup: wakeup)
    writer.submit(manifest("a"))
    waitUntilIdle(writer)
    #expect(writer.failure == nil && writer.unsaved?.failure == .local && writer.durable == nil)
    temporary.remove("file.part.json")
    writer.submit(manifest("b"))
    waitUntilIdle(writer)
    #expect(writer.unsaved == nil && writer.durable?.boot == "b")
  }
}
