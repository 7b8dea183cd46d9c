import FaultCatalogue
import TestSupport
import Testing

@testable import swoop

/// The completions in the shells that they are for.
@Suite(.waiting) struct CompletionTests {
  private static let parts = ["a.part", "c d.part", "sub", "x:y.part"]
  private static let all = ["a.part", "a.part.json", "b.iso", "c d.part", "sub", "x:y.part"]

  /// Lines, and all that must be offered at their ends.
  private static let cases: [(line: String, words: [String])] = [
    // Verbs, where none has been typed, and not where something else stands for a URL.
    ("swoop ", ["curl", "join", "plan", "resume", "status", "verify"]), ("swoop -q -n 4 s", ["status"]),
    ("swoop http://h/x ", []),
    ("swoop http://h/x res", []), ("swoop -- ", []), ("swoop -o res", []),
    // Names of options.
    ("swoop --ch", ["--checksum", "--checksum-file"]), ("swoop http://h/x --fo", ["--force"]), ("swoop --nonsense", []),
    ("swoop --mir", ["--mirror"]), ("swoop --mi", ["--min-split", "--mirror"]), ("swoop join --mi", []),
    ("swoop --ur", []), ("swoop resume --ur", ["--url"]), ("swoop resume --out", []),
    ("swoop verify --md", ["--md5"]), ("swoop verify --fo", []), ("swoop status --md", []),
    ("swoop -o resume --ur", []), ("swoop -o x resume --ur", ["--url"]), ("swoop -qo x resume --ur", ["--url"]),
    ("swoop -x http://h:1 resume --ur", ["--url"]), ("swoop --output=x resume --ur", ["--url"]),
    // Nothing of the kind behind -- and curl.
    ("swoop -- --ch", []), ("swoop http://h/x -- --ch", []), ("swoop resume -- --ur", []), ("swoop -- resume ", []),
    ("swoop curl ", []), ("swoop curl --", []), ("swoop -q curl -", []), ("swoop curl 'http://h' -H", []),
    // Values.
    ("swoop --progress ", ["auto", "bar", "json", "none", "plain"]), ("swoop --progress=b", ["bar"]),
    ("swoop --progress x", []), ("swoop --checksum md", ["md5:"]),
    ("swoop --checksum=sha51", ["sha512-224:", "sha512-256:", "sha512:"]),
    ("swoop --checksum md5:0", []), ("swoop --generate z", ["zsh"]), ("swoop -n ", []), ("swoop --sha256 ", []),
    ("swoop -o ", all), ("swoop --cacert=b", ["b.iso"]), ("swoop -d ", ["sub"]), ("swoop --directory=s", ["sub"]),
    ("swoop --directory b", []), ("swoop -qd ", ["sub"]),
    // Files of the verbs.
    ("swoop resume ", parts), ("swoop status ", parts), ("swoop resume sub/", ["sub/e.part"]),
    ("swoop resume c\\ d", ["c d.part"]), ("swoop resume b", []), ("swoop resume -- ", parts), ("swoop verify ", all),
    ("swoop verify -c b", ["b.iso"]), ("swoop --force resume s", ["sub"]),
  ]

  @Test(arguments: Shell.allCases) func offers(shell: Shell) throws {
    let offers = try shell.offers(for: Self.cases.map(\.line))
    for (offered, expected) in zip(offers, Self.cases) {
      // zsh offers names without the folders before them.
      let words = shell == .zsh ? expected.words.map { String($0.split(separator: "/").last ?? "") } : expected.words
      #expect(offered == words.sorted(), "\(shell): '\(expected.line)'")
    }
  }

  /// All names of a verb's options, and nothing else.
  @Test(arguments: Shell.allCases) func offersTheOptionsOfTheVerb(shell: Shell) throws {
    let offers = try shell.offers(for: Verb.allCases.map { "swoop " + ($0.word.map { "\($0) " } ?? "") + "-" })
    for (offered, verb) in zip(offers, Verb.allCases) {
      let flags = Flags.all.filter { $0.category != .habits && $0.verbs.contains(verb) }
      #expect(offered == Set(flags.flatMap { $0.names(with: verb) }).sorted(), "\(shell): \(verb)")
    }
  }

  /// Where only one word is offered, bash inserts it: the value behind =, a name with a blank, one with a colon.
  @Test func bashInsertsTheOnlyWord() throws {
    let cases: [(line: String, words: [String])] = [
      ("swoop --progress=b", ["--progress=bar"]), ("swoop --checksum=md", ["--checksum=md5:"]),
      ("swoop resume c", ["resume", "c d.part"]), ("swoop resume x", ["resume", "x:y.part"]),
      ("swoop --cacert=b", ["--cacert=b.iso"]), ("swoop verify -c b", ["verify", "-c", "b.iso"]),
      ("swoop -d s", ["-d", "sub/"]), ("swoop --conn", ["--connect"]), ("swoop resume b", ["resume", "b"]),
    ]
    for (words, expected) in zip(try Shell.bashInserts(cases.map(\.line)), cases) {
      #expect(words == expected.words, "'\(expected.line)'")
    }
  }
}
