import Glibc
import TestSupport
import Testing

/// A folder with a file that is not served by HTTP, and a folder that it is fetched into.
struct SourcePlace {
  /// What is served: `file.bin`, and whatever a test puts beside it.
  let served: TemporaryFolder
  let work: TemporaryFolder
  let content: Content

  /// `isShifted`: its date is years ago, so that a changed file has another one.
  init(_ content: Content = .ten) throws {
    served = try TemporaryFolder()
    work = try TemporaryFolder()
    self.content = content
    try put(content, as: "file.bin", date: "2020-01-01 00:00:01")
  }

  /// Serves a file, last changed at a date of Coordinated Universal Time.
  func put(_ content: Content, as name: String, date: String) throws {
    try served.write(content, to: name)
    let result = try CommandRunner("touch", ["-d", date + " UTC", served.path(name)]).run()
    #expect(result.exitCode == 0, "\(result.error)")
  }

  /// The `file://` URL of a name in the served folder.
  func fileURL(_ name: String = "file.bin") -> String { "file://\(served.path)/\(name)" }

  func command(_ options: [String], _ url: String) -> CommandRunner {
    .swoop(["--stall-timeout", "5", "--give-up-after", "6"] + options + [url], in: work)
  }

  func run(_ options: String..., url: String) throws -> CommandResult { try command(options, url).run() }

  /// The manifest of `file.bin`'s part; nil where there is none.
  func manifest() throws -> StoredManifest? {
    work.contains("file.bin.part.json") ? try StoredManifest(work.bytes("file.bin.part.json")) : nil
  }

  /// Starts a download, and kills it when some of the file is in the manifest.
  func interrupt(_ options: [String], _ url: String, location: SourceLocation = #_sourceLocation) throws {
    let command = try command(options, url).start()
    let deadline = ContinuousClock.now + .seconds(20)
    var isBegun = false
    while !isBegun, ContinuousClock.now < deadline, command.isRunning {
      isBegun = (try? manifest())?.map { !$0.segments.isEmpty } ?? false
      poll(nil, 0, 5)
    }
    command.signal(SIGKILL)
    let result = try command.result()
    #expect(isBegun && result.termination == .signalled(SIGKILL), "\(result.error)", sourceLocation: location)
  }

  /// Checks the exit code, the words, that no secret was shown, and which names are here.
  func expect(
    _ result: CommandResult, exit code: Int32, leaving names: [String] = [], says words: String...,
    location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(result.exitCode == code, "\(result.error)", sourceLocation: location)
    for text in words { #expect(result.error.contains(text), "\(result.error)", sourceLocation: location) }
    #expect(try work.names() == names, sourceLocation: location)
    Trial.expectPlain(result, location)
  }

  /// The run was right, and the file is here, with the source's date.
  func expectFile(
    _ result: CommandResult, of version: Content? = nil, says words: String = "",
    location: SourceLocation = #_sourceLocation
  ) throws {
    try expect(result, exit: 0, leaving: ["file.bin"], says: words, location: location)
    guard work.contains("file.bin") else { return }
    #expect(try work.holds(version ?? content, in: "file.bin"), sourceLocation: location)
  }
}
