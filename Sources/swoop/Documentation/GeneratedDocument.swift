internal import DownloadCore

/// What `--generate` prints; each is made from the tables of options, calls and exit codes alone.
enum GeneratedDocument: String, CaseIterable, Sendable {
  case man, bash, zsh, fish

  init(typed text: String) throws(DownloadError) {
    guard let document = Self(rawValue: text) else {
      throw .usage("--generate is man, bash, zsh or fish, not '\(Redactor.address(text))'")
    }
    self = document
  }

  /// The whole text, with a line break at its end.
  var text: String {
    switch self {
    case .man: ManPage(Flags.all).text
    case .bash: BashCompletion(Flags.all).text
    case .zsh: ZshCompletion(Flags.all).text
    case .fish: FishCompletion(Flags.all).text
    }
  }
}
