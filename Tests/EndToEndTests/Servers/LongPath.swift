import TestSupport
import Testing

/// A trial whose server is far away: no connection is made before all ranges have been guessed that may be.
final class LongPath: Sendable {
  let trial: Trial
  private let connections: Int
  private let gate = RelayGate()
  private let relay: TCPRelay

  /// How many ranges are guessed: HEAD and the first GET have a connection each.
  var guesses: Int { min(14, connections - 2) }

  /// The first GET is answered by `script` when the server has seen all guesses; `answersAtOnce`: when it comes.
  init(
    _ content: Content, connections: Int = 16, settings: ScriptedServer.Settings = .init(), answersAtOnce: Bool = false,
    script: @escaping ScriptedServer.Script
  ) throws {
    let count = Monitor(0)
    let guesses = min(14, connections - 2)
    self.connections = connections
    trial = try Trial(content, settings: settings) { request in
      if request.range == "bytes=0-" {
        if !answersAtOnce { _ = count.wait(timeout: .seconds(10)) { $0 >= guesses } }
      } else if request.method == "GET" {
        count.change { $0 += 1 }
      }
      return script(request)
    }
    relay = try TCPRelay(to: trial.server.port, through: gate) { _ in .init(after: nil) }
  }

  deinit { gate.open() }

  /// The command, which has guessed all that it may, and has no connection yet.
  func begin(_ options: [String] = [], in folder: String? = nil, at location: SourceLocation = #_sourceLocation) throws
    -> RunningCommand
  {
    let proxy = "socks5h://127.0.0.1:\(relay.port)"
    var runner = trial.command(["-v", "-n", "\(connections)", "-x", proxy] + options)
    runner.workingDirectory = folder ?? runner.workingDirectory
    let running = try runner.start()
    let hasGuessed = running.waitForOutput(containing: " #\(guesses) > GET")
    #expect(hasGuessed, "\(running.error)", sourceLocation: location)
    return running
  }

  /// The same, with its connections made: those of HEAD and the first GET before the others, as they were asked for.
  func start(_ options: [String] = [], in folder: String? = nil, at location: SourceLocation = #_sourceLocation) throws
    -> RunningCommand
  {
    let running = try begin(options, in: folder, at: location)
    gate.open(2)
    let isAsked = trial.server.waitUntil { $0.ranges.contains("bytes=0-") }
    #expect(isAsked, "\(running.error)", sourceLocation: location)
    gate.open()
    return running
  }

  /// The same, to the command's end.
  func run(_ options: [String] = [], at location: SourceLocation = #_sourceLocation) throws -> CommandResult {
    let result = try start(options, at: location).result()
    _ = trial.server.settledLog()
    expectNoMore(than: connections, result, at: location)
    return result
  }

  /// So many requests, and no more, were under way before anything was answered.
  func expectNoMore(than count: Int, _ result: CommandResult, at location: SourceLocation = #_sourceLocation) {
    let lines = result.error.split(separator: "\n").prefix { !$0.contains(" < ") }
    let asked = lines.count { $0.contains(" > HEAD") || $0.contains(" > GET") }
    #expect(asked == count, "\(result.error)", sourceLocation: location)
  }
}
