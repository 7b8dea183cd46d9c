import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

/// A download that is to be broken off at every call about files: what is on the disk before, what the server does, and
/// what is asked for.
struct CrashScenario: Sendable, CustomTestStringConvertible {
  let name: String
  /// What the server gives.
  var content: Content
  /// What else may be in a part: an older version.
  var older: Content?
  /// What has the final name before.
  var before: Content?
  var connections = 1
  /// Where the file goes.
  var folder = "."
  /// How the server answers.
  var adjust: @Sendable (inout FileReply) -> Void = { _ in }
  /// What is asked for beside the URL.
  var ask: @Sendable (inout DownloadRequest) throws -> Void = { _ in }
  /// The same for the run that comes after; nil: the same.
  var askAgain: (@Sendable (inout DownloadRequest) throws -> Void)?
  /// Fills the disk.
  var prepare: @Sendable (RemoteURL) throws -> MemoryDisk = { _ in MemoryDisk() }
  /// Makes good what the disk lacks, before the run that comes after.
  var repair: @Sendable (inout MemoryDisk) -> Void = { _ in }
  /// How it ends if no call fails; nil: well.
  var failure: Failure?
  /// Nothing is asked for twice, and nothing beyond what is missing.
  var isFrugal = true

  static let fileName = "file.bin"
  var testDescription: String { name }

  var path: String { folder == "." ? Self.fileName : "\(folder)/\(Self.fileName)" }
  var versions: [Content] { [content] + (older.map { [$0] } ?? []) }
}

/// A scenario, and the server that plays its part.
struct CrashStage {
  let scenario: CrashScenario
  let server: ScriptedServer
  let url: RemoteURL
  let disk: MemoryDisk

  private static let mark = "X-Run"

  init(_ scenario: CrashScenario) throws {
    self.scenario = scenario
    server = try ScriptedServer(.file(scenario.content, scenario.adjust))
    url = try URLParser.parse(typed: server.url("/\(CrashScenario.fileName)"))
    disk = try scenario.prepare(url)
  }

  private func request(_ run: String) -> DownloadRequest {
    var request = DownloadRequest(url: url)
    request.target.folder = scenario.folder
    request.connections = .fixed(scenario.connections)
    // However busy the machine is, nothing is to be asked for twice.
    request.timeouts.stall = 60
    request.timeouts.giveUp = 300
    request.http.headers = [HeaderField(Self.mark, run)]
    return request
  }

  /// A run that something goes wrong in.
  func run(on files: CrashFileSystem) throws -> EngineRun {
    var request = request("first")
    try scenario.ask(&request)
    return EngineRun(request, on: files)
  }

  /// A run that nothing goes wrong in, and how many bytes of bodies the server sent for it.
  func rerun(on files: CrashFileSystem) throws -> (EngineRun, sent: Int64) {
    let before = server.log.entries.count
    var request = request("second")
    try (scenario.askAgain ?? scenario.ask)(&request)
    let run = EngineRun(request, on: files)
    let entries = server.log.entries[before...].filter { $0.request.headers[Self.mark] == "second" }
    return (run, entries.reduce(0) { $0 + $1.bodyBytesSent })
  }
}
