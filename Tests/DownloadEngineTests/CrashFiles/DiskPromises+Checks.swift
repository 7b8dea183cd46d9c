import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

extension EngineRun {
  var outcome: String { error.map { "\($0.failure): \($0.message)" } ?? "\(report.map { "\($0.outcome)" } ?? "")" }
}

extension DiskPromises {
  /// What holds after every run.
  func check(_ what: Comment) {
    #expect(finalNameIsRight, what)
    #expect(lies == [], what)
    #expect(strangers == [], what)
  }

  /// And what a run says of itself is true. Where no call failed it ends as it should, and nothing is left beside the file.
  func check(_ run: EngineRun, hasFailed: Bool, _ what: Comment) {
    check(what)
    if let error = run.error {
      let expected: Set<Failure?> = hasFailed ? [.local, scenario.failure] : [scenario.failure]
      #expect(expected.contains(error.failure), what)
    } else {
      #expect(holds(scenario.content), what)
      #expect(hasFailed || (isFinished && scenario.failure == nil), what)
    }
  }
}

extension CrashStage {
  /// The next run, in which nothing fails, ends with the file and nothing else, and fetches nothing again that is there.
  func finish(_ promises: DiskPromises, _ what: Comment) throws {
    guard !promises.isFinished else { return }
    var disk = promises.disk
    scenario.repair(&disk)
    let files = CrashFileSystem(disk)
    let (run, sent) = try rerun(on: files)
    let then: Comment = "\(what), then \(run.outcome)"
    #expect(run.report != nil, then)
    #expect(try DiskPromises(scenario, files.settledDisk).isFinished, then)
    let treasure = promises.treasure
    let again = files.written(to: promises.partNumber).filter { written in
      treasure.contains { $0.overlaps(written.start..<written.end) }
    }
    #expect(again == [], then)
    let missing = scenario.content.length - treasure.reduce(0) { $0 + Int64($1.count) }
    // Before a part of another length is given up, a sample of it is asked for.
    if scenario.isFrugal { #expect(sent <= missing + 64 << 10, then) }
  }
}
