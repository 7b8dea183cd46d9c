import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Lists of files: what their lines mean, and what is wrong with them.
@Suite(.waiting) struct ListTests {
  /// Each file takes one request, and all of them few connections.
  @Test(arguments: [1, 3, 8]) func oneRequestForEachFile(jobs: Int) throws {
    let shelf = try Shelf()
    let result = try shelf.run(shelf.list(0..<60), "-j", "\(jobs)")
    #expect(result.exitCode == 0, "\(result.error)")
    for number in 0..<60 { #expect(try shelf.holds(number, in: "f\(number).bin")) }
    #expect(try shelf.place.names().count == 60)
    #expect(try shelf.place.modificationTime("f7.bin") == 1_735_689_600)
    #expect(try shelf.place.mode("f7.bin") & 0o600 == 0o600)
    let log = shelf.server.settledLog()
    #expect(log.methods == Array(repeating: "GET", count: 60) && log.ranges.isEmpty)
    #expect(log.connections <= jobs, "\(log.connections)")
    let lines = result.error.split(separator: "\n")
    // Of so many, each has no line; one of the first may, as long as the list is being read.
    #expect(lines.count <= 21 && lines.last?.hasPrefix("swoop: 60 of 60 files saved (") == true, "\(result.error)")
  }

  @Test(arguments: [(["-v"], 25), (["--progress", "none"], 3), (["-q"], 3)])
  func whoHasALine(options: [String], count: Int) throws {
    let shelf = try Shelf()
    let list = shelf.list(0..<count) + shelf.server.url("/none.bin") + "\n"
    let result = try shelf.command(Array(list.utf8), options).run()
    #expect(result.termination == .exited(4), "\(result.error)")
    let lines = result.error.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("swoop: saved ") } == (options == ["-v"] ? count : 0), "\(result.error)")
    #expect(lines.count { $0.hasPrefix("swoop: error: ") && $0.contains("/none.bin") } == 1, "\(result.error)")
    let sums = lines.count { $0.hasPrefix("swoop: \(count) of \(count + 1) files saved (") }
    #expect(sums == (options == ["-q"] ? 0 : 1), "\(result.error)")
    #expect(options == ["-v"] || lines.count == sums + 1, "\(result.error)")
  }

  /// What is no URL is told without asking anybody.
  @Test func whatIsNoURLOfAList() throws {
    let shelf = try Shelf()
    try shelf.place.write("<metalink/>", to: "good.meta4")
    let others = "good.meta4\nnone.meta4\nfile:///etc/passwd\n"
    let result = try shelf.run(shelf.list([1]).dropLast() + "  # the first\n" + others + shelf.list([2]))
    #expect(result.termination == .exited(2), "\(result.error)")
    let words = [
      "input:1: a URL has no blanks", "a comment needs a line of its own", "input:2: lists take URLs, and 'good.meta4'",
      "a metalink belongs on the command line", "input:3: no such file: 'none.meta4'", "http and https only",
    ]
    for text in words { #expect(result.error.contains(text), "\(text): \(result.error)") }
    #expect(shelf.server.settledLog().entries.map(\.request.path) == ["/f2.bin"])
    #expect(try shelf.place.names() == ["f2.bin", "good.meta4"])
  }

  @Test func optionsHoldForTheirFileAlone() throws {
    let shelf = try Shelf()
    let right = try DigestTests.digest("sha256", of: Shelf.content(2))
    let list = """
      \u{FEFF}# all of them\r
      \(shelf.server.url("/f1.bin"))\r
        output=one/two/first.bin\r
        header=X-Only: first\r
        no-mtime\r

      \(shelf.server.url("/f2.bin"))
      # between
      \tsha256=\(right)
      \(shelf.server.url("/f3.bin"))
      """
    let result = try shelf.run(list, "-d", "in/here", "-j", "2")
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try shelf.holds(1, in: "in/here/one/two/first.bin") && shelf.holds(2, in: "in/here/f2.bin"))
    #expect(try shelf.holds(3, in: "in/here/f3.bin"))
    #expect(result.error.contains("sha256 verified") && result.error.contains("3 of 3 files saved"))
    for entry in shelf.server.settledLog().entries {
      #expect((entry.request.headers["X-Only"] == "first") == (entry.request.path == "/f1.bin"))
    }
  }

  /// A line that is wrong spoils its own file; the exit code is that of the first failure in the list.
  @Test(arguments: [
    ("  output=../out.bin", "output is a path below"), ("  output=/tmp/swoop-no.bin", "output is a path below"),
    ("  output=f1.bin", "is the name of another file"), ("  md5=12", "--md5 needs 32"),
    ("  jobs=3", "jobs holds for the whole command"), ("  outptu=x", "did you mean output?"),
    ("  output", "output needs a value"), ("  force=1", "force takes no value"),
    ("  header=@/etc/passwd", "cannot name a file of headers"), ("  \u{1}", "no text in UTF-8"),
  ])
  func aBadLineFailsAlone(line: String, words: String) throws {
    let shelf = try Shelf()
    let list = shelf.list([1, 2]) + line + "\n" + shelf.list([3]) + shelf.server.url("/none.bin") + "\n"
    let result = try shelf.run(list)
    #expect(result.termination == .exited(2), "\(result.error)")
    #expect(try shelf.holds(1, in: "f1.bin") && shelf.holds(3, in: "f3.bin"))
    #expect(try shelf.place.names() == ["f1.bin", "f3.bin"])
    #expect(result.error.contains(words) && result.error.count(of: "swoop: error: ") == 2, "\(result.error)")
    #expect(result.error.contains("2 of 4 files saved (") && result.error.contains(", 2 failed\n"), "\(result.error)")
    #expect(!shelf.server.settledLog().entries.contains { $0.request.path == "/f2.bin" })
  }

  /// A file cannot have the name of a folder that another one goes into: the second of them is refused, in the next run as
  /// well, where what the first has left is here.
  @Test(arguments: [true, false], [1, 8]) func aFileAndAFolderOfOneName(fileIsFirst: Bool, jobs: Int) throws {
    let shelf = try Shelf()
    let (file, below) = (shelf.list([1]) + "  output=sub dir\n", shelf.list([2]) + "  output=sub dir/in/x\n")
    let list = (fileIsFirst ? file + below : below + file) + shelf.list([3])
    for _ in 1...2 {
      let result = try shelf.run(list, "-j", "\(jobs)")
      #expect(result.termination == .exited(2), "\(result.error)")
      let words = fileIsFirst ? "sub dir/in/x is below the name of another" : "sub dir is a folder for another"
      #expect(result.error.contains("swoop: error: \(words) file of this command"), "\(result.error)")
      #expect(result.error.count(of: "swoop: error: ") == 1, "\(result.error)")
      #expect(try shelf.place.names() == ["f3.bin", "sub dir"])
      #expect(try shelf.holds(fileIsFirst ? 1 : 2, in: fileIsFirst ? "sub dir" : "sub dir/in/x"))
      #expect(try fileIsFirst || shelf.place.names(in: "sub dir") == ["in"])
    }
    #expect(!shelf.server.settledLog().entries.contains { $0.request.path == (fileIsFirst ? "/f2.bin" : "/f1.bin") })
  }

  /// A name that is a folder's, which is here, is where the files go, as on the command line.
  @Test func filesGoIntoAFolderThatIsHere() throws {
    let shelf = try Shelf()
    try shelf.place.makeFolder("here")
    let list = shelf.list([1]) + "  output=here\n" + shelf.list([2]) + "  output=here\n"
    for _ in 1...2 {
      let result = try shelf.run(list + shelf.list([3]) + "  output=new/\n" + shelf.list([4]) + "  output=new/x\n")
      #expect(result.exitCode == 0, "\(result.error)")
      #expect(try shelf.place.names(in: "here") == ["f1.bin", "f2.bin"])
      #expect(try shelf.place.names(in: "new") == ["f3.bin", "x"])
    }
  }

  @Test func linesThatAreNoEntries() throws {
    let shelf = try Shelf()
    var bytes = Array("  output=x\n".utf8) + Array(shelf.list([1]).utf8) + [0xFF, 0x0A]
    bytes += Array((String(repeating: "x", count: 70_000) + "\nnot-a-url\n" + shelf.list([2])).utf8)
    let result = try shelf.command(bytes, []).run()
    #expect(result.termination == .exited(2), "\(result.error)")
    #expect(try shelf.place.names() == ["f1.bin", "f2.bin"])
    for words in ["standard input:1: an option stands", ":3: it is no text", ":4: the line has more", ":5: not a URL"] {
      #expect(result.error.contains(words), "\(result.error)")
    }
    Trial.expectLines(result)
  }

  @Test(arguments: [(["/none.bin", "nonsense!"], Int32(4)), (["nonsense!", "/none.bin"], Int32(2))])
  func theFirstFailureCounts(bad: [String], code: Int32) throws {
    let shelf = try Shelf()
    let lines = bad.map { $0.hasPrefix("/") ? shelf.server.url($0) : $0 }
    let result = try shelf.run(shelf.list([0]) + lines[0] + "\n" + shelf.list([1]) + lines[1] + "\n", "-j", "1")
    #expect(result.termination == .exited(code), "\(result.error)")
    #expect(try shelf.place.names() == ["f0.bin", "f1.bin"])
  }

  @Test func aListThatCannotBeRead() throws {
    let shelf = try Shelf()
    try shelf.place.makeFolder("folder")
    for (name, words) in [("missing", "cannot read missing"), ("folder", "is a folder")] {
      let result = try CommandRunner.swoop("-i", name, shelf.server.url("/f1.bin"), in: shelf.place).run()
      #expect(result.termination == .exited(2) && result.error.contains("--input"), "\(result.error)")
      #expect(result.error.contains(words) && shelf.server.log.connections == 0, "\(result.error)")
    }
    #expect(try shelf.place.names() == ["folder"])
  }

  @Test func anEmptyListIsNoFailure() throws {
    let shelf = try Shelf()
    let result = try shelf.run("# nothing\n\n")
    #expect(result.exitCode == 0 && result.error == "swoop: no files in the list\n", "\(result.error)")
    #expect(try shelf.run("", "-q").error.isEmpty)
  }

  /// URLs of the command line come first.
  @Test func urlsAndAListTogether() throws {
    let shelf = try Shelf()
    let result = try shelf.run(shelf.list([1, 2]), "--json", shelf.server.url("/f0.bin"))
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try shelf.place.names() == ["f0.bin", "f1.bin", "f2.bin"])
    let objects = try result.output.split(separator: "\n").map { try ParsedJSON(parsing: $0) }
    #expect(objects.count == 3)
    #expect(Set(objects.compactMap { $0["path"].string }) == ["f0.bin", "f1.bin", "f2.bin"])
    #expect(objects.allSatisfy { $0["outcome"].string == "saved" && $0["exit"].integer == 0 })
  }

  /// It starts before the list has ended, and an empty line ends an entry.
  @Test func aListThatIsStillWritten() throws {
    let shelf = try Shelf()
    #expect(mkfifo(shelf.place.path("fifo"), 0o600) == 0)
    let command = try CommandRunner.swoop("-i", "fifo", in: shelf.place).start()
    let writer = open(shelf.place.path("fifo"), O_WRONLY | O_CLOEXEC)
    defer { close(writer) }
    let first = shelf.list([1]) + "\n"
    #expect(write(writer, first, first.utf8.count) == first.utf8.count)
    #expect(shelf.server.waitUntil { !$0.entries.isEmpty })
    let deadline = ContinuousClock.now + .seconds(10)
    while !shelf.place.contains("f1.bin"), ContinuousClock.now < deadline { poll(nil, 0, 5) }
    #expect(try shelf.holds(1, in: "f1.bin") && command.isRunning)
    let rest = shelf.list([2])
    #expect(write(writer, rest, rest.utf8.count) == rest.utf8.count)
    // The last writer lets go of it.
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    #expect(dup2(nothing, writer) == writer && close(nothing) == 0)
    let result = try command.result()
    #expect(result.exitCode == 0, "\(result.error)")
    #expect(try shelf.place.names() == ["f1.bin", "f2.bin", "fifo"])
  }

  /// A list that never ends holds no signal up.
  @Test func aSignalWhileTheListIsRead() throws {
    let shelf = try Shelf()
    #expect(mkfifo(shelf.place.path("fifo"), 0o600) == 0)
    let command = try CommandRunner.swoop("-i", "fifo", in: shelf.place).start()
    let writer = open(shelf.place.path("fifo"), O_WRONLY | O_CLOEXEC)
    defer { close(writer) }
    let first = shelf.list([1]) + "\n"
    #expect(write(writer, first, first.utf8.count) == first.utf8.count)
    #expect(shelf.server.waitUntil { !$0.entries.isEmpty })
    command.signal(SIGTERM)
    let result = try command.result()
    #expect(result.termination == .signalled(SIGTERM), "\(result.error)")
    #expect(result.error.contains("interrupted by SIGTERM; run the same command again"), "\(result.error)")
    #expect(try shelf.run(shelf.list([1])).exitCode == 0 && shelf.holds(1, in: "f1.bin"))
  }
}

extension Trial {
  /// Nothing that moves a cursor.
  static func expectLines(_ result: CommandResult, location: SourceLocation = #_sourceLocation) {
    let isPlain = (result.errorBytes + result.outputBytes).allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) }
    #expect(isPlain, "\(result.errorBytes)", sourceLocation: location)
  }
}
