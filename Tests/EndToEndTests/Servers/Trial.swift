import Glibc
import TestSupport
import Testing

/// One server, one folder, and runs of the built command against them.
///
/// The server does its worst until `heal()`; the same command must then always succeed.
final class Trial: Sendable {
  let server: ScriptedServer
  /// What the server serves in the end.
  let content: Content
  /// The name that the finished file has.
  let name: String
  /// What is asked for.
  let path: String
  let folder: TemporaryFolder
  private let healed: Monitor<Bool>

  /// Where files are to go, in `folder`; nothing may appear beside it.
  static let place = "place"
  /// Texts that may be seen nowhere but in requests to their own origin.
  static let secret = "S3CR3T"

  init(
    _ content: Content, settings: ScriptedServer.Settings = .init(), path: String = "/file.bin",
    name: String = "file.bin", script: @escaping ScriptedServer.Script
  ) throws {
    self.content = content
    self.name = name
    self.path = path
    folder = try TemporaryFolder()
    try folder.makeFolder(Self.place)
    let healed = Monitor(false)
    self.healed = healed
    server = try ScriptedServer(settings: settings) { request in
      healed.read { $0 } ? .file(content) : script(request)
    }
  }

  /// A server that gives every request the same reply.
  convenience init(_ content: Content, _ reply: Reply, settings: ScriptedServer.Settings = .init()) throws {
    try self.init(content, settings: settings) { _ in reply }
  }

  /// From now on the server is healthy.
  func heal() { healed.change { $0 = true } }

  /// The command as these tests run it: over 4 connections, and not patient.
  func command(_ options: [String], url: String? = nil) -> CommandRunner {
    let patience = ["--stall-timeout", "2", "--give-up-after", "4"]
    var runner = CommandRunner.swoop(["-n", "4"] + patience + options + [url ?? server.url(path)])
    runner.workingDirectory = folder.path(Self.place)
    return runner
  }

  /// Runs the command to its end.
  func run(_ options: String..., url: String? = nil, timeout: Duration = .seconds(60)) throws -> CommandResult {
    let result = try command(options, url: url).run(timeout: timeout)
    _ = server.settledLog()
    return result
  }

  /// The names where files are to go.
  var names: [String] { (try? folder.names(in: Self.place)) ?? [] }

  /// The path of a name in the folder where files are to go, as `folder` takes it.
  func placed(_ name: String) -> String { "\(Self.place)/\(name)" }

  /// The manifest of the part; nil where there is none.
  func manifest() throws -> StoredManifest? {
    let name = placed(name + ".part.json")
    return folder.contains(name) ? try StoredManifest(folder.bytes(name)) : nil
  }
}

/// What a run is to leave behind.
enum Leavings {
  /// The finished file.
  case file
  /// The part and its manifest.
  case part
  /// Nothing of ours.
  case nothing
  /// As far as anything came, the part and its manifest.
  case partOrNothing
}

extension Trial {
  /// Checks a run's exit code, its files, its words, and all that holds after every run. `version`: what the server has
  /// served, where that is not yet what it serves in the end.
  func expect(
    _ result: CommandResult, exit code: Int32, _ leavings: Leavings, of version: Content? = nil, says words: String...,
    location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(result.exitCode == code, "\(result.error)", sourceLocation: location)
    for text in words {
      #expect(result.error.contains(text), "\(result.error)", sourceLocation: location)
    }
    try expect(leavings, location)
    try expectInvariants(result, of: version, location)
  }

  private func expect(_ leavings: Leavings, _ location: SourceLocation) throws {
    let part = [name + ".part", name + ".part.json"]
    switch leavings {
    case .file: #expect(names == [name], sourceLocation: location)
    case .part: #expect(names == part, sourceLocation: location)
    case .nothing: #expect(names.isEmpty, "\(names)", sourceLocation: location)
    case .partOrNothing: #expect(names.isEmpty || names == part, "\(names)", sourceLocation: location)
    }
  }

