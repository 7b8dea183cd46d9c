import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Small files of a list: one request each, and yet every promise.
@Suite(.waiting) struct SmallFileTests {
  /// Run again, it asks once for each file and fetches what is missing.
  @Test func runAgainItFetchesWhatIsMissing() throws {
    let shelf = try Shelf()
    #expect(try shelf.run(shelf.list(0..<20), "-q").exitCode == 0)
    shelf.place.remove("f3.bin")
    try shelf.place.write("half of it", to: "f4.bin.part", mode: 0o600)
    shelf.place.remove("f4.bin")
    let before = shelf.server.settledLog().entries.count
    let result = try shelf.run(shelf.list(0..<20))
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(result.error.contains("2 of 20 files saved (") && result.error.contains(", 18 already complete\n"))
    #expect(result.error.contains("f4.bin.part has no manifest: beginning again"), "\(result.error)")
    #expect(try shelf.holds(3, in: "f3.bin") && shelf.holds(4, in: "f4.bin") && shelf.place.names().count == 20)
    let entries = shelf.server.settledLog().entries.dropFirst(before)
    #expect(entries.count == 20 && entries.count { $0.request.method == "HEAD" } == 18)
    #expect(entries.filter { $0.request.method == "GET" }.map(\.request.path).sorted() == ["/f3.bin", "/f4.bin"])
  }

  /// What a killed run has left of many is one line.
  @Test func manyPartsThatAreLeftAreOneWarning() throws {
    let shelf = try Shelf()
    for index in 0..<30 { try shelf.place.write("half of it", to: "f\(index).bin.part", mode: 0o600) }
    let result = try shelf.run(shelf.list(0..<30))
    #expect(result.exitCode == 0, "\(result.error)")
    let lines = result.error.split(separator: "\n").filter { $0.contains("no manifest: beginning again") }
    #expect(!lines.isEmpty && lines.count <= 5 && lines.contains { $0.contains(" more have no manifest") }, "\(lines)")
    #expect(try (0..<30).allSatisfy { try shelf.holds($0, in: "f\($0).bin") } && shelf.place.names().count == 30)
  }

  /// With a digest the network is not asked.
  @Test func aFileWithItsDigestTakesNoRequest() throws {
    let shelf = try Shelf()
    let md5 = try DigestTests.digest("md5", of: Shelf.content(5))
    let list = shelf.list([5]) + "  md5=\(md5)\n" + shelf.list([6])
    #expect(try shelf.run(list).exitCode == 0)
    let before = shelf.server.settledLog().entries.count
    let result = try shelf.run(list)
    #expect(result.exitCode == 0 && result.error.contains("f5.bin is already complete"), "\(result.error)")
    #expect(result.error.contains("md5 verified"), "\(result.error)")
    #expect(shelf.server.settledLog().entries.dropFirst(before).map(\.request.path) == ["/f6.bin"])
  }

  /// What is here and is not the server's stays, unless it is to be replaced.
  @Test(arguments: ["longer than it is on the server, by far " + String(repeating: "x", count: 2000), ""])
  func anotherFileIsLeftAlone(text: String) throws {
    let shelf = try Shelf()
    try shelf.place.write(text, to: "f1.bin")
    let result = try shelf.run(shelf.list([0, 1, 2]))
    #expect(result.termination == .exited(10), "\(result.error)")
    #expect(try shelf.place.text("f1.bin") == text && shelf.place.names() == ["f0.bin", "f1.bin", "f2.bin"])
    #expect(result.error.contains("f1.bin exists and is not this file"), "\(result.error)")
    let forced = try shelf.run(shelf.list([1]) + "  force\n")
    #expect(try forced.exitCode == 0 && shelf.holds(1, in: "f1.bin"), "\(forced.error)")
  }

  /// An older file of the right length is not the server's; another downloader's is not complete.
  @Test func completeIsWhatTheRuleSays() throws {
    let shelf = try Shelf()
    for number in [1, 2, 3] { try shelf.place.write(Shelf.content(number), to: "f\(number).bin") }
    var times = [timespec(tv_sec: 1_600_000_000, tv_nsec: 0), timespec(tv_sec: 1_600_000_000, tv_nsec: 0)]
    #expect(utimensat(AT_FDCWD, shelf.place.path("f1.bin"), &times, 0) == 0)
    try shelf.place.write("", to: "f2.bin.aria2")
    let result = try shelf.run(shelf.list([1, 2, 3]))
    #expect(result.termination == .exited(10), "\(result.error)")
    #expect(result.error.contains("0 of 3 files saved, 1 already complete, 2 failed\n"), "\(result.error)")
    #expect(shelf.server.settledLog().methods == ["HEAD", "HEAD", "HEAD"])
  }

