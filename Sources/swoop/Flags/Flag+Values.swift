extension Flag {
  /// What a shell can offer for the value of an option.
  enum Values: Hashable, Sendable {
    /// Nothing: only who types knows it.
    case text
    case file
    case folder
    case words([String])
    /// Words that more follows directly, such as `md5:`.
    case beginnings([String])
  }

  /// What shells offer: what the row says, else files for FILE, folders for DIR, and nothing for all else.
  var offeredValues: Values {
    if let values { return values }
    let words = (placeholder ?? "").split { !$0.isLetter }
    if words.contains("FILE") { return .file }
    return words.contains("DIR") ? .folder : .text
  }
}
