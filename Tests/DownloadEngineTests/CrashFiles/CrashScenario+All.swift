import DownloadCore
import Glibc
import TestSupport

@testable import DownloadEngine

/// Every way to begin and to go on.
extension CrashScenario {
  private static let content = Content.pattern(length: 300_001)
  private static let other = Content.pattern(length: 260_000, seed: 2)
  private static let half = [0..<Int64(150_000)]
  private static let whole = [0..<content.length]
  private static let pieces = [Int64(0)..<90_000, 140_000..<200_000]

  static let all: [CrashScenario] = fresh + resumed + begunAgain + proved + finished + hardships

  private static let fresh = [
    CrashScenario(name: "a new file", content: content),
    CrashScenario(
      name: "a new file over 3 connections", content: .pattern(length: 400_000, seed: 3), connections: 3,
      isFrugal: false),
    CrashScenario(name: "a new file in a new folder", content: content, folder: "new/deep"),
    CrashScenario(name: "an empty file", content: .bytes([])),
  ]

  private static let resumed = [
    CrashScenario(name: "the second half", content: content, prepare: { try part(of: content, half, url: $0) }),
    CrashScenario(
      name: "the second half after a restart", content: content,
      prepare: { restarted(try part(of: content, half, url: $0)) }),
    CrashScenario(
      name: "two gaps over 2 connections", content: content, connections: 2,
      prepare: { try part(of: content, pieces, url: $0) }, isFrugal: false),
    CrashScenario(
      name: "a gap and a damaged block", content: content, connections: 2,
      prepare: { try damaged(try part(of: content, pieces, url: $0), "file.bin.part", at: 150_000) }, isFrugal: false),
    CrashScenario(
      name: "the second half of a file without a version", content: content,
      adjust: {
        $0.etag = nil
        $0.lastModified = nil
      }, prepare: { try part(of: content, half, url: $0, named: false) }, isFrugal: false),
  ]

  private static let begunAgain = [
    CrashScenario(
      name: "another version", content: content, older: other,
      prepare: { try part(of: other, [0..<200_000], url: $0) }),
    CrashScenario(
      name: "another version over 2 connections", content: content, older: other, connections: 2,
      prepare: { try part(of: other, [Int64(0)..<70_000, 150_000..<260_000], url: $0) }, isFrugal: false),
    CrashScenario(
      name: "--restart", content: content, older: other, ask: { $0.restarts = true }, askAgain: { _ in },
      prepare: { try part(of: other, [0..<200_000], url: $0) }),
    CrashScenario(
      name: "a part without a manifest", content: content,
      prepare: { try withoutManifest(try part(of: content, half, url: $0)) }),
    CrashScenario(
      name: "--force over an old file", content: content, before: other, ask: { $0.replacesExisting = true },
      prepare: { _ in try file(other, fileName) }),
    CrashScenario(
      name: "a length unknown", content: content,
      adjust: {
        $0.isChunked = true
        $0.headLength = .missing
      }),
  ]

  private static let proved = [
    CrashScenario(name: "a right digest", content: content, ask: demand(content)),
    CrashScenario(
      name: "a wrong digest", content: content, ask: demand(other), askAgain: demand(content),
      failure: .digestMismatch),
    CrashScenario(
      name: "a digest and a damaged block", content: content, ask: demand(content),
      prepare: { try damaged(try part(of: content, half, url: $0), "file.bin.part", at: 1) }, isFrugal: false),
  ]

  private static let finished = [
    CrashScenario(name: "a complete part", content: content, prepare: { try part(of: content, whole, url: $0) }),
    CrashScenario(
      name: "a complete part after a restart", content: content, ask: demand(content),
      prepare: { restarted(try part(of: content, whole, url: $0)) }),
    CrashScenario(
      name: "a complete part with a damaged block", content: content,
      prepare: { try damaged(try part(of: content, whole, url: $0), "file.bin.part", at: 299_999) }, isFrugal: false),
  ]

  private static let hardships = [
    CrashScenario(
      name: "a disk too small", content: content, prepare: { _ in small(60) }, repair: enlarge, failure: .local),
    CrashScenario(
      name: "a disk that fills up", content: content,
      adjust: {
        $0.isChunked = true
        $0.headLength = .missing
      }, prepare: { _ in small(40) }, repair: enlarge, failure: .local),
    CrashScenario(
      name: "no room can be reserved, no name kept", content: content,
      prepare: { _ in
        var disk = MemoryDisk()
        disk.allocates = false
        disk.renamesWithoutReplacing = false
        return disk
      }),
  ]

  private static let enlarge: @Sendable (inout MemoryDisk) -> Void = { $0.capacity = 1000 }

  private static func small(_ blocks: Int) -> MemoryDisk {
    var disk = MemoryDisk()
    disk.capacity = blocks
    return disk
  }

  private static func withoutManifest(_ disk: MemoryDisk) throws -> MemoryDisk {
    var disk = disk
    try disk.remove("file.bin.part.json", in: FileDescriptor.workingFolder)
    let folder = try disk.open(".", in: FileDescriptor.workingFolder, O_RDONLY, mode: 0)
    try disk.sync(folder, dataOnly: false)
    disk.closeAll()
    return disk
  }

  private static func demand(_ content: Content) -> @Sendable (inout DownloadRequest) throws -> Void {
    { request in
      let digests = try MessageDigests([.sha1])
      try content.bytes(in: 0..<content.length).withUnsafeBytes { digests.update($0) }
      request.digests = digests.finish()
    }
  }
}
