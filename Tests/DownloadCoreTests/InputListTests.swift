import Testing

@testable import DownloadCore

@Suite struct InputListTests {
  private func read(_ text: String, by size: Int = .max) -> [InputList.Entry] { read(Array(text.utf8), by: size) }

  private func read(_ bytes: [UInt8], by size: Int = .max) -> [InputList.Entry] {
    var (list, entries, rest) = (InputList(), [InputList.Entry](), bytes[...])
    while !rest.isEmpty {
      entries += list.add(rest.prefix(size))
      rest = rest.dropFirst(min(size, rest.count))
    }
    return entries + list.finish()
  }

  @Test(arguments: [1, 2, 5, .max]) func linesMakeEntries(size: Int) {
    let text = "# files\r\nhttp://h/a\r\n  output = x y\r\n\tforce\r\n   # none\nb.org/c#sha256=00\n\nd.org/e "
    #expect(
      read(text, by: size) == [
        .init(
          line: 2, url: "http://h/a",
          options: [.init(line: 3, name: "output", value: "x y"), .init(line: 4, name: "force", value: nil)]),
        .init(line: 6, url: "b.org/c#sha256=00"), .init(line: 8, url: "d.org/e"),
      ])
  }

  @Test func aMarkOfTheByteOrderIsNoPartOfAURL() {
    #expect(read("\u{FEFF}http://h/a").map(\.url) == ["http://h/a"])
    #expect(read("").isEmpty && read("\n\n# a\n").isEmpty && read("\u{FEFF}").isEmpty)
  }

  /// A list that is not at its end gives what it has.
  @Test func anEntryEndsWithTheNextURLOrAnEmptyLine() {
    var list = InputList()
    #expect(list.add(Array("http://h/a\n".utf8)[...]).isEmpty)
    #expect(list.add(Array(" force\n\n".utf8)[...]).map(\.url) == ["http://h/a"])
    #expect(list.add(Array("http://h/b\nhttp://h/c\n".utf8)[...]).map(\.url) == ["http://h/b"])
    #expect(list.finish().map(\.url) == ["http://h/c"])
    #expect(list.finish().isEmpty)
  }

  @Test func aLineThatMakesNoSenseSpoilsItsEntryAlone() {
    let long = String(repeating: "x", count: InputList.mostOfLine + 1)
    let first = Array(" output=x\n force\nhttp://h/a\n md5=\u{7}\n b=c\n".utf8) + [0xFF, 0x0A]
    let entries = read(
      first + Array("http://h/b\n\(long)\n \(long)\nhttp://h/c\n \(long)\n".utf8) + Array("http://h/d".utf8))
    #expect(entries.map(\.url) == ["", "http://h/a", "", "http://h/b", "", "http://h/c", "http://h/d"])
    let problems: [InputList.Problem?] = [
      .init(line: 1, kind: .noURL), .init(line: 4, kind: .notText), .init(line: 6, kind: .notText), nil,
      .init(line: 8, kind: .tooLong), .init(line: 11, kind: .tooLong), nil,
    ]
    #expect(entries.map(\.problem) == problems)
  }

  @Test func optionsWithoutEndAreNotKept() {
    let option = " header=a: " + String(repeating: "b", count: 1000) + "\n"
    let entries = read("http://h/a\n" + String(repeating: option, count: 500) + "http://h/b\n")
    #expect(entries.map(\.problem?.kind) == [.tooMuch, nil])
    #expect((entries.first?.options.count ?? 0) < 70)
  }
}
