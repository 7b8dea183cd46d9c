import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Two at work on one name, and a name that is taken meanwhile.
@Suite(.waiting) struct LocalFaultsRaceTests {
  @Test(.row("L35")) func l35LetsOneOfTwoRunsHaveTheFile() throws {
    for round in 0..<50 {
      // Some with a server slow enough that both are at work at once, some with one that is quicker than the second.
      var settings = ScriptedServer.Settings()
      if round % 2 == 0 { settings.totalRate = 8_000_000 }
      let trial = try Trial(.million, .file(.million), settings: settings)
      let both = try [trial.command([]).start(), trial.command([]).start()]
      let results = try both.map { try $0.result() }
      let saved = results.filter { $0.exitCode == 0 && $0.error.contains("saved file.bin") }
      #expect(saved.count == 1, "\(results.map(\.error))")
      for other in results where other.exitCode != 0 || !other.error.contains("saved file.bin") {
        let isLate = other.exitCode == 0 && other.error.contains("file.bin is already complete")
        let isLocked = other.exitCode == 9 && other.error.contains("another process is at work")
        #expect(isLate || isLocked, "\(other.exitCode): \(other.error)")
      }
      #expect(trial.names == ["file.bin"], "\(results.map(\.error))")
      #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
    }
  }

  @Test(.row("L37")) func l37RefusesASecondURLForTheSameName() throws {
    let trial = try Trial.stalling()
    let first = try trial.command(["-o", "file.bin"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    for words in [["-o", "file.bin", trial.server.url("/other")], [trial.server.url()], ["resume", "file.bin.part"]] {
      let second = try trial.swoop(words).run()
      #expect(second.exitCode == 9 && second.error.contains("another process is at work"), "\(second.error)")
    }
    trial.heal()
    let result = try first.result()
    try trial.expect(result, exit: 0, .file)
  }

  @Test(.row("L38")) func l38LeavesAFileThatCameMeanwhileAlone() throws {
    let trial = try Trial.healthy()
    try trial.completePart([])
    try trial.folder.write("in the way", to: trial.placed("file.bin"))
    let again = try trial.command([]).run()
    #expect(again.exitCode == 10, "\(again.error)")
    #expect(try trial.folder.text(trial.placed("file.bin")) == "in the way")
    #expect(trial.names == ["file.bin", "file.bin.part", "file.bin.part.json"])
    let requests = trial.server.log.entries.count
    let forced = try trial.command(["--force"]).run()
    try trial.expect(forced, exit: 0, .file)
    #expect(trial.server.log.entries.count == requests)
  }

  @Test(.row("L39"), arguments: [SIGKILL, SIGINT]) func l39KeepsTheOldFileUntilTheNewOneIsThere(signal: Int32) throws {
    let trial = try Trial.stalling()
    try trial.folder.write("the old file", to: trial.placed("file.bin"))
    let command = try trial.command(["--force"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(signal)
    #expect(try command.result().termination == .signalled(signal))
    #expect(try trial.folder.text(trial.placed("file.bin")) == "the old file")
    trial.heal()
    let refused = try trial.command([]).run()
    #expect(refused.exitCode == 10, "\(refused.error)")
    #expect(try trial.folder.text(trial.placed("file.bin")) == "the old file")
    let result = try trial.command(["--force"]).run()
    try trial.expect(result, exit: 0, .file)
  }

  /// What is complete is told from what only looks so.
  @Test func doesNotTakeAnotherFileForACompleteOne() throws {
    let trial = try Trial.healthy()
    try trial.folder.write(.pattern(length: Trial.usualLength, seed: 3), to: trial.placed("file.bin"))
    let same = try trial.swoop("--no-content-disposition", trial.server.url())
    #expect(same.exitCode == 0 && same.error.contains("already complete"), "\(same.error)")
    #expect(same.error.contains("not verified"), "\(same.error)")
    try trial.folder.write("", to: trial.placed("file.bin.aria2"))
    #expect(try trial.command([]).run().exitCode == 10)
    trial.folder.remove(trial.placed("file.bin.aria2"))
    // Older than the server's file.
    let path = trial.folder.path(trial.placed("file.bin"))
    var times = [timespec(tv_sec: 1_600_000_000, tv_nsec: 0), timespec(tv_sec: 1_600_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    #expect(try trial.command([]).run().exitCode == 10)
    try trial.folder.truncate(trial.placed("file.bin"), to: 5)
    #expect(try trial.command([]).run().exitCode == 10)
    #expect(try trial.folder.size(trial.placed("file.bin")) == 5)
  }
}
