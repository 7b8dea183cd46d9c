internal import DownloadCore

/// How progress is shown, as typed.
enum ProgressChoice: Hashable, Sendable {
  case automatic
  case bar
  case plain
  case json
  case none

  init(typed text: String) throws(DownloadError) {
    switch text {
    case "auto": self = .automatic
    case "bar": self = .bar
    case "plain": self = .plain
    case "json": self = .json
    case "none": self = .none
    default: throw .usage("--progress is auto, bar, plain, json or none, not '\(Redactor.address(text))'")
    }
  }

  /// What that comes to where standard error goes. A terminal that does not say what it is may be one that can only
  /// print. `amidData`: the file itself goes to a terminal, where nothing is to be drawn between its bytes.
  func style(onTerminal isTerminal: Bool, kind: String?, amidData: Bool = false) -> ProgressStyle {
    if amidData, isTerminal, self != .json { return .none }
    return switch self {
    case .automatic: isTerminal && !(kind ?? "").isEmpty && kind != "dumb" ? .bar : .plain
    case .bar: .bar
    case .plain: .plain
    case .json: .json
    case .none: .none
    }
  }
}

/// How progress is shown.
enum ProgressStyle: Hashable, Sendable {
  /// A line or some, drawn over and over.
  case bar
  /// A line now and then.
  case plain
  /// Events for programs.
  case json
  case none
}
