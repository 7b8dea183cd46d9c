import FaultCatalogue
import TestSupport
import Testing

@testable import swoop

/// Options that no other suite is about, each used rightly and wrongly; and every option with a value that is none.
@Suite(.waiting) struct OptionTests {
  private static let time: Int64 = 1_700_000_000

  private static func server(_ headers: HTTPFields = [:]) throws -> Trial {
    try Trial(.ten) { _ in
      .file(.ten) {
        $0.lastModified = HTTPDate.text(secondsSince1970: time)
        $0.headers = headers
      }
    }
  }

  @Test(arguments: [true, false]) func theServersTime(isKept: Bool) throws {
    let trial = try Self.server()
    try trial.expect(trial.run(isKept ? "-q" : "--no-mtime"), exit: 0, .file)
    #expect(try (trial.folder.modificationTime(trial.placed("file.bin")) == Self.time) == isKept)
  }

  @Test(arguments: ["md5", "sha1", "sha256", "sha512"]) func digest(algorithm: String) throws {
    let trial = try Self.server()
    let right = try DigestTests.digest(algorithm, of: .ten)
    try trial.expect(trial.run("--\(algorithm)", right.uppercased()), exit: 0, .file, says: "\(algorithm) verified")
    trial.folder.remove(trial.placed("file.bin"))
    let wrong = String(right.reversed())
    try trial.expect(trial.run("--\(algorithm)", wrong), exit: 5, .part, says: wrong, right)
    let short = try trial.run("--\(algorithm)", String(right.dropLast()))
    #expect(short.termination == .exited(2), "\(short.error)")
  }

  @Test(arguments: [("-A", "User-Agent"), ("-e", "Referer"), ("-b", "Cookie"), ("--user-agent", "User-Agent")])
  func fieldOfTheRequest(option: String, field: String) throws {
    let trial = try Self.server()
    try trial.expect(trial.run(option, "a=one"), exit: 0, .file)
    let values = trial.server.settledLog().entries.map { $0.request.headers[field] }
    #expect(!values.isEmpty && values.allSatisfy { $0 == "a=one" }, "\(values)")
    let wrong = try trial.run(option, "a\r\nX: b")
    #expect(wrong.termination == .exited(2) && wrong.error.count(of: "\n") == 1, "\(wrong.error)")
  }

  @Test func theServersName() throws {
    let trial = try Self.server(["Content-Disposition": "attachment; filename=\"named.bin\""])
    #expect(try trial.run().exitCode == 0)
    #expect(try trial.run("--no-content-disposition").exitCode == 0)
    #expect(trial.names == ["file.bin", "named.bin"])
    #expect(try trial.run("--no-content-disposition=x").termination == .exited(2))
  }

  /// Nobody is behind the proxy's address.
  @Test func hostsWithoutAProxy() throws {
    let trial = try Self.server()
    let proxy = try RefusingPort()
    let options = ["-x", proxy.origin, "--give-up-after", "1"]
    let refused = try trial.command(options + ["--no-proxy", "example.org"]).run()
    try trial.expect(refused, exit: 3, .nothing)
    let excepted = try trial.command(options + ["--no-proxy", "example.org,127.0.0.1"]).run()
    try trial.expect(excepted, exit: 0, .file)
  }

  /// What curl and wget need them for is done anyway.
  @Test(arguments: [["-L"], ["-O"], ["-J"], ["-f"], ["-S"], ["-c"], ["-C", "-"], ["-s"], ["-LJOfSsc"]])
  func habits(words: [String]) throws {
    let trial = try Trial.healthy()
    let result = try trial.command(words).run()
    try trial.expect(result, exit: 0, .file)
    #expect(result.error.isEmpty == words.contains { $0.contains("s") }, "\(result.error)")
    let wrong = try trial.swoop("-C", "100", trial.server.url())
    #expect(wrong.termination == .exited(2), "\(wrong.error)")
  }

  /// The value of one that has none is refused, and so is the lack of one: nothing is asked for.
  @Test(arguments: Flags.all.filter { $0.long != nil }.map { $0.long ?? "" }) func value(name: String)
    throws
  {
    let trial = try Self.server()
    let takesValue = Flags.named(name)?.takesValue ?? false
    let words = takesValue ? [trial.server.url(), "--\(name)"] : ["--\(name)=x", trial.server.url()]
    let result = try trial.swoop(words).run()
    #expect(result.termination == .exited(2), "\(result.error)")
    #expect(result.error.contains("--\(name) ") && result.error.count(of: "\n") == 1, "\(result.error)")
    #expect(trial.server.log.connections == 0 && trial.names.isEmpty)
  }

  /// Each is used somewhere in these suites, rightly and wrongly.
  @Test func everyOptionIsUsed() throws {
    let folder = #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }
    let result = try CommandRunner("grep", ["-rhoE", "\"--?[A-Za-z0-9-]+", folder]).run()
    let used = Set(result.output.split(separator: "\n").map { String($0.dropFirst()) })
    for flag in Flags.all {
      let names = [flag.long.map { "--\($0)" }, flag.short.map { "-\($0)" }].compactMap(\.self)
      let isUsed = names.contains { used.contains($0) } || ["sha1", "sha512"].contains(flag.long)
      #expect(isUsed, "\(flag.name)")
    }
  }
}
