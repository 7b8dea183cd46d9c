import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// What fails when everything has come: the file keeps all its bytes, and the next run finishes it without the network.
@Suite(.waiting, .enabled(if: Machine.hasFaultShim, Machine.noFaultShim)) struct FinishFaultTests {
  private func expectFinishedLater(
    _ trial: Trial, _ fault: Fault, _ options: [String] = [], at location: SourceLocation = #_sourceLocation
  ) throws {
    let result = try trial.run(options, with: [fault], at: location)
    #expect(result.exitCode == 7, "\(result.error)", sourceLocation: location)
    Trial.expectPlain(result, location)
    #expect(
      trial.names.filter { $0 != "file.bin" } == ["file.bin.part", "file.bin.part.json"], sourceLocation: location)
    let manifest = try #require(try trial.manifest(), sourceLocation: location)
    try manifest.expectHonest(trial.folder, trial.part, trial.content, location)
    #expect(manifest.done == trial.content.length, sourceLocation: location)
    #expect(try trial.folder.mode(trial.part) == 0o600, sourceLocation: location)
    let requests = trial.server.settledLog().entries.count
    try trial.expect(trial.command(options).run(), exit: 0, .file, location: location)
    #expect(trial.server.settledLog().entries.count == requests, "the network was asked", sourceLocation: location)
  }

  /// Network file systems, and many in user space, write and fail when a file is closed.
  @Test(.row("L09"), arguments: [EIO, EDQUOT, ENOSPC]) func l09TheCloseOfThePartFails(code: Int32) throws {
    try expectFinishedLater(.healthy(.million), Fault("close", names: ".part", .error(code)))
  }

  @Test(.row("L09"), arguments: [EXDEV, EACCES, ENOSPC]) func l09TheRenameFails(code: Int32) throws {
    try expectFinishedLater(.healthy(.million), Fault("renameat2", names: ".part", .error(code)))
    let trial = try Trial.healthy(.million)
    try trial.folder.write("the old file", to: trial.placed("file.bin"))
    let fault = Fault("renameat", names: ".part", .error(code))
    let result = try trial.run(["--force"], with: [fault])
    #expect(result.exitCode == 7, "\(result.error)")
    #expect(try trial.folder.text(trial.placed("file.bin")) == "the old file")
    try expectFinishedLater(trial, fault, ["--force"])
  }

  /// Where a rename cannot be kept from replacing, a second name is given; that may fail as well.
  @Test(.row("L09"), arguments: [EACCES, ENOSPC, EIO]) func l09TheSecondNameFails(code: Int32) throws {
    let trial = try Trial.healthy(.million)
    let faults = [
      Fault("renameat2", names: ".part", .error(EINVAL)), Fault("linkat", names: ".part", .error(code)),
    ]
    let result = try trial.run(with: faults)
    try trial.expect(result, exit: 7, .part)
    let requests = trial.server.settledLog().entries.count
    try trial.expect(trial.command([]).run(), exit: 0, .file)
    #expect(trial.server.settledLog().entries.count == requests, "the network was asked")
  }

  /// A file system that cannot sync a folder says EINVAL, and has nothing to do.
  @Test(.row("L09")) func l09AFolderThatCannotBeSynced() throws {
    let trial = try Trial.healthy(.million)
    let result = try trial.run(with: [Fault("fsync", names: ".", count: 0, .error(EINVAL))])
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("warning"), "\(result.error)")
  }

  /// A manifest that cannot be closed was not saved; the file is complete without it.
  @Test(.row("L09")) func l09TheCloseOfAManifestFails() throws {
    let trial = try Trial.healthy(.million)
    let result = try trial.run(with: [Fault("close", names: ".part.json.new", first: 2, count: 0, .error(EIO))])
    try trial.expect(result, exit: 0, .file)
  }
}

extension Content {
  /// A million bytes.
  static let million = Content.pattern(length: 1_000_000)
}
