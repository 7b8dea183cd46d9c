internal import DownloadCore

extension Flags {
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
        """, verbs: Flag.allVerbs, effect: .toggle { $0.isVerbose = true }),
    Flag(
      long: "progress", category: .messages, help: "auto, bar, plain, json or none (auto)",
      details: """
        auto is a bar on a terminal, otherwise plain: a line every 10 % or 30 s, which suits a screen reader too. \
        json: every line of standard error is an event, a JSON object.
        """, verbs: Flag.allVerbs,
      effect: .value("HOW") { $0.progress = try ProgressChoice(typed: $1) }),
    Flag(
      long: "json", category: .messages, help: "how each file ended, as JSON on standard output",
      details: "An object a line, of failures too; with status and verify as well.", verbs: Flag.allVerbs,
      effect: .toggle { $0.printsJSON = true }),
    Flag(
      short: "h", category: .messages, help: "the options, a line each", verbs: Flag.allVerbs,
      effect: .toggle { $0.information = .shortHelp }),
    Flag(
      long: "help", category: .messages, help: "the full help", verbs: Flag.allVerbs,
      effect: .toggle { $0.information = .fullHelp }),
    Flag(
      long: "version", short: "V", category: .messages, help: "versions of swoop and its libraries",
      verbs: Flag.allVerbs, effect: .toggle { $0.information = .version }),
  ]

  static let habits: [Flag] = [
    habit("L", "redirects are followed anyway"),
    habit("O", "the file is named after the URL anyway"),
    habit("J", "Content-Disposition is heeded anyway"),
    habit("f", "an error page is never saved anyway"),
    habit("S", "errors are shown anyway"),
    habit("c", "a partial file of swoop's is resumed anyway"),
    Flag(
      short: "C", category: .habits, help: "the same; its value can only be '-'",
      effect: .value("-") { _, text in
        guard text == "-" else { throw DownloadError.usage("-C takes only '-': swoop finds the place by itself") }
      }),
    Flag(short: "s", category: .habits, help: "is -q", verbs: Flag.allVerbs, effect: .toggle { $0.isQuiet = true }),
  ]

  private static func habit(_ short: Character, _ help: String) -> Flag {
    Flag(short: short, category: .habits, help: help, verbs: Flag.allVerbs, effect: .toggle { _ in })
  }

  /// What later versions have: known, so that it is never taken for something else.
  static let notBuilt: [Flag] =
    [
      "mirror", "limit-rate", "interface", "resolve", "config", "range", "output-offset",
      "window", "metalink", "repair",
    ].map { later($0, takesValue: true) }
    + ["netrc", "no-config", "keep-manifest"].map { later($0, takesValue: false) }
    + [
      later("input", short: "i", takesValue: true), later("jobs", short: "j", takesValue: true),
      later(short: "4", takesValue: false), later(short: "6", takesValue: false),
    ]

  private static func later(_ long: String? = nil, short: Character? = nil, takesValue: Bool) -> Flag {
    Flag(
      long: long, short: short, category: .messages, verbs: Flag.allVerbs, effect: .notBuilt(takesValue: takesValue))
  }
}
