import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// FTP servers that do their worst.
@Suite(.waiting) struct FTPFaultTests {
  private func fetch(
    _ options: [String] = ["-n", "4"], _ script: @escaping ScriptedFTPServer.Script
  ) throws -> (SourcePlace, CommandResult, [String]) {
    let place = try SourcePlace()
    let server = try ScriptedFTPServer(.ten, script: script)
    let result = try place.command(options, server.url()).run()
    return (place, result, server.commands)
  }

  @Test func aGoodOne() throws {
    let (place, result, commands) = try fetch { _, _ in .good }
    try place.expectFile(result)
    #expect(commands.contains { $0.hasPrefix("REST ") } && !commands.contains { $0.hasPrefix("ABOR") })
    #expect(commands.contains("USER anonymous"))
  }

  /// Data connections end early, again and again: each goes on where it was.
  @Test func cutsInTheMiddle() throws {
    let count = Monitor(0)
    let (place, result, _) = try fetch { command, _ in
      guard command.hasPrefix("RETR") else { return .good }
      let number = count.change { count in
        count += 1
        return count
      }
      return number <= 6 ? .cut(after: 700_000) : .good
    }
    try place.expectFile(result)
    #expect(result.error.contains("trying again"), "\(result.error)")
  }

  /// Fewer connections than were asked for, told by one reply or the other.
  @Test(arguments: ["421 too many", "530 too many users"]) func oneConnectionTooMany(words: String) throws {
    let count = Monitor(0)
    let (place, result, _) = try fetch { command, _ in
      guard command.hasPrefix("USER") else { return .good }
      let number = count.change { count in
        count += 1
        return count
      }
      return number == 2 || number == 3 ? .reply(words) : .good
    }
    try place.expectFile(result)
  }

  @Test(arguments: ["421 closed for today", "450 busy"]) func busyForEver(words: String) throws {
    let (place, result, commands) = try fetch(["--give-up-after", "2"]) { command, _ in
      command.hasPrefix("RETR") ? .reply(words) : .good
    }
    // Its time may be up while it waits, or while it connects.
    #expect(result.exitCode == 4 || result.exitCode == 3)
    try place.expect(result, exit: result.exitCode, says: "the server answered \(words.prefix(3))")
    #expect(commands.count { $0.hasPrefix("RETR") } > 1)
  }

  /// No SIZE: one connection, and nobody says where the file ends but the server's last word.
  @Test func withoutSize() throws {
    let (place, result, commands) = try fetch { command, _ in
      command.hasPrefix("SIZE") ? .reply("502 no") : .good
    }
    try place.expectFile(result, says: "length unverified")
    #expect(commands.count { $0.hasPrefix("RETR") } == 1 && !commands.contains { $0.hasPrefix("REST") })
  }

  /// Where it was cut, it cannot be gone on with: it begins again.
  @Test func withoutSizeAndCut() throws {
    let (place, result, _) = try fetch { command, number in
      if command.hasPrefix("SIZE") { return .reply("502 no") }
      return command.hasPrefix("RETR") && number == 0 ? .cut(after: 3_000_000) : .good
    }
    try place.expectFile(result, says: "beginning again")
  }

  @Test(arguments: ["502 no REST", "501 no such parameter"]) func withoutREST(words: String) throws {
    let (place, result, _) = try fetch { command, _ in command.hasPrefix("REST") ? .reply(words) : .good }
    try place.expectFile(result, says: "over one connection")
  }

  /// Neither SIZE nor MDTM nor REST.
  @Test func knowsNothing() throws {
    let (place, result, _) = try fetch { command, _ in
      ["SIZE", "MDTM", "REST"].contains { command.hasPrefix($0) } ? .reply("500 what?") : .good
    }
    try place.expectFile(result, says: "length unverified")
  }

  /// What is here is compared with a sample where nothing but the length tells the version.
  @Test func resumedWithoutDate() throws {
    let place = try SourcePlace()
    let server = try ScriptedFTPServer(.ten) { command, _ in command.hasPrefix("MDTM") ? .reply("500 what?") : .good }
    let options = ["-n", "1", "--limit-rate", "2M"]
    try place.interrupt(options, server.url())
    try place.expectFile(place.run("-n", "2", url: server.url()), says: "identity unverified")
  }

  /// It says yes to REST and sends the file from its beginning: more comes than there is behind the offset.
  @Test func liesAboutREST() throws {
    let (place, result, _) = try fetch { command, _ in command.hasPrefix("RETR") ? .fromTheStart : .good }
    try place.expectFile(result, says: "does not begin where it is told to")
  }

