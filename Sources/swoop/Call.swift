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
      word: "verify", verb: .verify, forms: ["verify [digest options] FILE...", "verify -c SUMS [FILE...]"],
      purpose: "check files that are here already",
      details: "Says OK, FAILED (exit code 5) or FAILED open or read (7) of each. verify -c SUMS checks all of a list, "
        + "as sha256sum -c does.", operands: .files),
    Call(
      word: "status", verb: .status, forms: ["status NAME.part..."],
      purpose: "say how much of a partial file is here, from where, and what is missing", operands: .parts),
    Call(
      word: "curl", verb: .fetch, forms: ["[options] curl 'URL' -H '...' ..."],
      purpose: "take a browser's \"Copy as cURL\" as it is",
      details: "All words after curl are curl's; swoop's own options stand before it.", endsOptions: true),
  ]

  /// Those that a word chooses.
  static let named = all.filter { $0.word != nil }
}
