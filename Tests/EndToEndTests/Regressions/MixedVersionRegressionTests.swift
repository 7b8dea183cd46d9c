import FaultCatalogue
import TestSupport
import Testing

/// Answers that name no version, after others that did: bytes of two versions never come into one file.
@Suite(.waiting) struct MixedVersionRegressionTests {
  enum Later: CaseIterable {
    /// Range has no effect.
    case whole
    /// If-Range has none.
    case range
    case rangeAfterCut
  }

  /// HEAD and the first range are of one version and name it; all the rest is of the other one and names none.
  @Test(arguments: Later.allCases, ["2", "3"])
  func laterAnswersNameNoVersion(later: Later, connections: String) throws {
    let isFirst = Monitor(true)
    let trial = try Trial(.other) { request in
      let isNamed =
        request.method == "HEAD"
        || isFirst.change { isFirst in
          defer { if request.firstByte == 0 { isFirst = false } }
          return isFirst && request.firstByte == 0
        }
      guard isNamed else { return .nameless(.other, honoursRange: later != .whole) }
      return .file(.ten) {
        $0.etag = "\"a\""
        if later == .rangeAfterCut && request.method == "GET" { $0.cutAfter = 500_000 }
      }
    }
    try expectOneVersion(trial, trial.run("-n", connections, "--min-split", "1M"))
  }

  /// The same from one run to the next: HEAD is stale, and tells of the version that is here.
  @Test(arguments: ["1", "2", "3"])
  func laterRunNamesNoVersion(connections: String) throws {
    let isNew = Monitor(false)
    let trial = try Trial(.other) { request in
      if request.method == "GET", isNew.read({ $0 }) { return .nameless(.other, honoursRange: true) }
      // What ends the first run.
      if request.method == "GET", request.indexOfMethod >= 4 { return .status(404) }
      return .file(.ten) {
        $0.etag = "\"a\""
        if request.method == "GET" { $0.cutAfter = 500_000 }
      }
    }
    let first = try trial.run()
    #expect(first.exitCode == 4, "\(first.error)")
    #expect(try #require(try trial.manifest()).done > 0)
    isNew.change { $0 = true }
    try expectOneVersion(trial, trial.run("-n", connections))
  }

  /// The next run's first answer is a refusal (416) that names no version; after the sample the file changes.
  @Test(arguments: ["1", "4"])
  func changesAfterTheSample(connections: String) throws {
    let asked = Monitor<Int?>(nil)
    let trial = try Trial(.other) { request in
      guard request.method == "GET" else { return .status(405) }
      let index = asked.change { asked in
        defer { asked = asked.map { $0 + 1 } }
        return asked
      }
      switch index {
      case nil: return request.indexOfMethod < 4 ? .file(.ten) { $0.cutAfter = 500_000 } : .status(404)
      case 0: return .status(416, headers: ["Content-Range": "bytes */\(Content.ten.length)"])
      case 1: return .file(.ten)
      default: return .file(.other)
      }
    }
    let first = try trial.run()
    #expect(first.exitCode == 4, "\(first.error)")
    #expect(try #require(try trial.manifest()).done > 0)
    asked.change { $0 = 0 }
    try expectOneVersion(trial, trial.run("-n", connections))
  }

  private func expectOneVersion(
    _ trial: Trial, _ result: CommandResult, location: SourceLocation = #_sourceLocation
  ) throws {
    Trial.expectPlain(result, location)
    guard result.termination == .exited(0) else {
      #expect(result.termination == .exited(6), "\(result.error)", sourceLocation: location)
      #expect(!trial.names.contains("file.bin"), sourceLocation: location)
      return
    }
    #expect(trial.names == ["file.bin"], sourceLocation: location)
    let isOld = try trial.folder.holds(.ten, in: trial.placed("file.bin"))
    let isNew = try trial.folder.holds(.other, in: trial.placed("file.bin"))
    #expect(isOld || isNew, "a mixture: \(result.error)", sourceLocation: location)
  }
}

extension Reply {
  /// A file that nothing but its length is known of.
  fileprivate static func nameless(_ content: Content, honoursRange: Bool) -> Reply {
    .file(content) {
      $0.etag = nil
      $0.lastModified = nil
      $0.ifRange = .ignored
      $0.honoursRange = honoursRange
    }
  }
}
