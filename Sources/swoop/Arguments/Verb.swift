/// What the command is asked to do.
enum Verb: Hashable, Sendable, CaseIterable {
  case fetch
  case resume
  case verify
  case status
  case plan
  case join

  /// The verb that a first word names; nil where the word is a URL.
  init?(word: String) {
    guard let verb = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = verb
  }

  /// As it is typed; nil for the one that needs no word.
  var word: String? {
    switch self {
    case .fetch: nil
    case .resume: "resume"
    case .verify: "verify"
    case .status: "status"
    case .plan: "plan"
    case .join: "join"
    }
  }
}
