extension Help {
  /// How a verb is called, and a line for each option that means something to it; without a verb `short`.
  static func short(of verb: Verb) -> String {
    guard let call = Call.named(verb) else { return short }
    let options = sections(of: verb, by: [nil]) { line($0, with: verb) + "\n" }
    return usage(of: [call]) + "\n" + options + "\nMore of these: \(call.command) --help\n"
  }

  /// What a verb does and how it is called, and its options with their details, by category; without a verb `full`.
  static func full(of verb: Verb) -> String {
    guard let call = Call.named(verb) else { return full }
    let details = TextLines.filled(call.details, columns: 97).map { $0 + "\n" }.joined()
    let beginning = ["\(call.command): \(call.purpose).\n", usage(of: [call])] + (details.isEmpty ? [] : [details])
    let options = sections(of: verb, by: Flag.Category.allCases) { entry($0, with: verb) }
    return beginning.joined(separator: "\n") + "\n" + options + "\nOther verbs, and exit codes: swoop --help\n"
  }

  /// A verb's options by categories (nil: of any, without a heading), those that only `--repair` gives a meaning last.
  private static func sections(
    of verb: Verb, by categories: [Flag.Category?], text: (Flag) -> String
  ) -> String {
    let offered = Flags.all.offered(with: verb)
    let onlyRepairs = offered.filter { verb == .verify && $0.needsRepair }
    let others = offered.filter { verb != .verify || !$0.needsRepair }
    let sections =
      categories.map { category in
        (category?.rawValue, others.filter { category == nil || $0.category == category })
      } + [("With --repair alone", onlyRepairs)]
    return sections.filter { !$1.isEmpty }.map { title, flags in
      (title.map { $0 + "\n" } ?? "") + flags.map(text).joined()
    }.joined(separator: "\n")
  }
}

extension Flag {
  /// Its one line in a verb's own help, which need not say with what verb.
  func help(with verb: Verb) -> String {
    if let help = words[verb]?.help { return help }
    let beginning = verb.word.map { "with \($0): " } ?? ""
    return help.hasPrefix(beginning) ? String(help.dropFirst(beginning.count)) : help
  }

  /// What its full help adds.
  func details(with verb: Verb) -> String { words[verb]?.details ?? details }
}