  @Test func namesOfTheServersAreTakenOnce() throws {
    let shelf = try Shelf { request in
      guard request.path.hasPrefix("/get") else { return nil }
      let number = Int(request.path.dropFirst(4)) ?? 0
      return .file(Shelf.content(number)) {
        $0.contentDisposition = "attachment; filename=\"\(number < 3 ? "n\(number)" : "same").bin\""
      }
    }
    let list = (1...4).map { shelf.server.url("/get\($0)") + "\n" }.joined()
    let result = try shelf.run(list, "-j", "1")
    #expect(result.termination == .exited(10), "\(result.error)")
    #expect(try shelf.place.names() == ["n1.bin", "n2.bin", "same.bin"])
    #expect(try shelf.holds(1, in: "n1.bin") && shelf.holds(2, in: "n2.bin") && shelf.holds(3, in: "same.bin"))
    #expect(result.error.contains("saved from another URL of this command"), "\(result.error)")
    let before = shelf.server.settledLog().entries.count
    let again = try shelf.run(shelf.server.url("/get1") + "\n" + shelf.server.url("/get2") + "\n")
    #expect(again.exitCode == 0 && again.error.contains("0 of 2 files saved, 2 already complete"), "\(again.error)")
    #expect(shelf.server.settledLog().entries.count == before + 2)
  }

  @Test func redirectsAreFollowed() throws {
    let shelf = try Shelf { request in
      switch request.path {
      case "/a": .redirect(to: "/f7.bin")
      case "/loop": .redirect(to: "/loop")
      default: nil
      }
    }
    let urls = ["/a", "/loop"].map { shelf.server.url($0) + "\n" }.joined()
    let result = try shelf.run(urls, "-H", "X-Mine: 1")
    #expect(result.termination == .exited(4), "\(result.error)")
    #expect(try shelf.holds(7, in: "a") && result.error.contains("leads on more than 10 times"), "\(result.error)")
  }

  /// A digest that does not match leaves what a single download leaves.
  @Test(arguments: [false, true]) func aWrongDigest(isAnnounced: Bool) throws {
    let zeros = String(repeating: "0", count: 32)
    let shelf = try Shelf { request in
      guard isAnnounced, request.path == "/f1.bin" else { return nil }
      return .file(Shelf.content(1)) { $0.headers = ["X-Checksum-MD5": zeros] }
    }
    let list = shelf.list([0, 1]) + (isAnnounced ? "" : "  md5=\(zeros)\n") + shelf.list([2])
    let result = try shelf.run(list)
    #expect(result.termination == .exited(5) && result.error.contains(zeros), "\(result.error)")
    #expect(try shelf.place.names() == ["f0.bin", "f1.bin.part", "f1.bin.part.json", "f2.bin"])
    let right = isAnnounced ? ["--no-server-digest"] : []
    let again = try shelf.command(Array(shelf.list([1]).utf8), right + ["--restart"]).run()
    #expect(try again.exitCode == 0 && shelf.holds(1, in: "f1.bin"), "\(again.error)")
  }

