/// A way to call the command: a row of the table that helps, man page and completions have.
struct Call: Sendable {
  /// What a shell can offer for the words that are no options.
  enum Operands: Hashable, Sendable {
    /// Nothing: URLs, or words that another program made.
    case none
    case files
    /// Partial files.
    case parts
  }

  /// The first word that is no option; nil for the call that needs none.
  let word: String?
  /// What its options are those of.
  let verb: Verb
  /// The ways to write it: all words but the command's own name.
  let forms: [String]
  /// One line, as a list of verbs has it.
  let purpose: String
  var details = ""
  var operands = Operands.none
  /// Whether no option of swoop's may follow the word.
  var endsOptions = false

  static let all = [
    Call(
      word: nil, verb: .fetch, forms: ["[options] URL..."], purpose: "fetch each URL into its own file",
      details: "A URL without a scheme is http. The same command again resumes what was cut off."),
    Call(
      word: "resume", verb: .resume, forms: ["resume [options] NAME.part..."], purpose: "go on with a partial file",
      details: "The address comes from the file beside it, NAME.part.json, or from --url where the old one has "
        + "expired. Headers, cookies and logins must be given again: they are not stored.", operands: .parts),
    Call(
      word: "verify", verb: .verify,
      forms: [
        "verify [digest options] FILE...", "verify -c SUMS [FILE...]", "verify --repair URL [digest options] FILE",
      ],
      purpose: "check files that are here already",
      details: "Says OK, FAILED (exit code 5) or FAILED open or read (7) of each. verify -c SUMS checks all of a list, "
        + "as sha256sum -c does.", operands: .files),
    Call(
      word: "status", verb: .status, forms: ["status NAME.part..."],
      purpose: "say how much of a partial file is here, from where, and what is missing", operands: .parts),
    Call(
      word: "plan", verb: .plan, forms: ["plan URL --parts N [--part I]"],
      purpose: "cut a file into parts for several machines to fetch",
      details: "Prints JSON: url, length, etag, lastModified, and of each part index, range (for --range), offset and "
        + "length; with --part the range of that one alone. Every machine that asks gets the same as long as the file is "
        + "the same. A server that tells no length or gives no ranges: exit code 4."),
    Call(
      word: "join", verb: .join, forms: ["join [-o FILE] [--sha256 HEX] PART...", "join [--sha256 HEX] FILE"],
      purpose: "check parts and join them to the whole file",
      details:
        "Parts are files that --range and --keep-manifest have made, with their manifests beside them; they may be "
        + "given in any order. Each is compared with its checksums, all must be of one URL and version and cover the "
        + "file exactly, and what --sha256 and the like or --checksum give is compared with the whole in the same "
        + "reading. The parts stay, unless --remove-parts is given. A FILE that is joined already is known by its "
        + "digest, or the parts' checksums: exit code 0. Without -o the file is named after the URL. A FILE that was filled in place (--output-offset) is "
        + "checked where it is, and its FILE.A-B.part.json are removed when it is right.", operands: .files),
    Call(
      word: "curl", verb: .fetch, forms: ["[options] curl 'URL' -H '...' ..."],
      purpose: "take a browser's \"Copy as cURL\" as it is",
      details: "All words after curl are curl's; swoop's own options stand before it.", endsOptions: true),
  ]

  /// Those that a word chooses.
  static let named = all.filter { $0.word != nil }

  /// The call that a verb's word chooses; nil for the verb without one.
  static func named(_ verb: Verb) -> Call? { verb.word.flatMap { word in all.first { $0.word == word } } }

  /// `swoop` and the word.
  var command: String { (["swoop"] + [word].compactMap { $0 }).joined(separator: " ") }
}