  /// What holds after every run, whatever the server did.
  func expectInvariants(
    _ result: CommandResult, of version: Content? = nil, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let content = version ?? content
    // I1, I2
    let isThere = names.contains(name)
    #expect((result.exitCode == 0) == isThere, "\(result.error)", sourceLocation: location)
    if isThere {
      let difference = try folder.firstDifference(of: placed(name), from: content)
      #expect(difference == nil, "the file differs at \(difference ?? 0)", sourceLocation: location)
    }
    // I3
    let part = placed(name + ".part")
    try manifest()?.expectHonest(folder, folder.contains(part) ? part : placed(name), content, location)
    // I4
    let ours: Set = [name, name + ".part", name + ".part.json"]
    #expect(ours.isSuperset(of: names), "\(names)", sourceLocation: location)
    #expect(try folder.names() == [Self.place], sourceLocation: location)
    // I5
    Self.expectPlain(result, location)
    if names.contains(name + ".part.json") {
      #expect(try !folder.text(placed(name + ".part.json")).contains(Self.secret), sourceLocation: location)
    }
    // I6
    let isSmall = Sanitizer.isOn || result.peakMemory < Self.mostMemory
    #expect(isSmall, "\(result.peakMemory) KiB", sourceLocation: location)
    expectProperRequests(location)
  }

  /// 48 MiB in KiB; or what the tests themselves have, because that counts as their children's as well (getrusage(2):
  /// the peak is older than the exec).
  private static var mostMemory: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return max(48 << 10, Int(usage.ru_maxrss) + 1)
  }

  /// Lines of text, one of them an error where the run failed, and nothing that moves a cursor or is a secret.
  static func expectPlain(_ result: CommandResult, _ location: SourceLocation) {
    let isPlain = (result.errorBytes + result.outputBytes).allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) }
    #expect(isPlain, "\(result.errorBytes)", sourceLocation: location)
    for scalar in (result.error + result.output).unicodeScalars where (0x80...0x9F).contains(scalar.value) {
      Issue.record("a C1 control: \(result.error)", sourceLocation: location)
    }
    #expect(!(result.error + result.output).contains(secret), "\(result.error)", sourceLocation: location)
    let errors = result.error.split(separator: "\n").filter { $0.hasPrefix("swoop: error: ") }
    #expect(errors.count == (result.exitCode == 0 ? 0 : 1), "\(result.error)", sourceLocation: location)
  }

  private func expectProperRequests(_ location: SourceLocation) {
    for request in server.log.entries.map(\.request) where request.method != "CONNECT" {
      #expect(request.headers["Accept-Encoding"] == "identity", sourceLocation: location)
      #expect(request.headers["If-Range"]?.hasPrefix("W/") != true, sourceLocation: location)
      #expect(request.range == nil || request.method == "GET", sourceLocation: location)
    }
  }

  /// I7: the same command against the server, healthy now, succeeds; where something was kept, it is not asked for
  /// again.
  func expectCleanRerun(
    _ options: String..., url: String? = nil, location: SourceLocation = #_sourceLocation
  ) throws {
    heal()
    let kept = try manifest()?.segments ?? []
    let before = server.settledLog().entries.count
    let result = try command(options, url: url).run()
    try expect(result, exit: 0, .file, location: location)
    for request in server.settledLog().entries.dropFirst(before).map(\.request) {
      guard let asked = request.askedBytes(of: content.length) else { continue }
      let again = kept.contains { $0.range.overlaps(asked) }
      #expect(!again, "\(request.range ?? "") was here already", sourceLocation: location)
    }
  }
}

extension Request {
  /// The bytes of a file that a GET asks for; nil where there are none, or where the end is left open.
  func askedBytes(of length: Int64) -> Range<Int64>? {
    guard method == "GET", let range, let last = Int64(range.drop { $0 != "-" }.dropFirst()), last < length,
      last >= firstByte
    else { return nil }
    return firstByte..<last + 1
  }
}
