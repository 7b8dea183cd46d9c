import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// What may have happened to a part between two runs.
@Suite(.waiting) struct LocalFaultsPartTests {
  @Test func resumesWhatWasInterrupted() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    #expect(try trial.folder.mode(trial.part) == 0o600)
    #expect(try trial.folder.mode(trial.stored) == 0o600)
    try trial.expectResumed(keeping: manifest.segments, says: "resuming file.bin from")
  }

  @Test(.row("L19")) func l19BeginsAgainWhereThePartIsGone() throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    trial.folder.remove(trial.part)
    try trial.expectResumed(keeping: [], says: "beginning again")
  }

  @Test(.row("L20")) func l20FetchesWhatWasCutOffAgain() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    try trial.folder.truncate(trial.part, to: 3_000_000)
    let kept = manifest.segments.filter { $0.end <= 3_000_000 }
    try trial.expectResumed(keeping: kept)
  }

  @Test(.row("L21")) func l21CutsAPartThatGrew() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    try trial.folder.truncate(trial.part, to: Trial.usualLength + 5000)
    try trial.expectResumed(keeping: manifest.segments)
  }

  /// One that somebody made longer is compared, even where its time says that nobody was here.
  @Test(.row("L21")) func l21ComparesAPartThatGrew() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let damaged = try #require(manifest.segments.last)
    try trial.changeUnnoticed {
      try trial.folder.flipByte(of: trial.part, at: damaged.start)
      try trial.folder.truncate(trial.part, to: Trial.usualLength + 5000)
    }
    try trial.expectResumed(keeping: manifest.segments.dropLast(), says: "damaged")
  }

  @Test(.row("L22")) func l22FetchesADamagedBlockAgain() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let damaged = try #require(manifest.segments.last)
    try trial.folder.flipByte(of: trial.part, at: damaged.start + (damaged.end - damaged.start) / 2)
    try trial.expectResumed(keeping: manifest.segments.dropLast(), says: "damaged")
    let asked = trial.asked().contains { $0.contains(damaged.start) }
    #expect(asked)
  }

  @Test(.row("L23"), arguments: ["link", "dangling link", "pipe", "folder", "hard link"])
  func l23LeavesWhatIsNoPlainFileAlone(kind: String) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let folder = trial.folder
    try folder.write("of somebody else", to: "victim")
    if kind != "hard link" { folder.remove(trial.part) }
    switch kind {
    case "link": try folder.link(trial.part, to: folder.path("victim"))
    case "dangling link": try folder.link(trial.part, to: folder.path("nothing"))
    case "pipe": #expect(mkfifo(folder.path(trial.part), 0o600) == 0)
    case "folder": try folder.makeFolder(trial.part)
    default: #expect(link(folder.path(trial.part), folder.path("second")) == 0)
    }
    let before = try folder.bytes(trial.stored)
    let requests = trial.server.log.entries.count
    let result = try trial.command([]).run()
    #expect(result.exitCode == 7, "\(result.error)")
    #expect(result.error.split(separator: "\n").count == 1 && result.error.contains("file.bin.part"))
    #expect(try folder.text("victim") == "of somebody else")
    #expect(!folder.contains("nothing"))
    #expect(try folder.bytes(trial.stored) == before)
    #expect(trial.server.log.entries.count == requests)
  }

  /// Another file of the part's name: what of it is right by its checksums counts, whoever put it there.
  @Test(.row("L23"), arguments: [true, false]) func l23ComparesAnotherFile(isCopy: Bool) throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    let bytes = try isCopy ? trial.folder.bytes(trial.part) : Array(repeating: 7, count: Int(Trial.usualLength))
    trial.folder.remove(trial.part)
    try trial.folder.write(.bytes(bytes), to: trial.part, mode: 0o600)
    try trial.expectResumed(keeping: isCopy ? manifest.segments : [], says: isCopy ? "" : "damaged")
  }

  @Test(.row("L24"), .enabled(if: Machine.canBeNobody, "the command cannot be run as nobody"))
  func l24SaysThatAPartCannotBeOpened() throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    for (name, mode) in [(trial.part, UInt32(0)), (trial.stored, 0)] {
      try trial.giveAway()
      try trial.folder.setMode(mode, of: name)
      let result = try Machine.withoutRights(trial.command([])).run()
      #expect(result.exitCode == 7 && result.error.contains("permission denied"), "\(result.error)")
      try trial.folder.setMode(0o600, of: name)
    }
    try trial.expectResumed(keeping: [])
  }

  @Test(.row("L26")) func l26BeginsAgainWithoutAManifest() throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    trial.folder.remove(trial.stored)
    let refused = try trial.swoop("resume", "file.bin.part")
    #expect(refused.exitCode == 11 && refused.error.contains("no manifest"), "\(refused.error)")
    try trial.expectResumed(keeping: [], says: "no manifest: beginning again")
  }

  @Test(.row("L32"), arguments: ["link", "pipe", "folder", "hard link"], [true, false])
  func l32LeavesAManifestThatIsNoPlainFileAlone(kind: String, hasPart: Bool) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let folder = trial.folder
    try folder.write(folder.text(trial.stored), to: "victim")
    let text = try folder.text("victim")
    if kind != "hard link" { folder.remove(trial.stored) }
    if !hasPart { folder.remove(trial.part) }
    switch kind {
    case "link": try folder.link(trial.stored, to: folder.path("victim"))
    case "pipe": #expect(mkfifo(folder.path(trial.stored), 0o600) == 0)
    case "folder": try folder.makeFolder(trial.stored)
    default: #expect(link(folder.path(trial.stored), folder.path("second")) == 0)
    }
    let names = trial.names
    for options in [[], ["--restart"]] {
      let result = try trial.command(options).run()
      #expect(result.exitCode == 7, "\(result.error)")
      #expect(result.error.contains("file.bin.part.json"), "\(result.error)")
      #expect(try folder.text("victim") == text)
      #expect(trial.names == names)
    }
  }

  @Test(.row("L33"), .enabled(if: Machine.isRoot, "only root gives files away"), arguments: [".part", ".part.json"])
  func l33LeavesFilesOfOthersAlone(suffix: String) throws {
    let trial = try Trial.stalling()
    try trial.leavePart()
    let name = trial.placed("file.bin" + suffix)
    #expect(chown(trial.folder.path(name), 12345, 12345) == 0)
    let result = try trial.command([]).run()
    #expect(result.exitCode == 7 && result.error.contains("file.bin" + suffix), "\(result.error)")
    #expect(trial.names == ["file.bin.part", "file.bin.part.json"])
    #expect(chown(trial.folder.path(name), 0, 0) == 0)
    try trial.expectResumed(keeping: [])
  }

  /// A folder is what it was when it was opened, wherever its name leads later.
  @Test(.row("L32")) func l32StaysInTheFolderWhoseLinkIsSwapped() throws {
    let trial = try Trial.stalling()
    try trial.folder.makeFolder(trial.placed("first"))
    try trial.folder.makeFolder(trial.placed("second"))
    try trial.folder.write("of somebody else", to: trial.placed("second/file.bin.part"))
    try trial.folder.link(trial.placed("link"), to: "first")
    let command = try trial.command(["-d", "link"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    trial.folder.remove(trial.placed("link"))
    try trial.folder.link(trial.placed("link"), to: "second")
    trial.heal()
    let result = try command.result()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try trial.folder.names(in: trial.placed("first")) == ["file.bin"])
    #expect(try trial.folder.holds(trial.content, in: trial.placed("first/file.bin")))
    #expect(try trial.folder.names(in: trial.placed("second")) == ["file.bin.part"])
    #expect(try trial.folder.text(trial.placed("second/file.bin.part")) == "of somebody else")
  }

  @Test func aPartOfAnotherVersionIsBegunAgain() throws {
    let old = Content.pattern(length: Trial.usualLength, seed: 2)
    let new = Content.pattern(length: Trial.usualLength)
    let trial = try Trial(new, .file(old) { $0.stallAfter = 1_000_000 })
    let command = try trial.command([]).start()
    trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 }
    command.signal(SIGINT)
    #expect(try command.result().termination == .signalled(SIGINT))
    trial.heal()
    try trial.expectResumed(keeping: [], says: "another version")
  }

  /// Without a validator a sample is compared, and a server in trouble is no reason to throw the part away.
  @Test(arguments: [[], ["reset"], ["busy"], ["reset", "busy", "cut"]])
  func withoutValidatorsASampleIsCompared(troubles: [String]) throws {
    let content = Content.pattern(length: Trial.usualLength)
    let isBack = Monitor(false)
    let trial = try Trial(content) { request in
      .file(content) { reply in
        (reply.etag, reply.lastModified) = (nil, nil)
        guard isBack.read({ $0 }) else { return reply.stallAfter = 1_000_000 }
      }
    }
    let seen = Monitor(0)
    let back = try ScriptedServer { request in
      let index =
        request.method == "GET"
        ? seen.change {
          $0 += 1; return $0
        } : 0
      let trouble = troubles.indices.contains(index - 1) ? troubles[index - 1] : ""
      if trouble == "busy" { return .status(503) }
      return .file(content) { reply in
        (reply.etag, reply.lastModified) = (nil, nil)
        if trouble == "reset" { reply.resetAfter = 0 }
        if trouble == "cut" { reply.cutAfter = 10 }
      }
    }
    let command = try trial.command(["--stall-timeout", "30"]).start()
    #expect(try trial.waitForManifest { $0.segments.count > 1 })
    command.signal(SIGINT)
    _ = try command.result()
    var manifest = try #require(try trial.manifest())
    // The end of what is here was damaged meanwhile: that is not another version.
    try trial.folder.flipByte(of: trial.part, at: try #require(manifest.segments.last).end - 1)
    manifest.url = back.url()
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
    let result = try trial.command([], url: back.url()).run()
    try trial.expect(result, exit: 0, .file, says: "damaged", "resumed from", "identity unverified")
    let kept = manifest.segments.dropLast()
    let asked = back.settledLog().entries.compactMap { $0.request.askedBytes(of: content.length) }
    let again = asked.filter { range in kept.contains { $0.range.overlaps(range) } }
    #expect(again.allSatisfy { $0.count <= 64 << 10 }, "\(again)")
  }

  /// The name of a manifest's new version may lead elsewhere: that is removed, not followed.
  @Test(.row("L32")) func l32FollowsNoLinkWhereAManifestIsSaved() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    try trial.folder.write("precious", to: "victim", mode: 0o666)
    try trial.folder.link(trial.placed("file.bin.part.json.new"), to: trial.folder.path("victim"))
    let result = try trial.command([]).run()
    #expect(try trial.folder.text("victim") == "precious")
    trial.folder.remove("victim")
    try trial.expect(result, exit: 0, .file)
    #expect(manifest.done > 0)
  }

  @Test func aLeftOverOfASaveIsRemoved() throws {
    let trial = try Trial.stalling()
    let manifest = try trial.leavePart()
    try trial.folder.write("half a manif", to: trial.placed("file.bin.part.json.new"))
    try trial.expectResumed(keeping: manifest.segments)
  }
}

extension Trial {
  /// Makes the folder and what is in it the property of the user without rights.
  func giveAway() throws {
    guard Machine.isRoot else { return }
    for path in [folder.path, folder.path(Self.place)] + names.map({ folder.path(placed($0)) }) {
      #expect(lchown(path, Machine.nobody, Machine.nobody) == 0)
    }
  }
}
