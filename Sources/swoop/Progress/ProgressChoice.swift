internal import DownloadCore

/// How progress is shown, as typed.
enum ProgressChoice: Hashable, Sendable {
  case automatic
  case bar
  case plain
  case none

  init(typed text: String) throws(DownloadError) {
    switch text {
    case "auto": self = .automatic
    case "bar": self = .bar
    case "plain": self = .plain
    case "none": self = .none
    case "json": throw .notBuilt("--progress json")
    default: throw .usage("--progress is auto, bar, plain or none, not '\(Redactor.address(text))'")
    }
  }

  /// What that comes to where standard error goes.
  func style(onTerminal isTerminal: Bool, kind: String?) -> ProgressStyle {
    switch self {
    case .automatic: isTerminal && kind != "dumb" ? .bar : .plain
    case .bar: .bar
    case .plain: .plain
    case .none: .none
    }
  }
}

/// How progress is shown.
enum ProgressStyle: Hashable, Sendable {
  /// One line, drawn over and over.
  case bar
  /// A line now and then.
  case plain
  case none
}
