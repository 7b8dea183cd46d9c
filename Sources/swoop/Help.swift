/// The two helps, made from the table of options.
enum Help {
  /// A line for each option.
  static var short: String {
    usage + "\n" + Flags.all.filter(\.isOffered).map { line($0) + "\n" }.joined()
      + "\nAll there is to say: swoop --help\n"
  }

  /// Everything, by category.
  static var full: String {
    usage + "\n" + Flag.Category.allCases.map(section).joined(separator: "\n") + "\n" + ending
  }

  private static var usage: String {
    let forms = Call.all.flatMap(\.forms).map { "swoop \($0)\n" }.joined(separator: "       ")
    return Topic.summary + "\n\nusage: " + forms
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
    return category.rawValue + "\n" + flags.map(entry).joined()
  }

  private static func entry(_ flag: Flag) -> String {
    let indent = String(repeating: " ", count: column + 2)
    return ([line(flag)] + TextLines.filled(flag.details, columns: 62).map { indent + $0 }).map { $0 + "\n" }.joined()
  }

  /// Where the explanations begin.
  private static let column = 34

  /// `  -o, --output FILE                 the file's name`.
  private static func line(_ flag: Flag) -> String {
    let short = flag.short.map { "-\($0)" } ?? "  "
    let long = flag.long.map { (flag.short == nil ? "  --" : ", --") + $0 } ?? ""
    let names = "  \(short)\(long)" + (flag.placeholder.map { " \($0)" } ?? "")
    return names + String(repeating: " ", count: max(2, column - names.count)) + flag.help
  }
}
