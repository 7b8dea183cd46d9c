import TestSupport
import Testing

/// Files that change while they are fetched or between two runs, and what tells one version from another (R27 to R37).
@Suite struct VersionTests {
  /// R28: all of the first answers are of the old version, and cut; the rest are of the new one.
  @Test(arguments: [FileReply.IfRange.honoured, .ignored])
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

  /// R29: one uninterrupted response is one version.
  @Test func changesWithEveryAnswer() throws {
    let last = Monitor<UInt64>(0)
    let trial = try Trial(.ten) { request in
      last.change { $0 = UInt64(request.index) + 100 }
      return .file(.pattern(length: 10_000_001, seed: UInt64(request.index) + 100))
    }
    let result = try trial.run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(trial.names == ["file.bin"])
    let whole = trial.server.settledLog().entries.last { $0.status == 200 && $0.request.method == "GET" }
    let seed = UInt64(try #require(whole).request.index) + 100
    #expect(try trial.folder.holds(.pattern(length: 10_000_001, seed: seed), in: trial.placed("file.bin")))
    Trial.expectPlain(result, #_sourceLocation)
  }

  /// The file's time is that of the version that was saved, not of the one that HEAD or an earlier answer told.
  @Test func hasTheTimeOfTheVersionThatItIsOf() throws {
    let trial = try Trial(.ten) { request in
      .file(.pattern(length: 10_000_001, seed: UInt64(request.index) + 100)) {
        $0.lastModified = HTTPDate.text(secondsSince1970: 1_700_000_000 + Int64(request.index))
      }
    }
    let result = try trial.run()
    #expect(result.exitCode == 0, "\(result.error)")
    let whole = trial.server.settledLog().entries.last { $0.status == 200 && $0.request.method == "GET" }
    let expected = 1_700_000_000 + Int64(try #require(whole).request.index)
    #expect(try trial.folder.modificationTime(trial.placed("file.bin")) == expected)
  }

  /// R29: if that one response fails, so does the download.
  @Test func changesWithEveryAnswerAndIsCut() throws {
    let trial = try Trial(.ten) { request in
      .file(.pattern(length: 10_000_001, seed: UInt64(request.index) + 100)) { $0.cutAfter = 300_000 }
    }
    let result = try trial.run()
    #expect(result.exitCode == 6, "\(result.error)")
    #expect(!trial.names.contains("file.bin"))
    Trial.expectPlain(result, #_sourceLocation)
    trial.heal()
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// R31: the nodes behind one address have different bytes under one ETag.
  @Test func sameTagOtherBytes() throws {
    let trial = try Trial(.ten) { request in
      .file(request.index % 2 == 0 ? .ten : .other) { $0.etag = "\"same\"" }
    }
    let digest = try trial.sha256()
    let result = try trial.run("--sha256", digest, "--min-split", "1M")
    #expect(result.exitCode == 5, "\(result.error)")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
    Trial.expectPlain(result, #_sourceLocation)
  }

  /// R32: `W/` is never sent back.
  @Test func weakTag() throws {
    let trial = try Trial(
      .ten,
      .file(.ten) {
        $0.etag = "W/\"abc\""
        $0.lastModified = nil
      })
    try trial.expect(trial.run(), exit: 0, .file, says: "weak")
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["If-Range"] == nil })
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

  /// R33
  @Test func dateChanges() throws {
    let trial = try Trial(.other) { request in
      let isOld = request.method == "HEAD" || request.indexOfMethod < 4
      return .file(isOld ? .ten : .other) {
        $0.etag = nil
        if isOld { $0.cutAfter = 500_000 } else { $0.lastModified = "Wed, 01 Jan 2025 00:00:01 GMT" }
      }
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "changed on the server", "Last-Modified")
    #expect(trial.server.log.entries.allSatisfy { $0.request.headers["If-Range"] == nil })
  }

  /// R34: If-Range with an ETag brings the whole file: it is left out, and the file still comes in parts.
  @Test func onlyDatesInIfRange() throws {
    var settings = ScriptedServer.Settings()
    settings.rate = 4_000_000
    let trial = try Trial(.ten, .file(.ten) { $0.ifRange = .dateOnly }, settings: settings)
    let result = try trial.run()
    try trial.expect(result, exit: 0, .file)
    let log = trial.server.settledLog()
    #expect(log.entries.filter { $0.status == 206 }.allSatisfy { $0.request.headers["If-Range"] == nil })
    #expect(log.count(ofStatus: 206) >= 3)
    #expect(!result.error.contains("over one connection"), "\(result.error)")
  }

  /// R35 and R37, noticed by HEAD, or by the 206 where there is no HEAD.
  @Test(arguments: [true, false], [Content.other, .pattern(length: 7_000_001, seed: 3), .pattern(length: 12_345_678)])
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
    let first = try trial.run()
    #expect(first.exitCode == 4, "\(first.error)")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
    isNew.change { $0 = true }
    try trial.expect(trial.run(), exit: 0, .file, says: "beginning again")
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

  /// R27: complete, but without its name; nothing is fetched again.
  @Test func completeButNotRenamed() throws {
    let trial = try Trial(.ten, .file(.ten))
    let digest = try trial.sha256()
    let wrong = String(repeating: "0", count: 64)
    let first = try trial.run("--sha256", wrong)
    #expect(first.exitCode == 5, "\(first.error)")
    let before = trial.server.settledLog().entries.count
    try trial.expect(trial.run("--sha256", digest), exit: 0, .file, says: "sha256 verified")
    #expect(trial.server.settledLog().entries.count == before)
  }

  /// R41: offsets that do not fit into 32 bits. All but two gaps are here already.
  @Test func beyondFourGibibytes() throws {
    let length: Int64 = (4 << 30) + 1
    let trial = try Trial(.pattern(length: length), .file(.pattern(length: length)))
    try trial.plant(missing: [(4 << 30) - 500_000..<(4 << 30) - 1000, (4 << 30) - 1..<length])
    let result = try trial.command([]).run()
    #expect(result.exitCode == 0, "\(result.error)")
    let file = try Content.file(trial.folder.path(trial.placed("file.bin")))
    #expect(file.length == length)
    #expect(try file.firstDifference(from: trial.content, in: length - 500_001..<length - 1001) == nil)
    #expect(try file.firstDifference(from: trial.content, in: length - 2..<length) == nil)
    let asked = trial.server.settledLog().entries.compactMap { $0.request.askedBytes(of: length) }
    #expect(asked.allSatisfy { $0.lowerBound >= (4 << 30) - 500_000 })
  }
}
