internal import DownloadCore

/// Tells a URL without a scheme from what is none: a mistyped verb, another tool's word, the name of a file. Asking for
/// a host of that name would only cost time. What exists on the disk is told by a closure.
struct TypedURL {
  private let word: String
  private let kind: OutputName.Kind

  private init(_ word: String, kind: OutputName.Kind) {
    self.word = word
    self.kind = kind
  }

  /// Whether a word has what looks like `USER:PASSWORD@` in it.
  static func hasLogin(_ word: String) -> Bool {
    word.lastIndex(of: "@").map { word[..<$0].contains(":") } ?? false
  }

  /// Throws a usage error for a word that is no URL, with what was meant as far as that can be told.
  static func check(_ word: String, kind: (String) -> OutputName.Kind) throws(DownloadError) {
    guard !word.isEmpty else { throw .usage("a URL is empty") }
    guard !word.contains(":") else { return }
    let typed = TypedURL(word, kind: kind(word))
    guard !typed.isHost else { return }
    throw typed.error
  }

  /// Whether the word begins with a host. A bare word needs a dot inside and no file of its name; one with a path only
  /// fails where it cannot be meant so.
  private var isHost: Bool {
    guard let slash = word.firstIndex(of: "/") else {
      return kind == .nothing && !isPartName && !Self.isMetalinkName(word) && Self.isHostName(word)
    }
    let first = word[..<slash]
    guard !["", ".", "..", "~"].contains(first) else { return false }
    return kind == .nothing || Self.isHostName(first)
  }

  /// Whether a word ends as metalinks do, of which version 3 is not read.
  static func isMetalinkName(_ word: String) -> Bool {
    word.endsIgnoringCase(Metalink.ending) || word.endsIgnoringCase(Metalink.endingOfVersion3)
  }

  private static func isHostName(_ text: some StringProtocol) -> Bool {
    let name = text.prefix { $0 != "?" && $0 != "#" }
    return name.lowercased() == "localhost" || name.dropFirst().dropLast().contains(".")
  }
}

extension TypedURL {
  private var error: DownloadError {
    if isPartName { return notAURL(meant: "swoop resume \(kind == .nothing ? Redactor.address(word) : word)") }
    switch kind {
    case .file: return .usage("'\(word)' is a file that is here, not a URL; did you mean swoop verify?")
    case .folder: return .usage("'\(word)' is a folder that is here, not a URL; did you mean -d \(word)?")
    case .stream: return .usage("'\(word)' is a device or FIFO that is here, not a URL")
    case .nothing where Self.isMetalinkName(word): return .usage("no such file: '\(Redactor.address(word))'")
    case .nothing: return notAURL(meant: Self.meant(by: word))
    }
  }

  private var isPartName: Bool {
    !word.contains("?") && (word.hasSuffix(".part") || word.hasSuffix(".part.json"))
  }

  /// A query is not shown: there may be a secret in it.
  private func notAURL(meant: String?) -> DownloadError {
    let hint = meant.map { "did you mean \($0)?" } ?? "try 'swoop -h'"
    return .usage(DownloadError.notAURL(String(word.prefix { $0 != "?" })).message + "; " + hint)
  }

  /// What a word stands for in other tools, or is nearly.
  private static func meant(by word: String) -> String? {
    if let alias = aliases[word.lowercased()] { return alias }
    // aria2's `-s 16`: `-s` is quiet here, and the number is left over.
    if word.isDigits { return "-n \(word)" }
    let names = Verb.allCases.compactMap(\.word)
    if names.contains(word) { return "swoop \(word)" }
    guard word.count > 3 else { return nil }
    let ranked = (names + aliases.keys.sorted()).map { ($0, Suggestion.distance(word.lowercased(), $0)) }
    guard let (name, distance) = ranked.min(by: { $0.1 < $1.1 }), distance <= max(1, word.count / 4) else { return nil }
    return aliases[name] ?? name
  }

  private static let aliases = [
    "help": "--help", "usage": "--help", "man": "--help", "version": "--version", "get": "swoop URL",
    "fetch": "swoop URL", "download": "swoop URL", "add": "swoop URL", "continue": "swoop resume",
    "invoke-webrequest": "swoop curl, with the line copied as cURL (bash)",
    "check": "swoop verify", "checksum": "swoop verify", "info": "swoop status", "show": "swoop status",
  ]
}
