import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Folders and names that cannot be, or must not be, written to.
@Suite(.waiting) struct LocalFaultsFolderTests {
  private func expectRefused(_ trial: Trial, _ runner: CommandRunner, says words: String) throws {
    let names = trial.names
    let result = try runner.run()
    #expect(result.exitCode == 7 && result.error.contains(words), "\(result.error)")
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
    #expect(trial.names == names)
    #expect(trial.server.log.entries.isEmpty, "the server was asked")
  }

  @Test(.row("L01")) func l01RefusesAFolderThatIsNone() throws {
    let trial = try Trial.healthy()
    try trial.folder.write("a file", to: trial.placed("file"))
    try expectRefused(trial, trial.command(["-d", "file"]), says: "file")
    try expectRefused(trial, trial.command(["-d", "file/below"]), says: "file")
    try expectRefused(trial, trial.command(["-o", "file/below/name"]), says: "file")
    try expectRefused(trial, trial.command(["-d", "/proc/self"]), says: "/proc/self")
  }

  @Test(.row("L01"), .enabled(if: Machine.canBeNobody, "the command cannot be run as nobody"))
  func l01RefusesAFolderWithoutPermission() throws {
    let trial = try Trial.healthy()
    try trial.folder.makeFolder(trial.placed("below"))
    try trial.giveAway()
    for mode: UInt32 in [0o555, 0o666, 0o000] {
      try trial.folder.setMode(mode, of: trial.placed("below"))
      for options in [["-d", "below"], ["-d", "below/new"], ["-o", "below/name"]] {
        try expectRefused(trial, Machine.withoutRights(trial.command(options)), says: "permission denied")
      }
    }
  }

  @Test(.row("L01"), .enabled(if: Machine.canMount, "no file system can be mounted here"))
  func l01RefusesAReadOnlyFileSystem() throws {
    let trial = try Trial.healthy()
    try trial.folder.makeFolder(trial.placed("below"))
    let runner = Machine.mounted("below", options: "ro,size=64m", trial.command(["-d", "below"]))
    try expectRefused(trial, runner, says: "read-only file system")
  }

