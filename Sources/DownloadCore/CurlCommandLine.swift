/// What a browser's "Copy as cURL" says: an address, and what its request carried.
///
/// It may come from anybody. Whatever would name a file, a proxy, a body or another method is refused, and what bash
/// would expand or run as well.
package struct CurlCommandLine: Hashable, Sendable {
  /// What a value is for.
  package enum Part: Hashable, Sendable {
    case url, header, cookie, userAgent, referer, user
  }

  /// One word, or the end of one.
  package struct Value: Hashable, Sendable {
    /// What it is for.
    package var part: Part
    /// A URL's without the backslashes that keep curl from taking brackets for a pattern.
    package var text: String
    /// The number of the word that holds it, from 0.
    package var word: Int
    /// Where in that word it begins, in bytes.
    package var offset: Int
  }

  /// Why a line is refused.
  package enum Problem: Error, Hashable, Sendable {
    /// More than `mostBytes`.
    case tooLong
    /// A quote is not closed, or nothing follows the last backslash.
    case openQuote
    /// A word has a NUL in it, or is not UTF-8.
    case notText
    /// Another command follows.
    case severalCommands
    /// What this character begins is bash's to do.
    case shellSyntax(Character)
    /// There is no address.
    case noURL
    /// There are two.
    case severalURLs
    /// curl would take the address for a pattern of several.
    case pattern
    /// An option that needs a value is the last word.
    case noValue(String)
    /// The option names a file to read or write.
    case file(String)
    /// The option names a proxy.
    case proxy(String)
    /// The option gives the request a body.
    case body(String)
    /// The request is no GET.
    case method
    /// An option that does not belong there.
    case unknown(String)
    /// It was copied for Windows' cmd.exe, whose quotes are others.
    case windowsForm
    /// It is no command of curl's, but what this word begins.
    case otherTool(String)
  }

  /// No line is longer, in bytes; the system lets no single word be longer than 128 KiB.
  package static let mostBytes = 1 << 20

  /// In the order they were typed; exactly one of them is the URL.
  package private(set) var values: [Value] = []
  /// `-k` is in it.
  package private(set) var isInsecure = false
  /// Names of the fields that were left out: what they ask for a download asks in its own way, or not at all.
  package private(set) var leftOut: [String] = []
  private var takesBracketsAsTheyAre = false

  /// The address.
  package var url: String { values.first { $0.part == .url }?.text ?? "" }

  /// Reads a line as it was copied, quotes and line breaks included.
  package init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Self.mostBytes else { throw .tooLong }
    try Self.checkTool(text.split(maxSplits: 1, whereSeparator: \.isWhitespace).first ?? "")
    let words: [String]
    do throws(Problem) {
      words = try ShellWords(text).words
    } catch {
      // Before its first quote, and at the end of its lines. In a line that bash can read these are text.
      throw ["curl ^\"", " ^\n", " ^\r\n"].contains(where: { text.contains($0) }) ? .windowsForm : error
    }
    try self.init(words: words)
  }

  /// Browsers offer other forms beside the one for bash.
  private static func checkTool(_ word: Substring) throws(Problem) {
    let tools = ["invoke-webrequest", "$session", "fetch("]
    guard !tools.contains(where: { word.lowercased().hasPrefix($0) }) else {
      throw .otherTool(String(word.prefix { $0 != "(" }))
    }
  }

  /// Reads the words that a shell has made of it, with or without `curl` before them.
  package init(words: [String]) throws(Problem) {
    try Self.checkTool(words.first?[...] ?? "")
    var next = words.first == "curl" ? 1 : 0
    var optionsEnded = false
    while next < words.count {
      let index = next
      next += 1
      if optionsEnded || !words[index].hasPrefix("-") || words[index] == "-" {
        try take(Value(part: .url, text: words[index], word: index, offset: 0))
      } else if words[index] == "--" {
        optionsEnded = true
      } else {
        try readOptions(index, &next, words)
      }
    }
    try finish()
  }

  private mutating func readOptions(_ index: Int, _ next: inout Int, _ words: [String]) throws(Problem) {
    let word = words[index]
    guard !word.hasPrefix("--") else { return try apply(CurlOption(long: word), word, &next, words) }
    var offset = 1
    for letter in word.dropFirst() {
      offset += letter.utf8.count
      let option = CurlOption(short: letter)
      if option?.takesValue == true, offset < word.utf8.count {
        return try apply(option, "-\(letter)", String(word.utf8.dropFirst(offset)) ?? "", word: index, offset: offset)
      }
      try apply(option, "-\(letter)", &next, words)
    }
  }

  private mutating func apply(
    _ option: CurlOption?, _ name: String, _ next: inout Int, _ words: [String]
  ) throws(Problem) {
    guard option?.takesValue == true else { return try apply(option, name, "", word: 0, offset: 0) }
    guard next < words.count else { throw .noValue(name) }
    next += 1
    try apply(option, name, words[next - 1], word: next - 1, offset: 0)
  }

  private mutating func apply(
    _ option: CurlOption?, _ name: String, _ text: String, word: Int, offset: Int
  ) throws(Problem) {
    switch option {
    case .value(let part): try take(Value(part: part, text: text, word: word, offset: offset), from: name)
    case .method: guard text == "GET" else { throw .method }
    case .otherMethod: throw .method
    case .insecure: isInsecure = true
    case .bracketsAsTheyAre: takesBracketsAsTheyAre = true
    case .withoutEffect: break
    case .file: throw .file(name)
    case .proxy: throw .proxy(name)
    case .body: throw .body(name)
    case nil: throw .unknown(String(name.prefix { $0 != "=" }))
    }
  }
}

