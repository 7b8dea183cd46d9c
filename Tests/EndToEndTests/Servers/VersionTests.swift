import FaultCatalogue
import TestSupport
import Testing

/// Files that change while they are fetched or between two runs, and what tells one version from another (R27 to R37).
@Suite(.waiting) struct VersionTests {
  /// All of the first answers are of the old version, and cut; the rest are of the new one.
  @Test(.row("R28"), arguments: [FileReply.IfRange.honoured, .ignored])
  func changesOnce(ifRange: FileReply.IfRange) throws {
    let trial = try Trial(.other) { request in
      let isOld = request.method == "HEAD" || request.indexOfMethod < 4
      return .file(isOld ? .ten : .other) {
        $0.ifRange = ifRange
        if isOld { $0.cutAfter = 500_000 }
      }
    }
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file, says: "changed on the server")
    #expect(result.error.split(separator: "\n").filter { $0.contains("beginning again") }.count == 1, "\(result.error)")
    try trial.expectCleanRerun()
  }

  /// One uninterrupted response is one version.
  @Test(.row("R29")) func changesWithEveryAnswer() throws {
    let trial = try Trial(.ten) { .file(.version($0.index)) }
    let result = try trial.run()
    let uninterrupted = trial.gets.filter { $0.bodyBytesSent == Content.ten.length }
    let version = try uninterrupted.map { Content.version($0.request.index) }
      .first { try trial.folder.holds($0, in: trial.placed("file.bin")) }
    let served = try #require(version, "\(result.error)")
    try trial.expect(result, exit: 0, .file, of: served)
    trial.folder.remove(trial.placed("file.bin"))
    try trial.expectCleanRerun()
  }

  /// The file's time is that of the version that was saved, not of the one that HEAD or an earlier answer told.
  @Test func hasTheTimeOfTheVersionThatItIsOf() throws {
    let version: @Sendable (Int) -> Content = { Content.pattern(length: 10_000_001, seed: UInt64($0) + 100) }
    let trial = try Trial(.ten) { request in
      .file(version(request.index)) {
        $0.lastModified = HTTPDate.text(secondsSince1970: 1_700_000_000 + Int64(request.index))
      }
    }
    let result = try trial.run()
    #expect(result.exitCode == 0, "\(result.error)")
    let saved = try trial.gets.first { try trial.folder.holds(version($0.request.index), in: trial.placed("file.bin")) }
    let expected = 1_700_000_000 + Int64(try #require(saved, "\(result.error)").request.index)
    #expect(try trial.folder.modificationTime(trial.placed("file.bin")) == expected)
  }

  /// If that one response fails, so does the download.
  @Test(.row("R29")) func changesWithEveryAnswerAndIsCut() throws {
    let trial = try Trial(.ten) { .file(.version($0.index)) { $0.cutAfter = 300_000 } }
    let result = try trial.run()
    let versions = trial.gets.map { Content.version($0.request.index) }
    let manifest = try trial.manifest()
    let kept = manifest.flatMap { manifest in versions.first { $0.etag == manifest.etag } }
    try trial.expect(result, exit: 6, .partOrNothing, of: kept, says: "changed")
    #expect(result.error.count(of: "beginning again") == 1, "\(result.error)")
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// The nodes behind one address have different bytes under one ETag: only a digest can tell.
  @Test(.row("R31")) func sameTagOtherBytes() throws {
    let trial = try Trial(.ten) { request in
      .file(request.index % 2 == 0 ? .ten : .other) { $0.etag = "\"same\"" }
    }
    let digest = try trial.sha256()
    let result = try trial.run("--sha256", digest, "--min-split", "1M")
    // What is claimed is what has come: as no version has it, it is compared with the part itself.
    let mixture = try Content.bytes(trial.folder.bytes(trial.placed("file.bin.part")))
    try trial.expect(result, exit: 5, .part, of: mixture, says: "does not match")
    #expect(try mixture.firstDifference(from: .ten, in: 0..<mixture.length) != nil)
    trial.heal()
    try trial.expect(trial.run("--sha256", digest, "--restart"), exit: 0, .file, says: "sha256 verified")
  }

  /// `W/` is never sent back.
  @Test(.row("R32")) func weakTag() throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.etag = "W/\"abc\""
        $0.lastModified = nil
      })
    try trial.expect(trial.run(), exit: 0, .file, says: "weak")
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["If-Range"] == nil })
    try trial.expectCleanRerun()
  }

  @Test func weakTagChanges() throws {
    let trial = try Trial(.other) { request in
      let isOld = request.method == "HEAD" || request.indexOfMethod < 4
      return .file(isOld ? .ten : .other) {
        $0.etag = isOld ? "W/\"a\"" : "W/\"b\""
        if isOld { $0.cutAfter = 500_000 }
      }
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "changed on the server")
  }

  @Test(.row("R33")) func dateChanges() throws {
    let trial = try Trial(.other) { request in
      let isOld = request.method == "HEAD" || request.indexOfMethod < 4
      return .file(isOld ? .ten : .other) {
        $0.etag = nil
        if isOld { $0.cutAfter = 500_000 } else { $0.lastModified = "Wed, 01 Jan 2025 00:00:01 GMT" }
      }
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "changed on the server", "Last-Modified")
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["If-Range"] == nil })
    trial.folder.remove(trial.placed("file.bin"))
    try trial.expectCleanRerun()
  }

  /// If-Range with an ETag brings the whole file: it is left out, and the file still comes in parts.
  @Test(.row("R34")) func onlyDatesInIfRange() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 4_000_000
    let trial = try Trial(.ten, .file(.ten) { $0.ifRange = .dateOnly }, settings: settings)
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    let log = trial.server.settledLog()
    #expect(log.entries.filter { $0.status == 206 }.allSatisfy { $0.request.headers["If-Range"] == nil })
    #expect(log.count(ofStatus: 206) >= 3)
    #expect(!result.error.contains("over one connection"), "\(result.error)")
    try trial.expectCleanRerun()
  }

  /// Noticed by HEAD, or by the 206 where there is no HEAD.
  @Test(
    .row("R35", "R37"), arguments: [true, false],
    [Content.other, .pattern(length: 7_000_001, seed: 3), .pattern(length: 12_345_678)])
  func changesBetweenRuns(hasHead: Bool, next: Content) throws {
    let isNew = Monitor(false)
    let trial = try Trial(next) { request in
      if !hasHead, request.method == "HEAD" { return .status(405) }
      // What ends the first run.
      if !isNew.read({ $0 }), request.method == "GET", request.indexOfMethod >= 4 { return .status(404) }
      return .file(isNew.read { $0 } ? next : .ten) {
        $0.ifRange = .ignored
        if isNew.read({ !$0 }), request.method == "GET" { $0.cutAfter = 500_000 }
      }
    }
    try trial.expect(trial.run(), exit: 4, .part, of: .ten)
    isNew.change { $0 = true }
    try trial.expect(trial.run(), exit: 0, .file, says: "beginning again")
    try trial.expectCleanRerun()
  }

  /// Nothing but the length tells the versions apart: the end of what is here is compared.
  @Test(arguments: [true, false], [true, false])
  func withoutValidators(hasHead: Bool, isChanged: Bool) throws {
    let isNew = Monitor(false)
    let next = isChanged ? Content.other : .ten
    let trial = try Trial(next) { request in
      if !hasHead, request.method == "HEAD" { return .status(405) }
      // What ends the first run.
      if !isNew.read({ $0 }), request.method == "GET", request.indexOfMethod >= 4 { return .status(404) }
      return .file(isNew.read { $0 } ? next : .ten) {
        $0.etag = nil
        $0.lastModified = nil
        if isNew.read({ !$0 }), request.method == "GET" { $0.cutAfter = 500_000 }
      }
    }
    let first = try trial.run()
    #expect(first.exitCode == 4, "\(first.error)")
    isNew.change { $0 = true }
    try trial.expect(trial.run(), exit: 0, .file, says: isChanged ? "beginning again" : "identity unverified")
  }

  /// The server names the version only now, or no longer: no validator can be compared, the bytes can.
  @Test(arguments: [true, false], [true, false])
  func validatorComesOrGoes(comes: Bool, isChanged: Bool) throws {
    let isNew = Monitor(false)
    let next = isChanged ? Content.other : .ten
    let trial = try Trial(next) { request in
      let isSecond = isNew.read { $0 }
      if !isSecond, request.method == "GET", request.indexOfMethod >= 4 { return .status(404) }
      return .file(isSecond ? next : .ten) {
        $0.lastModified = nil
        if isSecond != comes { $0.etag = nil }
        if !isSecond, request.method == "GET" { $0.cutAfter = 500_000 }
      }
    }
    let first = try trial.run()
    #expect(first.exitCode == 4, "\(first.error)")
    isNew.change { $0 = true }
    let second = try trial.run()
    try trial.expect(second, exit: 0, .file)
    #expect(second.error.contains("beginning again") == isChanged, "\(second.error)")
  }

  /// Complete, but without its name: a server that has nothing behind the end is not asked, and could not harm.
  @Test(.row("R27"), arguments: [true, false])
  func completeButNotRenamed(hasDigest: Bool) throws {
    let trial = try Trial(.ten, .status(416, headers: ["Content-Range": "bytes */\(Content.ten.length)"]))
    let options = hasDigest ? ["--sha256", try trial.sha256()] : []
    try trial.plant(missing: [], isHole: false)
    let result = try trial.command(options).run()
    try trial.expect(result, exit: 0, .file, says: hasDigest ? "sha256 verified" : "not verified")
    #expect(trial.server.settledLog().bodyBytesSent == 0)
    try trial.expectCleanRerun()
  }

  /// All but the last byte is here, and that is refused.
  @Test func oneByteIsMissingAndRefused() throws {
    let trial = try Trial(.ten) { request in
      guard request.firstByte > 0 else { return .file(.ten) }
      return .status(416, headers: ["Content-Range": "bytes */\(Content.ten.length)"])
    }
    try trial.plant(missing: [Content.ten.length - 1..<Content.ten.length], isHole: false)
    try trial.expect(trial.run(), exit: 0, .file)
    try trial.expectCleanRerun()
  }
}

extension Content {
  /// A version of its own of the file of most cases.
  fileprivate static func version(_ number: Int) -> Content { .pattern(length: 10_000_001, seed: UInt64(number) + 100) }
}
