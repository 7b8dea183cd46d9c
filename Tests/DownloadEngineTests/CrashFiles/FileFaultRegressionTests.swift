import DownloadCore
import FaultCatalogue
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// What failing calls and lost power have brought to light once.
@Suite struct FileFaultRegressionTests {
  private static let content = Content.pattern(length: 100_000)

  /// The runs of a scenario in which a call of a kind fails, and the disks they leave.
  private func runs(
    _ stage: CrashStage, failing call: FileCall, forEver: Bool
  ) throws -> [(run: EngineRun, disk: MemoryDisk)] {
    var found: [(EngineRun, MemoryDisk)] = []
    for number in 1... {
      let files = CrashFileSystem(stage.disk, .failure(call, at: number, forEver: forEver, ErrorTurns([EIO])))
      let run = try stage.run(on: files)
      guard files.hasFailed else { break }
      var disk = files.settledDisk
      disk.closeAll()
      found.append((run, disk))
    }
    return found
  }

  private func manifest(on disk: MemoryDisk) throws -> Manifest? {
    let folder = try Folder.open(".", in: CrashFileSystem(disk))
    let found = try ManifestFile(folder: folder, name: CrashScenario.fileName).load()
    return if case .success(let manifest)? = found { manifest } else { nil }
  }

  /// The kernel drops what a sync could not write: a manifest that names it must not be believed unseen by the next run
  /// of the same boot, also where it cannot be corrected any more.
  @Test(.row("L06")) func aFailedSyncOfTheCompleteDataLeavesNothingThatIsBelievedUnseen() throws {
    let stage = try CrashStage(CrashScenario(name: "a new file", content: Self.content))
    var unbelieved: [Int64] = []
    for (run, disk) in try runs(stage, failing: .sync, forEver: true) {
      let promises = try DiskPromises(stage.scenario, disk)
      #expect(promises.lies == [])
      try stage.finish(promises, "\(run.outcome)")
      guard let manifest = try manifest(on: disk), manifest.boot == nil else { continue }
      #expect(run.error?.failure == .local)
      unbelieved.append(manifest.segments.reduce(0) { $0 + $1.end - $1.start })
    }
    // All of it is claimed, so that a kill during the sync costs nothing.
    #expect(unbelieved.contains(Self.content.length))
  }

  /// A folder that is made is there after the power has failed, with the file in it.
  @Test(.row("L14")) func aNewFolderIsDurableWithTheFileInIt() throws {
    let stage = try CrashStage(CrashScenario(name: "new folders", content: Self.content, folder: "new/deep"))
    let files = CrashFileSystem(stage.disk)
    #expect(try stage.run(on: files).report?.outcome == .saved)
    let disk = files.disk.afterCrash(Damage(number: 2, seed: 1))
    #expect(disk.names(in: ".") == ["new"] && disk.names(in: "new") == ["deep"])
    #expect(try DiskPromises(stage.scenario, disk).holds(Self.content))
  }

  /// Where a file system cannot rename without replacing, the finished file has both names for a moment. If the old one
  /// cannot be removed, the manifest stays, and the next run needs no network.
  @Test(.row("L06")) func aSecondNameThatStaysIsRemovedByTheNextRun() throws {
    let scenario = CrashScenario(
      name: "no rename", content: Self.content,
      prepare: { _ in
        var disk = MemoryDisk()
        disk.renamesWithoutReplacing = false
        return disk
      })
    let stage = try CrashStage(scenario)
    let left = try runs(stage, failing: .remove, forEver: false).filter { $0.disk.names(in: ".").count == 3 }
    #expect(left.count == 1)
    for (run, disk) in left {
      #expect(run.report?.outcome == .saved)
      #expect(disk.names(in: ".") == ["file.bin", "file.bin.part", "file.bin.part.json"])
      let files = CrashFileSystem(disk)
      let (again, sent) = try stage.rerun(on: files)
      #expect(again.report?.outcome == .saved && sent == 0)
      #expect(try DiskPromises(scenario, files.disk).isFinished)
    }
  }

  /// What cannot be removed on the way out does not take the place of what led there.
  @Test(.row("L06")) func theFirstFailureIsTheOneThatIsReported() throws {
    let scenario = CrashScenario(
      name: "a link as manifest", content: Self.content,
      prepare: { _ in
        var disk = MemoryDisk()
        try disk.makeLink("file.bin.part.json", to: "elsewhere")
        return disk
      })
    let left = try runs(CrashStage(scenario), failing: .remove, forEver: false)
    #expect(!left.isEmpty)
    for (run, _) in left { #expect(run.error?.message.contains("file.bin.part.json is a link") == true) }
  }

  /// A run that ends before all that an earlier one left is compared does not vouch for it.
  @Test(.row("L22")) func whatIsNotComparedYetIsNotBelievedByTheNextRun() throws {
    let scenario = CrashScenario(
      name: "a damaged byte", content: Self.content,
      prepare: { url in
        let disk = try CrashScenario.part(of: Self.content, [0..<50_000], url: url)
        return try CrashScenario.damaged(disk, "file.bin.part", at: 10)
      })
    let stage = try CrashStage(scenario)
    let left = try runs(stage, failing: .read, forEver: false).filter { $0.run.error != nil }
    #expect(!left.isEmpty)
    for (run, disk) in left {
      #expect(run.error?.failure == .local)
      let manifest = try manifest(on: disk)
      #expect(manifest?.boot != "boot \(disk.boot)")
      let files = CrashFileSystem(disk)
      #expect(try stage.rerun(on: files).0.report?.outcome == .saved)
      #expect(try DiskPromises(scenario, files.disk).isFinished)
    }
  }
}
