import FaultCatalogue
import TestSupport
import Testing

/// Parts that are gone on with, and those that are to be there for it.
@Suite(.waiting) struct ResumeRegressionTests {
  /// The sample that is compared takes longer than the stall time, and comes without a pause.
  @Test func sampleOverASlowLink() throws {
    let content = Content.pattern(length: 1 << 20)
    let here = 0..<content.length - (16 << 10)
    var settings = ScriptedServer.Settings()
    settings.rate = 16_384
    let trial = try Trial(content, settings: settings) { _ in
      .file(content) {
        $0.etag = nil
        $0.lastModified = nil
      }
    }
    try trial.folder.write(content, to: trial.part, mode: 0o600)
    try trial.folder.truncate(trial.part, to: here.upperBound)
    try trial.folder.truncate(trial.part, to: content.length)
    var manifest = StoredManifest(url: trial.server.url())
    manifest.length = content.length
    manifest.segments = [.init(start: here.lowerBound, end: here.upperBound, crc32: try content.crc32(of: here))]
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    let result = try trial.run("--stall-timeout", "2", "--give-up-after", "8")
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("beginning again"), "\(result.error)")
    #expect(trial.server.log.bodyBytesSent < 200_000)
  }

  /// What the message says is kept is kept, be it nothing.
  @Test(arguments: [true, false])
  func emptyFileWithAWrongDigest(honoursRange: Bool) throws {
    let content = Content.bytes([])
    let trial = try Trial(content, .file(content) { $0.honoursRange = honoursRange })
    let wrong = try trial.run("--md5", String(repeating: "0", count: 32))
    try trial.expect(wrong, exit: 5, .part, says: "file.bin.part")
    try trial.expect(trial.run("--md5", "d41d8cd98f00b204e9800998ecf8427e"), exit: 0, .file, says: "md5 verified")
  }

  /// A dry run leaves a folder that is not there as it is.
  @Test(arguments: ["missing", "missing/deeper"], ["-d", "--directory"])
  func dryRunForAFolderThatIsNotThere(folder: String, option: String) throws {
    let trial = try Trial.healthy()
    let result = try trial.run("--dry-run", option, folder)
    #expect(result.termination == .exited(0), "\(result.error)")
    #expect(result.output.contains("would fetch"), "\(result.output)")
    #expect(trial.names.isEmpty, "\(trial.names)")
    Trial.expectPlain(result, #_sourceLocation)
  }
}