extension CurlCommandLine {
  private mutating func take(_ value: Value, from name: String = "") throws(Problem) {
    switch value.part {
    // What bash leaves of an address in cmd.exe's quotes, and of the end of a line.
    case .url where value.text == "^" || value.text.hasPrefix("^http"): throw .windowsForm
    case .url where values.contains { $0.part == .url }: throw .severalURLs
    case .header where value.text.utf8.first == UInt8(ascii: "@"): throw .file(name)
    case .header where Self.isBrowsersOwn(value.text): leftOut.append(Self.fieldName(value.text))
    // A jar that is empty has nothing to send.
    case .cookie where value.text.isEmpty: return
    // Without a `=`, or with an @, it is a file's name to curl.
    case .cookie where value.text.utf8.first == UInt8(ascii: "@"), .cookie where !value.text.utf8.contains(0x3d):
      throw .file(name)
    default: values.append(value)
    }
  }

  private mutating func finish() throws(Problem) {
    guard let place = values.firstIndex(where: { $0.part == .url }), !values[place].text.isEmpty else { throw .noURL }
    if !takesBracketsAsTheyAre { values[place].text = try Self.withoutPattern(values[place].text) }
  }

  /// Fields of the browser's own request for a part, a copy or a page that it has: a download asks in its own way.
  private static func isBrowsersOwn(_ header: String) -> Bool {
    let name = fieldName(header).lowercased()
    return name.hasPrefix(":") || browsersOwn.contains(name)
  }

  /// HTTP/2's begin with a colon: `:authority`.
  private static func fieldName(_ header: String) -> String {
    let start = header.hasPrefix(":") ? ":" : ""
    return start + header.dropFirst(start.count).prefix { $0 != ":" && $0 != ";" }
  }

  private static let browsersOwn: Set = [
    "accept-encoding", "connection", "content-length", "expect", "if-match", "if-modified-since", "if-none-match",
    "if-range", "if-unmodified-since", "keep-alive", "proxy-connection", "range", "te", "trailer", "transfer-encoding",
    "upgrade",
  ]

  /// curl takes `{a,b}` and `[1-9]` for patterns, but for an address in brackets (curl(1), URL); a backslash before a
  /// bracket makes it one like any other.
  private static func withoutPattern(_ url: String) throws(Problem) -> String {
    let bytes = Array(url.utf8)
    let start = (0..<max(0, bytes.count - 2)).first { bytes[$0...].starts(with: "://".utf8) }.map { $0 + 3 } ?? 0
    let path = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    var plain = Array(bytes[..<path])
    var rest = bytes[path...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let next = rest.first, "[]{}".utf8.contains(next) {
        plain.append(next)
        rest.removeFirst()
      } else {
        guard !"[]{}".utf8.contains(byte) else { throw .pattern }
        plain.append(byte)
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }
}
