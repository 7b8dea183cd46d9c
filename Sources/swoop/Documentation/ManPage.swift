internal import DownloadCore

/// The man page, in the macros of man(7): groff and mandoc read it alike.
struct ManPage {
  private let flags: [Flag]

  init(_ flags: [Flag]) { self.flags = flags }

  /// The whole page. Its date is the version's, so that the same version always has the same page.
  var text: String {
    let head = """
      .\\" Made by swoop --generate man.
      .TH SWOOP 1 \(Version.date) "swoop \(Version.current)"
      .nh
      .ad l
      .SH NAME
      swoop \\- fetch files over several connections, resume, and verify

      """
    return head + synopsis + section("DESCRIPTION", ManText.paragraph(Topic.summary) + topics) + calls + options
      + exitStatus + section("FILES", entries(Self.files)) + section("ENVIRONMENT", entries(Self.environment))
      + section("EXAMPLES", examples) + section("SEE ALSO", seeAlso)
  }

  private func section(_ title: String, _ body: String) -> String { ".SH \(title)\n" + body }

  private var synopsis: String {
    let lines = Call.all.flatMap(\.forms).map { "\(ManText.bold("swoop")) \(ManText.escaped($0))\n" }
    return section("SYNOPSIS", ".nf\n" + lines.joined() + ".fi\n")
  }

  private var topics: String {
    Topic.all.map { ".SS \(ManText.escaped($0.title))\n" + ManText.paragraph($0.text) }.joined()
  }

  private var calls: String {
    let entries = Call.all.map { call in
      let words = [call.purpose + ".", call.details, call.endsOptions ? "" : optionsTaken(by: call.verb)]
      return ".TP\n\(ManText.bold(call.word ?? "URL..."))\n" + ManText.paragraph(words.joined(separator: " "))
    }
    let rule =
      "The verb is the first word that is no option. Options may stand before or after URLs and files; "
      + "--name value and --name=value are the same; -- ends them."
    return section("VERBS", ManText.paragraph(rule) + entries.joined())
  }

  /// Which options a verb takes, by those that it does not where these are fewer.
  private func optionsTaken(by verb: Verb) -> String {
    let offered = flags.filter(\.isOffered)
    let taken = flags.offered(with: verb)
    let refused = offered.filter { !$0.verbs.contains(verb) }
    guard !refused.isEmpty else { return "It takes every option." }
    let isShort = refused.count < taken.count
    let names = (isShort ? refused : taken).map(\.name)
    return "It takes " + (isShort ? "every option but " : "") + Self.list(names) + "."
  }

  /// `a, b and c`.
  private static func list(_ names: [String]) -> String {
    let last = names.suffix(2).joined(separator: " and ")
    return (names.dropLast(2) + [last]).joined(separator: ", ")
  }

  private var options: String {
    let categories = Flag.Category.allCases.map { category in (category, flags.filter { $0.category == category }) }
    return section("OPTIONS", "")
      + categories.filter { !$1.isEmpty }.map { category, flags in
        ".SS \(ManText.escaped(category.rawValue))\n" + flags.map(option).joined()
      }.joined()
  }

  /// As in the full help: what it does in one line, then the details.
  private func option(_ flag: Flag) -> String {
    let names = flag.allNames.map(ManText.bold).joined(separator: ", ")
    let value = flag.placeholder.map { " " + ManText.italic($0) } ?? ""
    let details = flag.details.isEmpty ? "" : ".br\n" + ManText.paragraph(flag.details)
    return ".TP\n\(names)\(value)\n" + ManText.paragraph(flag.help + (flag.help.hasSuffix(".") ? "" : ".")) + details
  }

  private var exitStatus: String {
    let codes = ExitCode.all.map { code in
      let leavings = code.leavings.isEmpty ? "" : ".br\n" + ManText.paragraph("\(code.leavings).")
      return ".TP\n\(ManText.bold(code.code))\n" + ManText.paragraph(code.meaning + ".") + leavings
    }
    let rule = "Behind the meaning of each code, what is left on the disk."
    return section(
      "EXIT STATUS", ManText.paragraph(rule) + codes.joined() + ".PP\n" + ManText.paragraph(Topic.severalURLs))
  }

  private func entries(_ entries: [Entry]) -> String {
    entries.filter { entry in entry.option.map { name in flags.contains { $0.long == name } } ?? true }
      .map { ".TP\n\(ManText.bold($0.name))\n" + ManText.paragraph($0.text) }.joined()
  }

  private var examples: String {
    Self.examples.map { example in
      ManText.paragraph(example.text) + ".PP\n.RS 4\n.nf\n" + ManText.literal(example.name) + ".fi\n.RE\n"
    }.joined(separator: ".PP\n")
  }

  private var seeAlso: String {
    Self.seeAlso.map { ".BR \($0) (1)" }.joined(separator: " ,\n") + "\n"
  }
}
