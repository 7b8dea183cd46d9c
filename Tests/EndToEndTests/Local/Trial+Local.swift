import Glibc
import TestSupport
import Testing

/// What the tests of this machine's own faults do with a trial.
extension Trial {
  /// 10 MB and 1 byte.
  static let usualLength: Int64 = 10_000_001

  /// A server on which every answer comes to a stop after its first megabyte, until it is healed.
  static func stalling(_ content: Content = .pattern(length: usualLength)) throws -> Trial {
    try Trial(content, .file(content) { $0.stallAfter = 1_000_000 })
  }

  /// Ctrl-S and Ctrl-Q: the terminal takes nothing more, and takes it again.
  static let (stopOutput, goOnWithOutput) = ("\u{13}", "\u{11}")

  /// A healthy server.
  static func healthy(_ content: Content = .pattern(length: usualLength)) throws -> Trial {
    try Trial(content, .file(content))
  }

  /// The words as they are, in the folder where files go.
  func swoop(_ words: [String]) -> CommandRunner {
    var runner = CommandRunner.swoop(words)
    runner.workingDirectory = folder.path(Self.place)
    return runner
  }

  /// Runs these words to their end.
  func swoop(_ words: String...) throws -> CommandResult { try swoop(words).run() }

  /// Starts the command on a stalling server, interrupts it when some megabytes have come, and heals the server. The
  /// manifest that is left is returned. With `settled`, that is waited for as well: what the server has sent need not
  /// have been read yet.
  @discardableResult
  func leavePart(
    _ options: String..., location: SourceLocation = #_sourceLocation,
    until settled: ((StoredManifest) -> Bool)? = nil
  ) throws -> StoredManifest {
    let command = try command(options).start()
    let arrived = server.waitUntil { $0.bodyBytesSent >= 3_500_000 }
    let isSettled = try waitForManifest(timeout: settled == nil ? .seconds(5) : .seconds(20)) { manifest in
      settled?(manifest) ?? (manifest.done >= 3_500_000)
    }
    command.signal(SIGINT)
    let result = try command.result()
    #expect(
      arrived && (isSettled || settled == nil) && result.termination == .signalled(SIGINT), "\(result.error)",
      sourceLocation: location)
    heal()
    try expectInvariants(interrupted: result, location)
    let manifest = try #require(try manifest(), sourceLocation: location)
    #expect(manifest.done > 0, sourceLocation: location)
    return manifest
  }

  /// Waits for a checkpoint whose manifest, that of the trial's part or the one of this name, is as wanted; false where
  /// none was in time.
  func waitForManifest(
    _ name: String? = nil, timeout: Duration = .seconds(20), until isWanted: (StoredManifest) -> Bool
  ) throws -> Bool {
    let deadline = ContinuousClock.now + timeout
    let name = name ?? stored
    while ContinuousClock.now < deadline {
      if folder.contains(name), isWanted(try StoredManifest(folder.bytes(name))) { return true }
      poll(nil, 0, 5)
    }
    return false
  }

  /// As `expectInvariants`, for a run that a signal ended: that is no error, so there is no line of one.
  func expectInvariants(interrupted result: CommandResult, _ location: SourceLocation = #_sourceLocation) throws {
    #expect(!result.error.contains("error"), "\(result.error)", sourceLocation: location)
    #expect(!names.contains(name), sourceLocation: location)
    #expect(Set([name + ".part", name + ".part.json"]).isSuperset(of: names), "\(names)", sourceLocation: location)
    try manifest()?.expectHonest(folder, placed(name + ".part"), content, location)
  }

  /// The bytes of the file that the server was asked for since it had seen `count` requests, HEAD left out.
  func asked(since count: Int = 0) -> [Range<Int64>] {
    server.settledLog().entries.dropFirst(count).map(\.request).filter { $0.method == "GET" }
      .map { $0.askedBytes(of: content.length) ?? $0.firstByte..<content.length }
  }

  /// Runs the command, which must finish the file and ask for nothing that `claimed` says is here.
  func expectResumed(
    _ options: String..., keeping claimed: [StoredManifest.Segment], says words: String = "",
    location: SourceLocation = #_sourceLocation
  ) throws {
    let before = server.settledLog().entries.count
    let result = try command(options).run()
    try expect(result, exit: 0, .file, says: words, location: location)
    for range in asked(since: before) {
      let again = claimed.first { $0.range.overlaps(range) }
      #expect(again == nil, "\(range) was asked for, \(again?.range ?? range) is here", sourceLocation: location)
    }
  }

  /// The path of the part, as the folder takes it.
  var part: String { placed(name + ".part") }
  /// The path of the manifest, as the folder takes it.
  var stored: String { placed(name + ".part.json") }
}

/// What these tests can do on this machine.
enum Machine {
  static let isRoot = geteuid() == 0

  /// The number of the user that has no rights.
  static let nobody: UInt32 = 65534

  /// Whether the built command can be run as somebody without rights.
  static let canBeNobody: Bool = {
    guard isRoot else { return true }
    return (try? withoutRights(.swoop("--version")).run().exitCode) == 0
  }()

  /// Whether `localhost` has an IPv6 address beside the usual one, and a server can listen there.
  static let hasBothLoopbacks: Bool = {
    let addresses = try? CommandRunner("getent", ["ahosts", "localhost"]).run().output
    guard addresses?.contains("::1") == true else { return false }
    var settings = ScriptedServer.Settings()
    settings.usesIPv6 = true
    return (try? ScriptedServer(settings: settings) { _ in .file(.ten) }) != nil
  }()

  /// Whether file systems can be mounted: in a mount namespace of the command's own, so that nobody else sees them.
  static let canMount: Bool = {
    let words = ["-m", "sh", "-c", "mount -t tmpfs -o size=64k tmpfs /mnt"]
    return isRoot && (try? CommandRunner("unshare", words).run().exitCode) == 0
  }()

  /// Whether networks can be made that are nobody else's.
  static let canMakeNetworks: Bool = canMount && (try? NetworkNamespace()) != nil

  /// The command as a user without rights runs it.
  static func withoutRights(_ runner: CommandRunner) -> CommandRunner {
    guard isRoot else { return runner }
    var changed = runner
    changed.executable = "setpriv"
    changed.arguments =
      ["--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", runner.executable] + runner.arguments
    return changed
  }

  /// The command after some lines of shell, as in `umask 077`; it takes the shell's place.
  static func shell(_ lines: String, _ runner: CommandRunner) -> CommandRunner {
    var changed = runner
    changed.executable = "/bin/sh"
    changed.arguments = ["-c", "\(lines)\nexec \"$0\" \"$@\"", runner.executable] + runner.arguments
    return changed
  }
}

extension String {
  /// How often a text is in this one.
  func count(of text: String) -> Int { split(separator: text, omittingEmptySubsequences: false).count - 1 }
}
