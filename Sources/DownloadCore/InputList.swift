/// A list of files to fetch, read piece by piece: URLs, one a line, and below each of them, indented, its options,
/// `long-name=value` or `long-name`. `#` begins a comment line; an empty line ends an entry, as the next URL does.
///
/// The text is UTF-8, with a byte order mark or without, and with any ends of lines but CR alone. A line that makes no
/// sense spoils its entry and no other.
package struct InputList: Sendable {
  /// An option of an entry.
  package struct Option: Hashable, Sendable {
    /// The first line of the list has 1.
    package var line: Int
    package var name: String
    /// Nil where there is no `=`.
    package var value: String?
  }

  /// Why an entry is of no use.
  package struct Problem: Hashable, Sendable {
    /// What is wrong.
    package enum Kind: Hashable, Sendable {
      /// A line has more bytes than `mostOfLine`.
      case tooLong
      /// A line is not UTF-8, or has control characters.
      case notText
      /// An option stands below no URL.
      case noURL
      /// All options together have more bytes than `mostOfEntry`.
      case tooMuch
    }
    package var line: Int
    package var kind: Kind
  }

  /// A file.
  package struct Entry: Hashable, Sendable {
    package var line: Int
    /// As written, without the blanks behind it; empty where a problem left none.
    package var url: String
    package var options: [Option] = []
    /// The first one.
    package var problem: Problem?
  }

  /// The most bytes of a line; what is behind them is not kept.
  package static let mostOfLine = 64 << 10
  /// The most bytes of an entry's options.
  package static let mostOfEntry = 64 << 10

  private var line: [UInt8] = []
  private var isTooLong = false
  private var number = 0
  private var entry: Entry?
  private var bytesOfEntry = 0

  /// Waits for the first line.
  package init() {}

  /// Takes the next bytes; gives the entries that they complete.
  package mutating func add(_ bytes: ArraySlice<UInt8>) -> [Entry] {
    var (rest, entries) = (bytes, [Entry]())
    while let end = rest.firstIndex(of: 0x0A) {
      keep(rest[..<end])
      if let entry = endLine() { entries.append(entry) }
      rest = rest[(end + 1)...]
    }
    keep(rest)
    return entries
  }

  /// There are no more bytes; gives the entries that this completes.
  package mutating func finish() -> [Entry] {
    let last = line.isEmpty && !isTooLong ? nil : endLine()
    defer { entry = nil }
    return [last, entry].compactMap { $0 }
  }

  private mutating func keep(_ piece: ArraySlice<UInt8>) {
    let room = Self.mostOfLine - line.count
    if piece.count > room { isTooLong = true }
    line += piece.prefix(room)
  }

  /// Reads the line that is kept. Gives the entry that it ends.
  private mutating func endLine() -> Entry? {
    number += 1
    defer {
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    if number == 1, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    if line.last == UInt8(ascii: "\r"), !isTooLong { line.removeLast() }
    let isIndented = line.first?.isBlank ?? false
    guard !isTooLong else { return take(.tooLong, isIndented) }
    guard let text = String(validating: line, as: UTF8.self),
      text.utf8.allSatisfy({ !$0.isControl || $0.isBlank })
    else {
      return take(.notText, isIndented)
    }
    let words = text.withoutBlanks
    guard !words.isEmpty else { return begin(nil) }
    guard words.first != "#" else { return nil }
    guard isIndented else { return begin(Entry(line: number, url: String(words))) }
    add(option: words)
    return nil
  }

  private mutating func begin(_ next: Entry?) -> Entry? {
    defer {
      entry = next
      bytesOfEntry = 0
    }
    return entry
  }

  /// An option's line spoils the entry that it is of, another one is an entry of its own.
  private mutating func take(_ kind: Problem.Kind, _ isIndented: Bool) -> Entry? {
    guard isIndented else { return begin(Entry(line: number, url: "", problem: Problem(line: number, kind: kind))) }
    spoil(kind)
    return nil
  }

  private mutating func spoil(_ kind: Problem.Kind) {
    let problem = Problem(line: number, kind: entry == nil ? .noURL : kind)
    if entry == nil { entry = Entry(line: number, url: "") }
    if entry?.problem == nil { entry?.problem = problem }
  }

  private mutating func add(option text: Substring) {
    guard entry != nil else { return spoil(.noURL) }
    bytesOfEntry += text.utf8.count
    guard bytesOfEntry <= Self.mostOfEntry else { return spoil(.tooMuch) }
    let name = text.prefix { $0 != "=" }
    let value = name.endIndex < text.endIndex ? String(text[text.index(after: name.endIndex)...].withoutBlanks) : nil
    entry?.options.append(Option(line: number, name: String(name.withoutBlanks), value: value))
  }
}
