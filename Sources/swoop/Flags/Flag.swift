/// One option: its names, its value, its help and what it does to the arguments. Parser and help read nothing else.
struct Flag: Sendable {
  enum Effect: Sendable {
    case toggle(@Sendable (inout Arguments) -> Void)
    /// The value's placeholder in the help, and what its text does; throws a usage error.
    case value(String, @Sendable (inout Arguments, String) throws -> Void)
  }

  var long: String?
  var short: Character?
  var category: Category
  /// One line, for `-h`.
  var help = ""
  /// What `--help` adds.
  var details = ""
  /// What is said behind a verb where the words above do not hold.
  var words: [Verb: Words] = [:]
  /// The verbs that it means something to.
  var verbs: Set<Verb> = Flag.downloads
  /// With `verify` it means something only where there is something to fetch.
  var needsRepair = false
  /// Short names that it has with one verb alone.
  var shortNames: [Verb: Character] = [:]
  /// What shells offer for its value; nil: what the placeholder stands for.
  var values: Values?
  /// What in its value must not stay readable in the process list.
  var secret: SecretPart?
  var effect: Effect

  /// Nil: as without a verb.
  struct Words: Sendable {
    var help: String?
    var details: String?
  }

  static let downloads: Set<Verb> = [.fetch, .resume]
  /// Those that go to the address itself; `verify` does so with `--repair` alone.
  static let requests: Set<Verb> = [.fetch, .resume, .verify, .plan]
  /// Those that may fetch something, if only a list of digests.
  static let network: Set<Verb> = [.fetch, .resume, .verify, .plan]
  static let allVerbs = Set(Verb.allCases)

  /// All its names but those with one verb alone, the short one first.
  var allNames: [String] { (short.map { ["-\($0)"] } ?? []) + (long.map { ["--\($0)"] } ?? []) }

  /// As they may be typed with a verb, the short ones first.
  func names(with verb: Verb) -> [String] {
    (shortNames[verb].map { ["-\($0)"] } ?? []) + allNames
  }

  /// As it is named in messages, the long name first.
  var name: String { long.map { "--\($0)" } ?? short.map { "-\($0)" } ?? "" }

  /// Whether helps, README and completions have it among the options.
  var isOffered: Bool { category != .habits }

  var takesValue: Bool {
    switch effect {
    case .toggle: false
    case .value: true
    }
  }

  var placeholder: String? {
    if case .value(let placeholder, _) = effect { placeholder } else { nil }
  }
}

extension [Flag] {
  /// Those that mean something to a verb; habits are accepted, but not offered.
  func offered(with verb: Verb) -> [Flag] { filter { $0.isOffered && $0.verbs.contains(verb) } }
}

extension Flag {
  /// The headings of the full help, in its order.
  enum Category: String, CaseIterable, Sendable {
    case output = "Where the file goes"
    case parts = "Parts of files, joining and repairing"
    case transfer = "Connections and patience"
    case digests = "Digests"
    case request = "The request"
    case network = "Network, proxies and TLS"
    case configuration = "Config file"
    case messages = "Messages"
    case habits = "Habits of curl and wget, accepted without effect"
  }
}
