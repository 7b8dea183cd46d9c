import Glibc
import TestSupport
import Testing

/// Small files, a server that serves them, and a folder that they go to.
final class Shelf: Sendable {
  let place: TemporaryFolder
  let server: ScriptedServer

  /// The content of `/f7.bin` is that of number 7; of every other path the script decides.
  init(
    settings: ScriptedServer.Settings = .init(), script: @escaping @Sendable (Request) -> Reply? = { _ in nil }
  ) throws {
    place = try TemporaryFolder()
    server = try ScriptedServer(settings: settings) { request in
      if let reply = script(request) { return reply }
      guard let number = Self.number(of: request.path) else { return .status(404) }
      return .file(Self.content(number))
    }
  }

  static func content(_ number: Int) -> Content {
    .pattern(length: 1000 + Int64(number) * 37, seed: UInt64(number) + 1)
  }

  private static func number(of path: String) -> Int? {
    guard path.hasPrefix("/f"), path.hasSuffix(".bin") else { return nil }
    return Int(path.dropFirst(2).dropLast(4))
  }

  /// The URLs of so many files, one a line.
  func list(_ numbers: some Sequence<Int>) -> String {
    numbers.map { server.url("/f\($0).bin") + "\n" }.joined()
  }

  /// Runs with a list on standard input.
  func run(_ list: String, _ options: String...) throws -> CommandResult {
    try command(Array(list.utf8), options).run()
  }

  func command(_ list: [UInt8], _ options: [String]) -> CommandRunner {
    var runner = CommandRunner.swoop(["-i", "-", "--give-up-after", "4"] + options, in: place)
    runner.input = .bytes(list)
    return runner
  }

  func holds(_ number: Int, in name: String) throws -> Bool {
    let content = Self.content(number)
    return try place.contains(name) && place.bytes(name) == content.bytes(in: 0..<content.length)
  }
}
