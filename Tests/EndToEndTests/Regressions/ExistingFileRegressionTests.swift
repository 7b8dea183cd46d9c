import FaultCatalogue
import TestSupport
import Testing

/// What is here already, and what is done and said about it.
@Suite(.waiting) struct ExistingFileRegressionTests {
  /// All that is in the folder where files go.
  private func everything(_ trial: Trial) throws -> [String: [UInt8]] {
    try Dictionary(uniqueKeysWithValues: trial.names.map { ($0, try trial.folder.bytes(trial.placed($0))) })
  }

  /// A file of the right length whose manifest says that it is not complete.
  @Test(arguments: [[], ["--dry-run"]])
  func isNotCompleteWhereAManifestSaysSo(options: [String]) throws {
    let trial = try Trial.healthy()
    try trial.folder.write(.other, to: trial.placed("file.bin"))
    var manifest = StoredManifest(url: trial.server.url())
    manifest.length = trial.content.length
    manifest.etag = trial.content.etag
    manifest.segments = [.init(start: 0, end: 1 << 20, crc32: try trial.content.crc32(of: 0..<1 << 20))]
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    let before = try everything(trial)
    let result = try trial.command(options).run()
    #expect(result.termination == .exited(10), "\(result.error)")
    #expect(!(result.error + result.output).contains("already complete"), "\(result.error)")
    #expect(try everything(trial)["file.bin"] == before["file.bin"])
    #expect(!trial.names.contains("file.bin.part"))
    Trial.expectPlain(result, #_sourceLocation)
  }

  /// Two URLs whose answers are to have one name.
  @Test(arguments: [Int64(1000), 2000])
  func oneNameForTwoURLs(length: Int64) throws {
    let (first, second) = (Content.pattern(length: 1000), Content.pattern(length: length, seed: 2))
    let trial = try Trial(first) { request in
      .file(request.path == "/a" ? first : second) { $0.contentDisposition = "attachment; filename=one.bin" }
    }
    let result = try trial.swoop(trial.server.url("/a"), trial.server.url("/b"))
    #expect(result.termination == .exited(10), "\(result.error)")
    #expect(trial.names == ["one.bin"])
    // They are fetched side by side: which of them comes first is the network's affair.
    let bytes = try trial.folder.bytes(trial.placed("one.bin"))
    let isOne = try [first, second].contains { try $0.bytes(in: 0..<$0.length) == bytes }
    #expect(isOne && result.error.contains("saved from another URL of this command"), "\(result.error)")
    Trial.expectPlain(result, #_sourceLocation)
  }

  /// An address that is no good any more can be replaced, and the error says how.
  @Test(arguments: [401, 403, 410])
  func refusedAddressOfAPart(status: Int) throws {
    let isRefused = Monitor(false)
    let trial = try Trial(.ten) { request in
      if isRefused.read({ $0 }) { return .status(status) }
      // What ends the first run.
      if request.method == "GET", request.indexOfMethod >= 4 { return .status(404) }
      return .file(.ten) { if request.method == "GET" { $0.cutAfter = 500_000 } }
    }
    try trial.expect(trial.run(), exit: 4, .part)
    isRefused.change { $0 = true }
    try trial.expect(trial.run(), exit: 4, .part, says: "\(status)", "--url NEW")
    try trial.expectCleanRerun()
  }
}

/// A dry run looks at what is here, and leaves it as it is.
@Suite(.waiting) struct DryRunRegressionTests {
  /// Names, lengths and times of all that is in the folder where files go.
  private func look(_ trial: Trial) throws -> String {
    var runner = CommandRunner("find", [".", "-printf", "%p %s %m %i %T@ %C@\\n"])
    runner.workingDirectory = trial.folder.path(Trial.place)
    return try runner.run().output
  }

  /// The result of a dry run that changes nothing and asks no more than HEAD.
  private func rehearse(_ trial: Trial, location: SourceLocation = #_sourceLocation) throws -> CommandResult {
    let before = try look(trial)
    let result = try trial.run("--dry-run")
    #expect(try look(trial) == before, sourceLocation: location)
    #expect(trial.server.log.methods == ["HEAD"], sourceLocation: location)
    Trial.expectPlain(result, location)
    return result
  }

  @Test func nothingIsHere() throws {
    let trial = try Trial.healthy()
    let result = try rehearse(trial)
    #expect(result.termination == .exited(0) && result.error.isEmpty, "\(result.error)")
    #expect(result.output.contains("would fetch") && result.output.contains("10000001 bytes"), "\(result.output)")
  }

  @Test func completeFile() throws {
    let trial = try Trial.healthy()
    try trial.folder.write(trial.content, to: trial.placed("file.bin"))
    let result = try rehearse(trial)
    #expect(result.termination == .exited(0), "\(result.error)")
    // It is what was asked for, as the plan is.
    #expect(result.output.contains("already complete") && result.error.isEmpty, "\(result.output) \(result.error)")
  }

  @Test func foreignFile() throws {
    let trial = try Trial.healthy()
    try trial.folder.write("foreign", to: trial.placed("file.bin"))
    let result = try rehearse(trial)
    #expect(result.termination == .exited(10) && result.output.isEmpty, "\(result.error)")
  }

  @Test func halfIsHere() throws {
    let trial = try Trial.healthy()
    try trial.plant(missing: [5_000_000..<10_000_001])
    let result = try rehearse(trial)
    #expect(result.termination == .exited(0) && result.error.isEmpty, "\(result.error)")
    #expect(result.output.contains("would fetch") && result.output.contains("5000001 bytes"), "\(result.output)")
  }
}