  @Test(.row("L01")) func makesFoldersThatAreMissing() throws {
    let trial = try Trial.healthy()
    let result = try trial.command(["-d", "a/b", "-o", "c/d"]).run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try trial.folder.holds(trial.content, in: trial.placed("a/b/c/d")))
  }

  @Test(.row("L40")) func l40PutsTheFileIntoAFolder() throws {
    let trial = try Trial.healthy()
    try trial.folder.makeFolder(trial.placed("below"))
    let result = try trial.command(["-o", "below"]).run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try trial.folder.names(in: trial.placed("below")) == ["file.bin"])
  }

  @Test(.row("L40")) func l40LeavesAFolderOfTheFilesNameAlone() throws {
    let trial = try Trial.healthy()
    try trial.folder.makeFolder(trial.placed("file.bin"))
    for options in [[], ["--force"], ["--md5", String(repeating: "0", count: 32)]] {
      let result = try trial.command(options).run()
      #expect(result.exitCode == 10, "\(result.error)")
      #expect(trial.names == ["file.bin"])
    }
  }

  @Test(.row("L40")) func l40ReplacesALinkOnlyByForceAndNeverItsTarget() throws {
    let trial = try Trial.healthy()
    try trial.folder.write("of somebody else", to: "victim")
    try trial.folder.link(trial.placed("file.bin"), to: trial.folder.path("victim"))
    let refused = try trial.command([]).run()
    #expect(refused.exitCode == 10, "\(refused.error)")
    #expect(trial.names == ["file.bin"])
    let replaced = try trial.command(["--force"]).run()
    #expect(replaced.exitCode == 0, "\(replaced.error)")
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")))
    #expect(try trial.folder.text("victim") == "of somebody else")
  }

  @Test(.row("L43"), arguments: [("077", UInt32(0o600)), ("000", 0o666), ("027", 0o640), ("022", 0o644)])
  func l43GivesTheModeThatTheUmaskLeaves(mask: String, mode: UInt32) throws {
    let trial = try Trial.stalling()
    let command = try Machine.shell("umask \(mask)", trial.command([])).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    #expect(try trial.folder.mode(trial.part) == 0o600)
    #expect(try trial.folder.mode(trial.stored) == 0o600)
    command.signal(SIGTERM)
    #expect(try command.result().termination == .signalled(SIGTERM))
    #expect(try trial.folder.mode(trial.stored) == 0o600)
    trial.heal()
    let result = try Machine.shell("umask \(mask)", trial.command([])).run()
    try trial.expect(result, exit: 0, .file)
    #expect(try trial.folder.mode(trial.placed("file.bin")) == mode)
  }

  @Test(.row("L45")) func l45RefusesWordsThatAreNotUTF8() throws {
    let trial = try Trial.healthy()
    var runner = trial.command([])
    runner.executable = "/bin/sh"
    runner.arguments = ["-c", #"exec "$0" -o "$(printf 'a\377b')" "$1""#, BuiltProducts.swoop, trial.server.url()]
    let result = try runner.run()
    #expect(result.exitCode == 2 && result.error.contains("not valid UTF-8"), "\(result.error)")
    #expect(trial.names.isEmpty && trial.server.log.entries.isEmpty)
  }

  /// The folder that one is in may have any name.
  @Test(.row("L45")) func l45WorksInAFolderWhoseNameIsNotUTF8() throws {
    let trial = try Trial.healthy()
    // Names that are no text are removed by who does not take them for text.
    defer { _ = try? CommandRunner("rm", ["-rf", trial.folder.path(Trial.place)]).run() }
    let lines = "mkdir \"$(printf 'a\\377b')\" && cd \"$(printf 'a\\377b')\""
    let first = try Machine.shell(lines, trial.command([])).run()
    #expect(first.exitCode == 0, "\(first.error)")
    Trial.expectPlain(first, #_sourceLocation)
    var look = Machine.shell("cd a*b && ls", CommandRunner("md5sum", ["file.bin"]))
    look.workingDirectory = trial.folder.path(Trial.place)
    let digest = try DigestTests.digest("md5", of: trial.content)
    #expect(try look.run().output == "file.bin\n\(digest)  file.bin\n")
  }

  /// The longest path that can be named at all (PATH_MAX with its end).
  @Test(.row("L45")) func l45WorksInAFolderOfTheLongestPath() throws {
    let trial = try Trial.healthy(.text("short"))
    defer { _ = try? CommandRunner("rm", ["-rf", trial.folder.path(Trial.place)]).run() }
    let deep =
      String(repeating: String(repeating: "d", count: 200) + "/", count: 20) + String(repeating: "e", count: 75)
    #expect(deep.utf8.count == 4095)
    let digest = try DigestTests.digest("sha256", of: trial.content)
    for words in ["saved", "already complete"] {
      let result = try trial.command(["-d", deep, "--sha256", digest]).run()
      #expect(result.exitCode == 0 && result.error.contains(words), "\(result.error)")
    }
    let requests = trial.server.log.entries.count
    let longer = try trial.command(["-d", deep + "e"]).run()
    #expect(longer.exitCode == 7 && longer.error.contains("name too long"), "\(longer.error)")
    #expect(trial.server.log.entries.count == requests, "the server was asked")
  }

  @Test(.row("L45")) func l45RefusesNamesThatAreTooLong() throws {
    let trial = try Trial.healthy(.text("short"))
    let longest = String(repeating: "n", count: 241)
    let result = try trial.command(["-o", longest]).run()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(trial.names == [longest])
    let requests = trial.server.log.entries.count
    for name in [longest + "n", String(repeating: "n", count: 255), String(repeating: "n", count: 300)] {
      let result = try trial.command(["-o", name]).run()
      #expect(result.exitCode == 2 && result.error.contains("241 bytes"), "\(result.error)")
    }
    let deep = String(repeating: "d/", count: 2047) + "d"
    let refused = try trial.command(["-d", deep + "/" + longest]).run()
    #expect(refused.exitCode == 7 && refused.error.contains("name too long"), "\(refused.error)")
    #expect(trial.server.log.entries.count == requests)
  }

  @Test(.row("L01")) func writesWhereTheWorkingFolderWasRemoved() throws {
    let trial = try Trial.healthy()
    try trial.folder.makeFolder(trial.placed("gone"))
    var runner = Machine.shell("rmdir ../gone", trial.command([]))
    runner.workingDirectory = trial.folder.path(trial.placed("gone"))
    let result = try runner.run()
    #expect(result.exitCode == 7, "\(result.error)")
    #expect(trial.names.isEmpty)
  }
}

extension Machine {
  /// The command in a mount namespace of its own, in which a folder, seen from its working directory, is a new tmpfs.
  static func mounted(_ folder: String, options: String, _ runner: CommandRunner) -> CommandRunner {
    var changed = shell("mount -t tmpfs -o \(options) tmpfs \(folder)", runner)
    changed.arguments = ["-m", changed.executable] + changed.arguments
    changed.executable = "unshare"
    return changed
  }
}
