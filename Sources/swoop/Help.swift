/// The two helps, made from the tables of calls and options; those of a verb are in `Help+Verb.swift`.
enum Help {
  /// A line for each option.
  static var short: String {
    usage + "\n" + Flags.all.filter(\.isOffered).map { line($0) + "\n" }.joined()
      + "\nAll there is to say: swoop --help; of a verb alone: swoop verify --help\n"
  }

  /// Everything, by category.
  static var full: String {
    usage + "\n" + Flag.Category.allCases.map(section).joined(separator: "\n") + "\n" + ending
  }

  private static var usage: String { Topic.summary + "\n\n" + usage(of: Call.all) }

  /// The ways to write these calls.
  static func usage(of calls: [Call]) -> String {
    "usage: " + calls.flatMap(\.forms).map { "swoop \($0)\n" }.joined(separator: "       ")
  }

  private static var ending: String {
    let topics = Topic.all.map { topic in
      ([topic.title] + TextLines.filled(topic.text, columns: 95).map { "  " + $0 }).map { $0 + "\n" }.joined()
    }
    let codes = ExitCode.all.map { code in
      String(repeating: " ", count: 7 - code.code.count) + "\(code.code)  \(code.meaning)\n"
    }
    return (topics + ["Exit codes\n" + codes.joined()]).joined(separator: "\n")
  }

  private static func section(_ category: Flag.Category) -> String {
    let flags = Flags.all.filter { $0.category == category }
    return category.rawValue + "\n" + flags.map { entry($0) }.joined()
  }

  /// An option's line, and its details below.
  static func entry(_ flag: Flag, with verb: Verb = .fetch) -> String {
    let indent = String(repeating: " ", count: column + 2)
    let details = TextLines.filled(flag.details(with: verb), columns: 62).map { indent + $0 }
    return ([line(flag, with: verb)] + details).map { $0 + "\n" }.joined()
  }

  /// Where the explanations begin.
  private static let column = 34

  /// `  -o, --output FILE                 the file's name`.
  static func line(_ flag: Flag, with verb: Verb = .fetch) -> String {
    let letter = flag.shortNames[verb] ?? flag.short
    let short = letter.map { "-\($0)" } ?? "  "
    let long = flag.long.map { (letter == nil ? "  --" : ", --") + $0 } ?? ""
    let names = "  \(short)\(long)" + (flag.placeholder.map { " \($0)" } ?? "")
    return names + String(repeating: " ", count: max(2, column - names.count)) + flag.help(with: verb)
  }
}
