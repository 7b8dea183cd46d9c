/// What the command is asked to do.
enum Verb: Hashable, Sendable, CaseIterable {
  case fetch
  case resume
  case verify
  case status

  /// The verb that a first word names; nil where the word is a URL.
  init?(word: String) {
    switch word {
    case "resume": self = .resume
    case "verify": self = .verify
    case "status": self = .status
    default: return nil
    }
  }

  /// As it is typed; nil for the one that needs no word.
  var word: String? {
    switch self {
    case .fetch: nil
    case .resume: "resume"
    case .verify: "verify"
    case .status: "status"
    }
  }

  /// Words that will be verbs, and are no URLs until then.
  static let notBuilt: Set = ["curl", "plan", "join"]
}
