internal import DownloadCore

extension Flags {
  static let configuration: [Flag] = [
    Flag(
      long: "config", category: .configuration, help: "options from a file, instead of the usual one",
      details: "A line each: long-name=value, or long-name alone for a switch; # begins a comment line. What is typed "
        + "counts before it; - is standard input. A file that holds secrets must be for its owner alone (0600).",
      verbs: Flag.allVerbs, effect: .value("FILE") { try $0.takeConfiguration($1) }),
    Flag(
      long: "no-config", category: .configuration, help: "do not read $XDG_CONFIG_HOME/swoop/config",
      details: "Without XDG_CONFIG_HOME that is ~/.config/swoop/config.", verbs: Flag.allVerbs,
      effect: .toggle { $0.ignoresConfiguration = true }),
  ]

  static let messages: [Flag] = [
    Flag(
      long: "quiet", short: "q", category: .messages, help: "nothing but errors",
      verbs: Flag.allVerbs, effect: .toggle { $0.isQuiet = true }),
    Flag(
      long: "verbose", short: "v", category: .messages, help: "what is asked and answered, and when",
      details: """
        A line each, after 'swoop: *': seconds since the start, the connection (#- is HEAD's), then > what is asked \
        (first and last byte), < what is answered, | where a range ends now, = what came (both: the first byte after), \
        and without a connection + how many there may be. Secrets are left out.
        """,
      words: [
        .status: .init(help: "which config file was read", details: ""),
        .join: .init(help: "which config file was read", details: ""),
      ], verbs: Flag.allVerbs, effect: .toggle { $0.isVerbose = true }),
    Flag(
      long: "progress", category: .messages, help: "auto, bar, plain, json or none (auto)",
      details: """
        auto is a bar on a terminal, otherwise plain: a line every 10 % or 30 s, which suits a screen reader too. \
        json: every line of standard error is an event, a JSON object.
        """,
      words: [
        .verify: .init(details: barAlone), .join: .init(details: barAlone), .status: .init(details: eventsAlone),
        .plan: .init(details: eventsAlone),
      ], verbs: Flag.allVerbs,
      values: .words(["auto", "bar", "plain", "json", "none"]),
      effect: .value("HOW") { $0.progress = try ProgressChoice(typed: $1) }),
    Flag(
      long: "json", category: .messages, help: "how each file ended, as JSON on standard output",
      details: "An object a line, of failures too; with status and verify as well. With -o - on standard error.",
      words: [
        .resume: .init(details: "An object a line, of failures too."),
        .verify: .init(
          help: "how it is with each file, as JSON on standard output",
          details: "An object a line, of failures too, instead of OK and FAILED."),
        .status: .init(
          help: "how it is with each part, as JSON on standard output", details: "An object a line, of failures too."),
        .plan: .init(
          help: "failures as JSON on standard output, too",
          details: "The plan is JSON anyway; it has the members exit and error then."),
        .join: .init(help: "how it ended, as JSON on standard output", details: "One object, of a failure too."),
      ],
      verbs: Flag.allVerbs,
      effect: .toggle { $0.printsJSON = true }),
    Flag(
      short: "h", category: .messages, help: "the options, a line each",
      details: "Behind a verb, here and with --help, those of the verb alone: swoop plan -h.",
      words: Dictionary(uniqueKeysWithValues: Verb.allCases.filter { $0.word != nil }.map { ($0, .init(details: "")) }),
      verbs: Flag.allVerbs,
      effect: .toggle { $0.information = .shortHelp }),
    Flag(
      long: "help", category: .messages, help: "the full help", verbs: Flag.allVerbs,
      effect: .toggle { $0.information = .fullHelp }),
    Flag(
      long: "generate", category: .messages, help: "print the man page or completions: man, bash, zsh or fish",
      details: "To standard output, made from the same table as this help.", verbs: Flag.allVerbs,
      values: .words(GeneratedDocument.allCases.map(\.rawValue)),
      effect: .value("KIND") { $0.information = .document(try GeneratedDocument(typed: $1)) }),
    Flag(
      long: "version", short: "V", category: .messages, help: "versions of swoop and its libraries",
      verbs: Flag.allVerbs, effect: .toggle { $0.information = .version }),
  ]

  private static let barAlone =
    "auto is a bar on a terminal, otherwise none. plain: a line every 10 % or 30 s, which suits a screen reader too. "
    + "json: every line of standard error is an event, a JSON object."
  private static let eventsAlone =
    "There is nothing to draw. json: every line of standard error is an event, a JSON object."

  static let habits: [Flag] = [
    habit("L", "redirects are followed anyway"),
    habit("O", "the file is named after the URL anyway"),
    habit("J", "Content-Disposition is heeded anyway"),
    habit("f", "an error page is never saved anyway"),
    habit("S", "errors are shown anyway"),
    habit("c", "a partial file of swoop's is resumed anyway", details: "verify -c SUMS is --checksum-file SUMS."),
    Flag(
      short: "C", category: .habits, help: "the same; its value can only be '-'",
      effect: .value("-") { _, text in
        guard text == "-" else { throw DownloadError.usage("-C takes only '-': swoop finds the place by itself") }
      }),
    Flag(short: "s", category: .habits, help: "is -q", verbs: Flag.allVerbs, effect: .toggle { $0.isQuiet = true }),
  ]

  private static func habit(_ short: Character, _ help: String, details: String = "") -> Flag {
    Flag(short: short, category: .habits, help: help, details: details, verbs: Flag.allVerbs, effect: .toggle { _ in })
  }
}
