import FaultCatalogue
import TestSupport
import Testing

/// Which version a part is of, where not much tells it.
@Suite(.waiting) struct PartVersionRegressionTests {
  private static let mebi: Int64 = 1 << 20
  private static let old = Content.pattern(length: 12 * mebi)
  private static let new = Content.pattern(length: 12 * mebi, seed: 2)

  /// A server that names no version.
  private func nameless(_ content: Content, sliceLimit: Int64? = nil) throws -> Trial {
    try Trial(content) { _ in
      .file(content) {
        $0.etag = nil
        $0.lastModified = nil
        $0.sliceLimit = sliceLimit
      }
    }
  }

  /// A part that is to be compared, of a nameless version; blocks of 1 MiB.
  private func leave(_ content: Content, _ here: Range<Int64>, damaged: [Int64] = [], in trial: Trial) throws {
    try trial.folder.write(content, to: trial.part, mode: 0o600)
    var manifest = StoredManifest(url: trial.server.url())
    manifest.length = content.length
    manifest.segments = try stride(from: here.lowerBound, to: here.upperBound, by: Int(Self.mebi)).map { start in
      let end = min(here.upperBound, start + Self.mebi)
      return .init(start: start, end: end, crc32: try content.crc32(of: start..<end))
    }
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    for block in damaged { try trial.folder.flipByte(of: trial.part, at: block * Self.mebi + 5) }
  }

  /// However few blocks are intact: they are of another version, and do not count.
  @Test(arguments: [1, 4]) func onlyFirstBlocksAreIntact(firstDamaged: Int64) throws {
    let trial = try nameless(Self.new)
    try leave(Self.old, 0..<Self.old.length - 100, damaged: Array(firstDamaged..<12), in: trial)
    try trial.expect(trial.run(), exit: 0, .file, says: "beginning again")
  }

  @Test func nothingIsIntact() throws {
    let trial = try nameless(Self.new)
    try leave(Self.old, 0..<Self.old.length - 100, damaged: Array(0..<12), in: trial)
    try trial.expect(trial.run(), exit: 0, .file, says: "is damaged: beginning again")
  }

  /// A 206 may hold less than was asked for, also where that is the sample.
  @Test(arguments: [false, true]) func serverGivesSlices(hasNewURL: Bool) throws {
    let content = Content.pattern(length: 400_000)
    let trial = try nameless(content, sliceLimit: 16 << 10)
    try leave(content, 0..<200_000, in: trial)
    let options = ["--stall-timeout", "2", "--give-up-after", "4"]
    let result =
      try hasNewURL
      ? trial.swoop(["resume", "file.bin.part", "--url", trial.server.url("/new")] + options).run()
      : trial.run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("beginning again"), "\(result.error)")
    #expect(trial.server.log.bodyBytesSent < 300_000)
  }

  @Test func slicesOfAnotherVersion() throws {
    let trial = try nameless(Self.new, sliceLimit: 1 << 19)
    try leave(Self.old, 0..<Self.old.length - 100, in: trial)
    try trial.expect(trial.run(), exit: 0, .file, says: "a sample of its bytes differs")
  }

  /// The version of which nothing came is not that of what comes next.
  @Test func nothingIsHereOfTheVersionThatIsNamed() throws {
    let isOld = Monitor(false)
    let trial = try Trial(Self.old) { request in
      guard !isOld.read({ $0 }) else { return .file(Self.old) { $0.etag = "\"e\"" } }
      guard request.method == "GET" else { return .status(405) }
      guard request.indexOfMethod < 2 else { return .status(404) }
      return .file(Self.new) {
        $0.etag = nil
        $0.lastModified = nil
        $0.cutAfter = 500_000
      }
    }
    try trial.folder.write("", to: trial.part, mode: 0o600)
    var manifest = StoredManifest(url: trial.server.url())
    manifest.length = Self.old.length
    manifest.etag = "\"e\""
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    let second = try trial.run("-n", "1")
    #expect(second.exitCode == 4, "\(second.error)")
    let left = try #require(try trial.manifest())
    #expect(left.done > 0 && left.etag == nil && left.lastModified == nil)
    isOld.change { $0 = true }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  private static let busy = "busy, come back soon"
  private static let lengths = [
    "Content-Length: 20\r\n\r\n\(busy)", "Transfer-Encoding: chunked\r\n\r\n14\r\n\(busy)\r\n0\r\n\r\n",
  ]

  private func busyTrial(_ rest: String, headIsRefused: Bool) throws -> Trial {
    let trial = try Trial(.ten) { request in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
      guard request.method == "HEAD" else { return .raw(head + rest) }
      return headIsRefused ? .status(405) : .raw(head + "Content-Length: 20\r\n\r\n")
    }
    try trial.plant(missing: [5_000_000..<trial.content.length], isHole: false)
    return trial
  }

  /// What a server in trouble says with 200 does not cost what is here.
  @Test(arguments: lengths, [true, false]) func answerNamesNothing(rest: String, headIsRefused: Bool) throws {
    let trial = try busyTrial(rest, headIsRefused: headIsRefused)
    let result = try trial.run()
    try trial.expect(result, exit: 6, .part, says: "names no version", "file.bin.part is kept", "--restart")
    try trial.expectCleanRerun()
  }

  @Test(arguments: lengths) func answerNamesNothingAndIsWanted(rest: String) throws {
    let trial = try busyTrial(rest, headIsRefused: true)
    let result = try trial.run("--restart")
    #expect(result.termination == .exited(0), "\(result.error)")
    #expect(try trial.names == ["file.bin"] && trial.folder.text(trial.placed("file.bin")) == Self.busy)
  }

  /// A refusal of the range (416) names no version either, but tells how long the file is now.
  @Test func refusalOfTheRangeTellsAnotherLength() throws {
    let content = Content.pattern(length: 1_000_000)
    let trial = try Trial(content) { request in
      guard request.method == "GET" else { return .status(405) }
      guard request.firstByte < content.length else {
        return .status(416, headers: ["Content-Range": "bytes */\(content.length)"])
      }
      return .file(content)
    }
    try leave(.ten, 0..<5_000_000, in: trial)
    var manifest = try #require(try trial.manifest())
    manifest.etag = "\"ten\""
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    try trial.expect(trial.run(), exit: 0, .file, says: "its length was 10000001, is 1000000")
  }

  /// HEAD alone is wrong about the length: GET has the last word before what is here goes.
  @Test(arguments: [true, false]) func headIsWrongAboutTheLength(isNamed: Bool) throws {
    let trial = try Trial(.ten) { request in
      .file(.ten) {
        if !isNamed { ($0.etag, $0.lastModified) = (nil, nil) }
        if request.method == "HEAD" { $0.headLength = .other(Content.ten.length + 100) }
      }
    }
    try trial.folder.write(.ten, to: trial.part, mode: 0o600)
    var manifest = StoredManifest(url: trial.server.url())
    manifest.length = Content.ten.length
    manifest.etag = isNamed ? Content.ten.etag : nil
    manifest.segments = [.init(start: 0, end: 1 << 20, crc32: try Content.ten.crc32(of: 0..<1 << 20))]
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    try trial.expect(trial.run(), exit: 0, .file, says: "resumed from 1.0 MiB")
    // A sample of it, twice at most.
    let again = trial.asked().filter { $0.lowerBound < 1 << 20 }
    #expect(again.count <= 2 && again.allSatisfy { $0.count <= 64 << 10 && $0.upperBound <= 1 << 20 }, "\(again)")
  }
}
