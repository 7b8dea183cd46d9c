import DownloadEngine
import Testing

@testable import DownloadCore
@testable import swoop

/// Lists of files, and what is said of many of them.
@Suite struct SeveralFilesTests {
  private func request(
    _ url: String, _ options: [(String, String?)] = [], directory: String? = "d"
  ) -> Result<DownloadRequest, DownloadError> {
    var arguments = Arguments()
    arguments.input = "list"
    arguments.directory = directory
    var entry = InputList.Entry(line: 7, url: url)
    entry.options = options.enumerated().map { .init(line: 8 + $0, name: $1.0, value: $1.1) }
    return InputEntries(arguments, digests: nil).job(entry, number: 3).request
  }

  private func message(_ url: String, _ options: [(String, String?)]) -> String? {
    if case .failure(let error) = request(url, options) { error.failure == .usage ? error.message : nil } else { nil }
  }

  @Test func optionsOfAnEntryAreItsOwn() throws {
    let md5 = String(repeating: "a", count: 32)
    let request = try request(
      "http://h/x", [("output", "sub/y"), ("md5", md5), ("header", "A: b"), ("no-mtime", nil), ("user", "me:p")]
    ).get()
    #expect(request.target.folder == "d/sub" && request.target.name == "y")
    #expect(request.digests.map(\.hex) == [md5] && !request.keepsServerTime)
    #expect(request.http.headers == [HeaderField("A", "b")] && request.http.credentials?.password == "p")
    #expect(try self.request("h.org/x").get().target.folder == "d")
  }

  @Test(
    arguments: [
      ("http://h/x", "output", "/abs", "list:7: output is a path below"),
      ("http://h/x", "output", "a/../../b", "list:7: output is a path below"),
      ("http://h/x", "output", "..", "list:7: output is a path below"),
      ("http://h/x", "output", "x.part", "list:7: --output: names that end in .part"),
      ("http://h/x", "output", "-", "list:7: output is a path below"),
      ("http://h/x", "outptu", "y", "list:8: unknown option outptu; did you mean output?"),
      ("http://h/x", "jobs", "2", "list:8: jobs holds for the whole command"),
      ("http://h/x", "directory", "/etc", "list:8: directory holds for the whole command"),
      ("http://h/x", "header", "@/etc/passwd", "list:8: a list cannot name a file of headers"),
      ("http://h/x", "user", "me", "list:8: user needs NAME:PASSWORD here"),
      ("http://h/x", "md5", "12", "list:8: --md5 needs 32"),
      ("http://h/x", "force", "yes", "list:8: force takes no value"),
      ("http://h/x", "url", "http://h/", "list:8: url is for resume only"),
      ("http://h/x", "parts", "4", "list:8: parts is for plan only"),
      ("ftps2://h/x", "force", nil, "list:7: "), ("nothing", "force", nil, "list:7: not a URL"),
    ] as [(String, String, String?, String)])
  func wrongEntriesFailWithTheirLines(url: String, name: String, value: String?, words: String) throws {
    let found = try #require(message(url, [(name, value)]))
    #expect(found.hasPrefix(words), "\(found)")
  }

  @Test func aValueThatIsMissingIsNamed() {
    #expect(message("http://h/x", [("md5", nil)])?.hasPrefix("list:8: md5 needs a value: md5=HEX") == true)
  }

  @Test func optionsOfTheWholeCommandAreOptions() {
    for name in InputEntries.wholeCommand { #expect(Flags.named(name) != nil, "\(name)") }
  }

  @Test(arguments: [(["-i", "l"], true), (["-i", "l", "u"], true), (["u"], true), ([], false)] as [([String], Bool)])
  func urlsStandInAListAsWell(words: [String], isEnough: Bool) throws {
    let arguments = try ArgumentParser.parse(words.map { $0 == "u" ? "http://h/x" : $0 })
    let requests = try? arguments.requests()
    #expect((requests != nil) == isEnough)
  }

  @Test(arguments: [
    (["-o", "x"], "names one file"), (["--md5", String(repeating: "a", count: 32)], "that of one file"),
    (["--mirror", "http://h/y"], "one file"), (["--metalink"], "not for --input"),
    (["--config", "-"], "cannot both be standard input"), (["--checksum-file", "-"], "cannot both be standard input"),
    (["-H", "@-"], "cannot both be standard input"),
  ])
  func whatIsOfOneFileDoesNotGoWithAList(words: [String], says: String) throws {
    let arguments = try ArgumentParser.parse(["-i", "-"] + words)
    let error = #expect(throws: DownloadError.self) { try arguments.requests() }
    #expect(error?.failure == .usage && error?.message.contains(says) == true, "\(error?.message ?? "")")
  }

  @Test func theLastLineCountsFiles() {
    var tally = DownloadTally()
    #expect(tally.summary(of: 0, after: 1, isOpen: false) == "no files in the list")
    for _ in 0..<1_989 { tally.note(DownloadReport(outcome: .saved, path: "x", bytes: 1 << 20)) }
    #expect(tally.summary(of: 1, after: 1, isOpen: false) == nil)
    for _ in 0..<10 { tally.note(DownloadReport(outcome: .alreadyComplete, path: "x", bytes: 5)) }
    #expect(tally.failure == nil)
    tally.note(.refused, of: 7)
    tally.note(.usage, of: 3)
    tally.note(.network, of: 9)
    #expect(tally.failure == .usage)
    #expect(
      tally.summary(of: 2_002, after: 12, isOpen: false)
        == "1,989 of 2,002 files saved (1.9 GiB in 12s), 10 already complete, 3 failed")
    #expect(tally.summary(of: 3_000, after: 12, isOpen: true)?.hasPrefix("1,989 of 3,000 or more files saved") == true)
  }

  @Test func numbersHaveGroups() {
    let numbers = [0, 7, 999, 1_000, 98_990, 1_000_000].map(CountText.grouped)
    #expect(numbers == ["0", "7", "999", "1,000", "98,990", "1,000,000"])
  }

  @Test func aListThatIsStillReadMayHaveMore() {
    var batch = Batch(count: 0, isOpen: true)
    batch.expect(3, isOpen: true)
    batch.end(0, bytes: 10)
    #expect(batch.hasSeveral && batch.isUnderWay && !batch.lengthIsKnown)
    #expect(TotalLine(batch: batch, secondsLeft: nil).text(width: 60).text.hasPrefix("1 of 3 or more files"))
    batch.expect(3, isOpen: false)
    #expect(TotalLine(batch: batch, secondsLeft: nil).text(width: 60).text.hasPrefix("1 of 3 files"))
  }

  /// Of a million files nothing piles up where nobody reads: good news is left out, and then no more is begun.
  @Test func goodNewsOfSmallFilesDoesNotPileUp() {
    var inbox = Inbox(.init(), files: 0, isOpen: true)
    for file in 0..<(2 * Inbox.mostChatter) {
      inbox.end(file, complete: 1, Ending(words: .news("saved"), result: []), at: 0)
    }
    #expect(inbox.batch.ended == 2 * Inbox.mostChatter && !inbox.isFull)
    let items = inbox.take().items.count
    #expect(items == Inbox.mostChatter)
    for file in 0..<Inbox.mostItems { inbox.end(file, Ending(words: .error("no"), result: []), at: 0) }
    #expect(inbox.isFull && inbox.take().items.count == Inbox.mostItems && !inbox.isFull)
  }
}
