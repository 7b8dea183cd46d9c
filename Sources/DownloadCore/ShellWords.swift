/// The words of one simple command as bash splits them (bash(1), QUOTING). Nothing is expanded or run: what bash would
/// expand, redirect or run is refused.
struct ShellWords {
  /// In the order they were typed, quotes removed.
  private(set) var words: [String] = []
  private var rest: ArraySlice<UInt8>
  private var word: [UInt8] = []
  /// A word has begun, though it may be empty: `''`.
  private var isInWord = false

  /// Reads the text of one command.
  init(_ text: String) throws(CurlCommandLine.Problem) {
    rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() { try read(byte) }
    try endWord()
  }

  private mutating func read(_ byte: UInt8) throws(CurlCommandLine.Problem) {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"): try endWord()
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): try readLineEnd()
    case UInt8(ascii: "\\"): try readEscape()
    case UInt8(ascii: "'"): try readSingleQuoted()
    case UInt8(ascii: "\""): try readDoubleQuoted()
    case UInt8(ascii: "$"): try readDollar()
    case UInt8(ascii: "#") where !isInWord: throw .shellSyntax("#")
    case _ where Self.operators.contains(byte): throw .shellSyntax(Character(Unicode.Scalar(byte)))
    default: append(byte)
    }
  }

  private static let operators = Set(";&|<>()`".utf8)

  private mutating func append(_ byte: UInt8) {
    isInWord = true
    word.append(byte)
  }

  private mutating func endWord() throws(CurlCommandLine.Problem) {
    guard isInWord else { return }
    guard !word.contains(0), let text = String(validating: word, as: UTF8.self) else { throw .notText }
    words.append(text)
    word = []
    isInWord = false
  }

  /// The command ends here; another one must not follow.
  private mutating func readLineEnd() throws(CurlCommandLine.Problem) {
    try endWord()
    guard rest.allSatisfy({ $0.isBlank || $0 == 0x0A || $0 == 0x0D }) else { throw .severalCommands }
  }

  /// A backslash before a line's end joins two lines; also one that ends in CRLF, as a clipboard may have it.
  private mutating func readEscape() throws(CurlCommandLine.Problem) {
    guard let byte = rest.popFirst() else { throw .openQuote }
    if byte == 0x0D, rest.first == 0x0A { rest.removeFirst() } else if byte != 0x0A { append(byte) }
  }

  private mutating func readSingleQuoted() throws(CurlCommandLine.Problem) {
    guard let end = rest.firstIndex(of: UInt8(ascii: "'")) else { throw .openQuote }
    isInWord = true
    word += rest[..<end]
    rest = rest[(end + 1)...]
  }

  private mutating func readDoubleQuoted() throws(CurlCommandLine.Problem) {
    isInWord = true
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "$"), UInt8(ascii: "`"): throw .shellSyntax(Character(Unicode.Scalar(byte)))
      case UInt8(ascii: "\\"):
        guard let next = rest.first, "$`\"\\\n".utf8.contains(next) else { fallthrough }
        rest.removeFirst()
        if next != 0x0A { append(next) }
      default: append(byte)
      }
    }
    throw .openQuote
  }

  /// Of what begins with a dollar only `$'...'` is text.
  private mutating func readDollar() throws(CurlCommandLine.Problem) {
    guard rest.first == UInt8(ascii: "'") else { throw .shellSyntax("$") }
    rest.removeFirst()
    guard let text = ANSIQuotedText.read(from: &rest) else { throw .openQuote }
    isInWord = true
    word += text
  }
}
