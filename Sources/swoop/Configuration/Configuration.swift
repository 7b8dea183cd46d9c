internal import DownloadCore

/// Options from a file, which count as if they stood before those of the command line.
struct Configuration {
  /// Its path as typed, or as the environment gives it; in words for standard input.
  private let path: String
  private let text: ConfigurationText

  /// What the command line asks for, or else the usual file if it is there; nil for none.
  ///
  /// Throws `local` where the file cannot be read, or holds secrets that others may read, and `usage` where a file that
  /// was typed is missing or its lines make no sense.
  init?(for typed: Arguments) throws(DownloadError) {
    guard !typed.ignoresConfiguration, let path = typed.configuration ?? Environment.configuration else { return nil }
    guard let file = try ConfigurationFile(path, mustBeThere: typed.configuration != nil) else { return nil }
    let shown = path == "-" ? "standard input" : path
    self.path = shown
    do throws(ConfigurationText.Malformed) {
      text = try ConfigurationText(file.bytes)
    } catch {
      throw Self.error(shown, error.line, "it is no text in UTF-8, or has control characters")
    }
    if !file.isPrivate { try checkSecrets() }
  }

  /// The arguments that the command line begins with. What means nothing to the verb is checked and left out.
  func arguments(for verb: Verb) throws(DownloadError) -> Arguments {
    var arguments = Arguments()
    arguments.configurationRead = path
    for line in text.lines {
      var changed = arguments
      let flag = try flag(line)
      try apply(flag, line, to: &changed)
      if flag.verbs.contains(verb) { arguments = changed }
    }
    return arguments
  }

  private func apply(_ flag: Flag, _ line: ConfigurationText.Line, to arguments: inout Arguments) throws(DownloadError)
  {
    switch (flag.effect, line.value) {
    case (.toggle, .some): throw error(line, "\(line.name) takes no value")
    case (.toggle(let effect), nil): effect(&arguments)
    case (.value(let placeholder, _), nil): throw error(line, "\(line.name) needs a value: \(line.name)=\(placeholder)")
    case (.value(_, let effect), let value?):
      do {
        try effect(&arguments, value)
      } catch let problem as DownloadError {
        throw error(line, problem.message)
      } catch {
        throw self.error(line, "\(line.name): \(error)")
      }
    }
  }

  /// Whoever may read a file with secrets is to be its owner alone.
  private func checkSecrets() throws(DownloadError) {
    for line in text.lines {
      guard let value = line.value, let secret = Flags.named(line.name)?.secret, !secret.ranges(in: value).isEmpty
      else { continue }
      throw DownloadError(
        .local, "\(path):\(line.number): \(line.name) is a secret here, and others may read the file; chmod 600 \(path)"
      )
    }
  }
}

/// What a line means.
extension Configuration {
  /// Options that a file may not give.
  private static let typedOnly: Set = ["config", "no-config", "help", "version", "generate"]

  private func flag(_ line: ConfigurationText.Line) throws(DownloadError) -> Flag {
    guard !Self.typedOnly.contains(line.name) else { throw error(line, "\(line.name) cannot stand in a config file") }
    if let flag = Flags.named(line.name) { return flag }
    throw error(line, Self.unknown(line.name, value: line.value))
  }

  /// What is wrong with a line that names no option. What of it may be shown: a secret may stand in its wrong place.
  static func unknown(_ name: String, value: String?) -> String {
    let word = name.prefix { $0 != " " && $0 != "\t" && $0 != ":" }
    if value == nil || word.endIndex < name.endIndex, let flag = Flags.named(word), flag.takesValue {
      return "\(word) needs a = before its value: \(word)=\(flag.placeholder ?? "VALUE")"
    }
    if word.hasPrefix("-") { return "options stand without dashes here, by their long names" }
    guard word.endIndex == name.endIndex, word.allSatisfy({ $0.isASCII && $0.isLetter || $0 == "-" }),
      Verb(word: name) == nil, !word.isEmpty
    else { return "only options stand here, one a line: URLs and verbs stand on the command line" }
    let meant = Suggestion.meant(by: "--\(word)").flatMap { $0.hasPrefix("--") ? $0.dropFirst(2) : nil }
    return "unknown option \(word)" + (meant.map { "; did you mean \($0)?" } ?? "; swoop --help names all")
  }

  private func error(_ line: ConfigurationText.Line, _ message: String) -> DownloadError {
    Self.error(path, line.number, message)
  }

  private static func error(_ path: String, _ line: Int, _ message: String) -> DownloadError {
    .usage("\(path):\(line): \(message)")
  }
}