  /// Answers that want more than one request or more patience get it.
  @Test func whatIsNotSimpleIsFetchedAllTheSame() throws {
    let shelf = try Shelf { request in
      switch request.path {
      case "/f1.bin" where request.indexOfMethod == 0 && request.method == "GET": .status(503)
      case "/f2.bin": .file(Shelf.content(2)) { if request.method == "GET" { $0.isChunked = true } }
      case "/f3.bin" where request.indexOfMethod == 0 && request.method == "GET":
        .file(Shelf.content(3)) { $0.cutAfter = 10 }
      case "/f4.bin": .file(.pattern(length: 3_000_000, seed: 5))
      case "/f5.bin": .file(Shelf.content(5)) { ($0.isCloseDelimited, $0.honoursRange) = (true, false) }
      case "/f6.bin": .file(.text(""))
      default: nil
      }
    }
    let result = try shelf.command(Array(shelf.list(0..<7).utf8), ["--give-up-after", "20"]).run()
    #expect(result.exitCode == 0, "\(result.error)")
    for number in [0, 1, 2, 3, 5] { #expect(try shelf.holds(number, in: "f\(number).bin"), "\(number)") }
    #expect(try shelf.place.size("f4.bin") == 3_000_000 && shelf.place.size("f6.bin") == 0)
    // The body of the long one was not begun twice.
    let long = shelf.server.settledLog().entries.filter { $0.request.path == "/f4.bin" }
    #expect(long.dropFirst().contains { $0.request.method == "HEAD" || $0.request.range != nil })
  }

  @Test func tooLargeAndTooMuch() throws {
    let shelf = try Shelf { $0.path == "/f1.bin" ? .file(Shelf.content(1)) { $0.isChunked = true } : nil }
    let result = try shelf.run(shelf.list([0, 1, 2]), "--max-size", "1010")
    #expect(result.termination == .exited(7), "\(result.error)")
    #expect(try shelf.place.names() == ["f0.bin"])
    #expect(result.error.count(of: "--max-size allows") == 2, "\(result.error)")
  }

  /// What is killed leaves parts, and nothing that is in the way.
  @Test(arguments: [0, 25, 80]) func killed(milliseconds: Int) throws {
    let shelf = try Shelf { request in
      request.path == "/f150.bin" ? .file(Shelf.content(150)) { $0.stallAfter = 10 } : nil
    }
    let command = try shelf.command(Array(shelf.list(0..<200).utf8), ["-j", "4"]).start()
    #expect(shelf.server.waitUntil { $0.entries.count >= 20 + milliseconds })
    command.kill()
    _ = command.waitForExit()
    for name in try shelf.place.names() where !name.hasSuffix(".part") {
      #expect(try shelf.holds(Int(name.dropFirst().dropLast(4)) ?? -1, in: name), "\(name)")
    }
    let others = (0..<200).filter { $0 != 150 }
    let again = try shelf.run(shelf.list(others), "-q")
    #expect(again.exitCode == 0 && again.error.isEmpty, "\(again.error)")
    for number in others { #expect(try shelf.holds(number, in: "f\(number).bin"), "\(number)") }
    #expect(try shelf.place.names().count { $0.hasSuffix(".part") } <= 1)
  }

  /// Somebody else is at work on one of them.
  @Test func aFileThatAnotherProcessHas() throws {
    let shelf = try Shelf { request in
      request.path == "/f1.bin" ? .file(.pattern(length: 3_000_000)) { $0.stallAfter = 100_000 } : nil
    }
    let other = try CommandRunner.swoop("--stall-timeout", "60", shelf.server.url("/f1.bin"), in: shelf.place).start()
    #expect(shelf.server.waitUntil { $0.bodyBytesSent >= 100_000 })
    let deadline = ContinuousClock.now + .seconds(10)
    while !shelf.place.contains("f1.bin.part.json"), ContinuousClock.now < deadline { poll(nil, 0, 5) }
    let result = try shelf.run(shelf.list([0, 1, 2]))
    #expect(result.termination == .exited(9) && result.error.contains("another process is at work"), "\(result.error)")
    #expect(try shelf.holds(0, in: "f0.bin") && shelf.holds(2, in: "f2.bin"))
    other.signal(SIGTERM)
    _ = try other.result()
  }

  /// Where no more time is to be lost than that, nobody asks again.
  @Test func silenceEndsWithTheShorterOfTheTimes() throws {
    let shelf = try Shelf { request in
      request.path == "/f1.bin" ? .file(Shelf.content(1)) { $0.stallAfter = 10 } : nil
    }
    let result = try shelf.run(shelf.list([0, 1]), "--give-up-after", "1", "--stall-timeout", "300")
    #expect(result.termination == .exited(3), "\(result.error)")
    #expect(result.error.contains("f1.bin: no byte for 1 s after 1 try"), "\(result.error)")
    #expect(try shelf.holds(0, in: "f0.bin") && shelf.place.names() == ["f0.bin"])
    #expect(shelf.server.settledLog().entries.count { $0.request.path == "/f1.bin" } == 1)
  }

  /// No option replaces a folder, and none is named.
  @Test(arguments: ["", "  force\n"]) func aFolderOfTheName(option: String) throws {
    let shelf = try Shelf { request in
      guard request.path == "/get" else { return nil }
      return .file(Shelf.content(1)) { $0.contentDisposition = "attachment; filename=\"x\"" }
    }
    try shelf.place.makeFolder("x")
    let result = try shelf.run(shelf.server.url("/get") + "\n" + option)
    #expect(result.termination == .exited(10), "\(result.error)")
    #expect(result.error.contains("x is a folder: the file was not saved") && !result.error.contains("--force"))
    #expect(try shelf.place.names() == ["x"])
  }

  /// A long list of which some fail has the right sum, and nothing of the others is lost.
  @Test func aLongListWithFailures() throws {
    let shelf = try Shelf()
    let lines = (0..<3000).map { shelf.server.url($0 % 100 == 50 ? "/none\($0)" : "/f\($0).bin") + "\n" }
    let result = try shelf.run(lines.joined(), "-j", "16")
    #expect(result.termination == .exited(4), "\(result.error.suffix(300))")
    #expect(result.error.contains("2,970 of 3,000 files saved (") && result.error.hasSuffix("), 30 failed\n"))
    #expect(result.error.count(of: "/none") == 30 && result.error.count(of: "\n") == 31)
    let wanted = Set((0..<3000).filter { $0 % 100 != 50 }.map { "f\($0).bin" })
    #expect(try Set(shelf.place.names()) == wanted)
    for number in [0, 49, 51, 1234, 2999] { #expect(try shelf.holds(number, in: "f\(number).bin")) }
  }

  @Test func aFolderForNothingIsNotKept() throws {
    let shelf = try Shelf()
    let result = try shelf.run(shelf.server.url("/none") + "\n  output=a/b/c\n", "-d", "new")
    #expect(result.termination == .exited(4), "\(result.error)")
    #expect(try shelf.place.names().isEmpty)
  }

  @Test func aLimitOnTheRateHoldsForAll() throws {
    let shelf = try Shelf { _ in .file(.pattern(length: 200_000)) }
    let began = ContinuousClock.now
    let result = try shelf.run(shelf.list(0..<4), "--limit-rate", "400k", "-q", "-j", "4")
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(ContinuousClock.now - began > .seconds(1))
    #expect(shelf.server.settledLog().methods == Array(repeating: "GET", count: 4))
  }
}
