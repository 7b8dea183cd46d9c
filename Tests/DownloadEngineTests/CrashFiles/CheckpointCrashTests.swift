import DownloadCore
import FaultCatalogue
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// Checkpoint after checkpoint of a part, as a long download makes them. Every call fails, and the power fails after every
/// call: what is claimed is there, and what was durable once stays claimed.
@Suite struct CheckpointCrashTests {
  private static let damages = getenv("SWOOP_THOROUGH") != nil ? 200 : 8
  private static let step: Int64 = 50_000
  private static let url = "http://host/file.bin"
  private let scenario = CrashScenario(name: "checkpoints", content: .pattern(length: 400_000))

  /// Returns how many bytes from the beginning the last good checkpoint has claimed.
  private func run(on files: CrashFileSystem) throws(DownloadError) -> Int64 {
    let folder = try Folder.open(".", in: files)
    let name = CrashScenario.fileName
    guard let part = try PartFile.open(in: folder, name: name, creating: true) else { return 0 }
    let pool = TransferPool(job: DownloadRequest(url: try URLParser.parse(typed: Self.url)), signals: SignalSource())
    let session = PartSession(
      part: part, manifestFile: ManifestFile(folder: folder, name: name), manifest: Manifest(url: Self.url),
      isTrusted: true, wakeup: pool.wakeup)
    let validator = Validator(etag: scenario.content.etag, lastModified: nil, length: scenario.content.length)
    try session.begin(Resource(url: pool.job.url, validator: validator))
    try session.prepare(length: scenario.content.length, reserving: true)
    var durable: Int64 = 0
    do throws(DownloadError) {
      for start in stride(from: 0, to: scenario.content.length, by: Int(Self.step)) {
        try write(start, to: session.writer)
        if try saves(session, pool) { durable = start + Self.step }
      }
    } catch {
      // What can be saved is.
      _ = try? Departure(pool: pool, session: session).save(after: error)
    }
    return durable
  }

  private func write(_ start: Int64, to writer: PartWriter) throws(DownloadError) {
    var piece = PartWriter.OpenPiece()
    defer { writer.commit(&piece) }
    let bytes = (try? scenario.content.bytes(in: start..<start + Self.step)) ?? []
    var failure: DownloadError?
    bytes.withUnsafeBytes { buffer in
      do throws(DownloadError) { try writer.write(buffer, at: start, &piece) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Whether the checkpoint could be saved.
  private func saves(_ session: PartSession, _ pool: TransferPool) throws(DownloadError) -> Bool {
    try session.saveInBackground()
    while !session.checkpoints.isIdle { _ = try pool.wait(atMost: 0.1) }
    try session.checkpoints.check()
    return session.checkpoints.unsaved == nil
  }

  private func durable(on files: CrashFileSystem) -> Int64 {
    do throws(DownloadError) {
      return try run(on: files)
    } catch {
      #expect(error.failure == .local)
      return 0
    }
  }

  @Test(.row("L14")) func whatADurableManifestClaimsIsThere() throws {
    var (number, hasFailed) = (0, true)
    while hasFailed {
      number += 1
      let files = CrashFileSystem(MemoryDisk(), .crash(after: number))
      let durable = durable(on: files)
      hasFailed = files.hasFailed
      for index in 0..<Self.damages {
        let damage = Damage(number: index, seed: UInt64(1000 * number + index))
        let promises = try DiskPromises(scenario, files.disk.afterCrash(damage))
        let what: Comment = "after call \(number), \(damage)"
        promises.check(what)
        #expect(promises.claims == promises.treasure, what)
        #expect(bytes(promises.treasure) >= durable, what)
      }
    }
    CrashTally.shared.count(
      "losing power between checkpoints", calls: number, runs: number, damages: number * Self.damages)
  }

  @Test(.row("L06"), arguments: [false, true]) func whatAFailedCallDropsIsNotClaimed(forEver: Bool) throws {
    let turns = ErrorTurns()
    var count = 0
    for call in FileCall.allCases { count += try fail(call, forEver: forEver, turns) }
    #expect(count > 10)
    CrashTally.shared.count("failing between checkpoints", calls: count, runs: count + FileCall.allCases.count)
  }

  /// Returns how many calls of the kind there are.
  private func fail(_ call: FileCall, forEver: Bool, _ turns: ErrorTurns) throws -> Int {
    var (number, hasFailed) = (0, true)
    while hasFailed {
      number += 1
      let trouble = FileTrouble.failure(call, at: number, forEver: forEver, turns)
      let files = CrashFileSystem(MemoryDisk(), trouble, seed: UInt64(number))
      let durable = durable(on: files)
      hasFailed = files.hasFailed
      let what: Comment = "call \(number): \(files.failed.map { "\($0.call) with \($0.code)" } ?? "none")"
      var disk = files.settledDisk
      #expect(disk.openCount == 0, what)
      disk.closeAll()
      let promises = try DiskPromises(scenario, disk)
      promises.check(what)
      #expect(bytes(promises.treasure) >= durable, what)
    }
    return number - 1
  }

  private func bytes(_ ranges: [Range<Int64>]) -> Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
}
