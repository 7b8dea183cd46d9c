import DownloadCore
import DownloadEngine
import Glibc
import TestSupport
import Testing

/// The engine against the scripted server: what it tells while it runs, and what it asked.
@Suite(.serialized) struct DownloadTests {
  private static let length: Int64 = 6_000_000
  private let content = Content.pattern(length: length)

  /// A download in this process, and what it told.
  private final class Run {
    var events: [DownloadEvent] = []
    var report: DownloadReport?
    var error: DownloadError?

    init(_ request: DownloadRequest) {
      let download = Download(request, signals: SignalSource()) { self.events.append($0) }
      do throws(DownloadError) { report = try download.run() } catch { self.error = error }
    }

    var progress: [Progress] {
      events.compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }
    var starts: [(total: Int64?, resumed: Int64)] {
      events.compactMap { if case .started(_, _, let here) = $0 { (here.total, here.done) } else { nil } }
    }
  }

  private func request(_ server: ScriptedServer, in folder: TemporaryFolder, count: Int = 4) throws -> DownloadRequest {
    var request = DownloadRequest(url: try URLParser.parse(typed: server.url("/file.bin")))
    request.target.folder = folder.path
    request.connections = .fixed(count)
    return request
  }

  @Test func tellsItsProgressAndItsEnd() throws {
    let folder = try TemporaryFolder()
    let server = try ScriptedServer(.file(content) { $0.rate = 3_000_000 })
    let run = Run(try request(server, in: folder))
    #expect(run.error == nil)
    #expect(try folder.holds(content, in: "file.bin") == true)
    let report = try #require(run.report)
    #expect(report.outcome == .saved && report.bytes == Self.length && report.resumed == 0 && report.retries == 0)
    #expect(report.connections == 4 && report.verified.isEmpty && report.caveats.isEmpty)
    #expect(run.starts.count == 1 && run.starts[0].total == Self.length && run.starts[0].resumed == 0)
    let done = run.progress.filter { $0.activity == .fetching }.map(\.done)
    #expect(!done.isEmpty && done == done.sorted() && done.allSatisfy { $0 <= Self.length })
    #expect(run.progress.allSatisfy { $0.total == Self.length && $0.connections <= 4 })
  }

  /// What fails half-way is kept, and the next run fetches the rest alone: its total is the whole file's.
  @Test func resumesWhatWasKept() throws {
    let folder = try TemporaryFolder()
    // Each of the first four connections gives 1 MB and falls silent, and nothing answers after that.
    let isHealed = Monitor(false)
    let server = try ScriptedServer { [content] request in
      guard request.method == "GET", !isHealed.read({ $0 }) else { return .file(content) }
      return request.indexOfMethod < 4 ? .file(content) { $0.stallAfter = 1_000_000 } : .silence
    }
    var first = try request(server, in: folder)
    first.timeouts.stall = 1
    first.timeouts.giveUp = 3
    let failed = Run(first)
    #expect(failed.error?.failure == .network)
    #expect(try folder.names().sorted() == ["file.bin.part", "file.bin.part.json"])
    let kept = try PartStatus.read(folder: folder.path, name: "file.bin")
    #expect(kept.done > 0 && kept.done < Self.length)
    isHealed.change { $0 = true }
    let before = server.settledLog().entries.count
    var run = Run(try request(server, in: folder))
    // A program that another test has just forked holds the lock of this one's file until it is replaced.
    for _ in 0..<500 where run.error?.failure == .locked {
      usleep(10_000)
      run = Run(try request(server, in: folder))
    }
    #expect(run.error == nil)
    #expect(try folder.holds(content, in: "file.bin") == true)
    #expect(run.report?.resumed == kept.done && run.report?.bytes == Self.length)
    #expect(run.starts.count == 1 && run.starts[0].total == Self.length && run.starts[0].resumed == kept.done)
    #expect(run.progress.allSatisfy { $0.done >= kept.done && $0.total == Self.length })
    for request in server.settledLog().entries.dropFirst(before).map(\.request) where request.method == "GET" {
      let isMissing = kept.missing.contains { $0.start <= request.firstByte && request.firstByte < $0.end }
      #expect(isMissing, "\(request.range ?? "all")")
    }
  }

  @Test func aWrongDigestIsAFailureOfItsOwnKind() throws {
    let folder = try TemporaryFolder()
    let server = try ScriptedServer(.file(content))
    var wrong = try request(server, in: folder)
    wrong.digests = [try Digest(.sha1, typed: String(repeating: "0", count: 40))]
    #expect(Run(wrong).error?.failure == .digestMismatch)
    #expect(try folder.names().sorted() == ["file.bin.part", "file.bin.part.json"])
  }

  @Test func aPlanAloneLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let server = try ScriptedServer(.file(content))
    var dry = try request(server, in: folder)
    dry.isDryRun = true
    let run = Run(dry)
    #expect(run.report?.outcome == .planned && run.report?.bytes == Self.length)
    #expect(try folder.names().isEmpty)
    #expect(server.log.methods == ["HEAD"])
  }
}