  /// What a reader has cannot be taken back: nothing is fetched that depends on where the server begins.
  @Test(arguments: ["64k", "1M", "64M"]) func liesAboutRESTToAReader(window: String) throws {
    let (place, result, commands) = try fetch(["-n", "4", "-o", "-", "--window", window]) { command, _ in
      command.hasPrefix("RETR") ? .fromTheStart : .good
    }
    #expect(result.exitCode == 0 && commands.count { $0.hasPrefix("RETR") } == 1, "\(result.error)")
    let isRight = try result.outputBytes == place.content.bytes(in: 0..<place.content.length)
    #expect(isRight)
  }

  /// It lies after a cut: it is asked for all of it again, and what was sent is not sent twice.
  @Test func liesAboutRESTAfterACut() throws {
    let (place, result, _) = try fetch(["-o", "-", "--window", "1M"]) { command, number in
      guard command.hasPrefix("RETR") else { return .good }
      return number == 0 ? .cut(after: 3_000_000) : .fromTheStart
    }
    let whole = try place.content.bytes(in: 0..<place.content.length)
    let isRight = result.outputBytes == whole
    #expect(result.exitCode == 0 && isRight, "\(result.error)")
  }

  /// It begins too late: the file's end comes too early, and no byte that came by an offset is believed.
  @Test func beginsTooLate() throws {
    let (place, result, _) = try fetch { command, _ in command.hasPrefix("RETR") ? .tooLate(10) : .good }
    try place.expectFile(result, says: "does not begin where it is told to")
  }

  @Test(arguments: ["213 99999999999999999999999999", "213 -5", "213 ", "213 many"])
  func aSizeThatIsNone(reply: String) throws {
    let (place, result, _) = try fetch { command, _ in command.hasPrefix("SIZE") ? .reply(reply) : .good }
    try place.expect(result, exit: 4, says: "no number")
  }

  /// The data are here, and nobody waits for the last word.
  @Test(arguments: ["1", "4"]) func withoutLastWord(connections: String) throws {
    let (place, result, _) = try fetch(["-n", connections]) { command, _ in
      command.hasPrefix("RETR") ? .withoutLastWord : .good
    }
    try place.expectFile(result)
    #expect(result.elapsed < .seconds(5), "\(result.elapsed)")
  }

  /// A connection that says nothing is replaced, and a signal ends the run at once.
  @Test func silence() throws {
    let place = try SourcePlace()
    let server = try ScriptedFTPServer(.ten) { command, _ in command.hasPrefix("RETR") ? .silence : .good }
    let command = try place.command([], server.url()).start()
    #expect(server.wait { $0.contains { $0.hasPrefix("RETR") } })
    command.signal(SIGINT)
    let result = try command.result(timeout: .seconds(5))
    #expect(result.termination == .signalled(SIGINT))
    #expect(try place.work.names().isEmpty)
  }

  @Test(arguments: ["USER", "SIZE", "RETR"]) func hangsUp(verb: String) throws {
    let (place, result, _) = try fetch { command, number in
      command.hasPrefix(verb) && number == 0 ? .hangUp : .good
    }
    try place.expectFile(result)
  }

  /// A greeting without end, and one that moves cursors.
  @Test func hostileWords() throws {
    let flood = String(repeating: "220-\(String(repeating: "x", count: 900))\r\n", count: 100) + "220 hello"
    let (place, result, _) = try fetch { command, _ in command.isEmpty ? .reply(flood) : .good }
    try place.expect(result, exit: 4, says: "too large")
    let (other, shown, _) = try fetch(["-v"]) { command, _ in
      command.hasPrefix("RETR") ? .reply("550 \u{1B}[2J\u{9B}2J") : .good
    }
    try other.expect(shown, exit: 4, says: "the server answered 550")
  }

  /// Another server's address in its answer is not gone to.
  @Test func anotherAddressForTheData() throws {
    let (place, result, _) = try fetch(["--give-up-after", "1"]) { command, _ in
      switch command {
      case "EPSV": .reply("500 what?")
      case "PASV": .reply("227 there (192,0,2,1,0,9)")
      default: .good
      }
    }
    #expect(result.exitCode == 3, "\(result.error)")
    #expect(!result.error.contains("192.0.2.1"), "\(result.error)")
    #expect(try place.work.names().isEmpty)
  }

  /// What changes between two answers is not mixed.
  @Test func theVersionChanges() throws {
    let count = Monitor(0)
    let (place, result, _) = try fetch { command, _ in
      guard command.hasPrefix("MDTM") else { return .good }
      let number = count.change { count in
        count += 1
        return count
      }
      return .reply("213 2020010100000\(number <= 2 ? 1 : 2)")
    }
    try place.expectFile(result)
    #expect(try place.work.modificationTime("file.bin") == 1_577_836_802)
  }
}
