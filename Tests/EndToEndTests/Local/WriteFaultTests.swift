import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Disks and file systems that fail at one call, or from one call on.
@Suite(.waiting, .enabled(if: Machine.hasFaultShim, Machine.noFaultShim)) struct WriteFaultTests {
  /// Long enough for several connections, and for some writes on each.
  private static let content = Content.pattern(length: 300_001)
  private static let errors = [EDQUOT, EIO, EROFS, ESTALE, EFBIG, EPERM]

  private static func trial() throws -> Trial { try .healthy(content) }

  /// Whatever goes wrong with the data: the disk is to blame, what was written before counts, and a rerun goes on.
  @Test(.row("L06"), arguments: errors, [1, 0]) func l06EveryWriteOfDataMayFail(code: Int32, count: Int) throws {
    let sweep = FaultSweep(trial: Self.trial) { Fault("pwrite", names: ".part", first: $0, count: count, .error(code)) }
    let met = try sweep.run { trial, result, _ in
      try trial.expect(result, exit: 7, .partOrNothing, says: "cannot write to file.bin.part: ")
      try trial.expectCleanRerun()
    }
    #expect(met >= 4, "\(met)")
  }

  /// Calls on the part without which there is no file. One more is the close before the rename; that at the end is not.
  private static let vital = [
    "openat", "flock", "fcntl", "fallocate", "ftruncate", "pwrite", "fdatasync", "fsync", "renameat2",
  ]

  /// The manifest, the mode and the time are not the file: it is whole without them, once it has begun.
  @Test(.row("L06"), arguments: errors) func l06EveryCallMayFailOnce(code: Int32) throws {
    let sweep = FaultSweep(trial: Self.trial) { Fault(first: $0, .error(code)) }
    let met = try sweep.run { trial, result, outcome in
      let words = outcome.first.split(separator: " ")
      let isVital = words[1].hasSuffix(".part") && Self.vital.contains(String(words[0]))
      if isVital || result.exitCode != 0 {
        #expect(result.exitCode == 7, "\(outcome.first): \(result.error)")
        let isPart = isVital || words[0] == "close"
        #expect(isPart || trial.names.isEmpty, "\(outcome.first): \(trial.names) \(result.error)")
      }
      // That which was to be removed is there still.
      let left = result.exitCode == 0 && words[0] == "unlinkat" ? ["file.bin.part.json"] : []
      if result.exitCode == 0 { #expect(Set(trial.names).subtracting(left) == ["file.bin"], "\(outcome.first)") }
      try trial.expectInvariants(result)
      try trial.expectCleanRerun()
    }
    #expect(met >= 40, "\(met)")
  }

  @Test(.row("L06"), arguments: errors) func l06EveryCallFromOneOnMayFail(code: Int32) throws {
    let sweep = FaultSweep(trial: Self.trial) { Fault(first: $0, count: 0, .error(code)) }
    let met = try sweep.run { trial, result, outcome in
      // What was renamed before is the finished file, whatever fails after that.
      let isFinished = trial.names.contains("file.bin")
      #expect(result.exitCode == (isFinished ? 0 : 7), "\(outcome.first): \(result.error)")
      let names: Set = ["file.bin", "file.bin.part", "file.bin.part.json", "file.bin.part.json.new"]
      #expect(names.isSuperset(of: trial.names), "\(outcome.first): \(trial.names)")
      try trial.manifest()?.expectHonest(
        trial.folder, isFinished ? trial.placed("file.bin") : trial.part, Self.content, #_sourceLocation)
      try trial.expectCleanRerun()
    }
    #expect(met >= 40, "\(met)")
  }

  /// A part that somebody touched is read back and compared.
  @Test(.row("L06"), arguments: [EIO, ESTALE], [1, 0]) func l06WhatIsHereCannotBeRead(code: Int32, count: Int) throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    #expect(utimensat(AT_FDCWD, trial.folder.path(trial.part), nil, 0) == 0)
    let result = try trial.run(with: [Fault("pread", names: ".part", first: 2, count: count, .error(code))])
    try trial.expect(result, exit: 7, .part, says: "cannot read file.bin.part: ")
    try trial.expectResumed(keeping: manifest.segments)
  }

  @Test(.row("L07")) func l07GoesOnWhereCallsAreInterrupted() throws {
    let trial = try Self.trial()
    let result = try trial.run(with: [Fault(count: 0, .interruptions)])
    try trial.expect(result, exit: 0, .file)
  }

  @Test(.row("L07"), arguments: ["*", ".part", ".part.json.new"]) func l07WritesTheRest(names: String) throws {
    let trial = try Self.trial()
    let result = try trial.run(with: [Fault("pwrite", names: names, count: 0, .half)])
    try trial.expect(result, exit: 0, .file)
  }

  @Test(.row("L07")) func l07WritesByteForByteAndInterrupted() throws {
    let trial = try Trial.healthy(.pattern(length: 50_001))
    let storm = Fault("pwrite", count: 0, .interruptions)
    let result = try trial.run(with: [storm, Fault("pwrite", count: 0, .oneByte)])
    try trial.expect(result, exit: 0, .file)
  }

  /// What is read back comes in pieces as well.
  @Test(.row("L07")) func l07ReadsTheRest() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    // Touched: every block is compared.
    #expect(utimensat(AT_FDCWD, trial.folder.path(trial.part), nil, 0) == 0)
    let before = trial.server.settledLog().entries.count
    let result = try trial.run(with: [Fault("pread", count: 0, .half), Fault("pread", count: 0, .interruptions)])
    try trial.expect(result, exit: 0, .file)
    let again = trial.asked(since: before).contains { range in manifest.segments.contains { $0.range.overlaps(range) } }
    #expect(!again)
  }
}
