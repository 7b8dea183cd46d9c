/// What the completions of all shells say, as rows of names.
struct CompletionTable {
  /// The names of options whose values are alike.
  struct ValueRow {
    let values: Flag.Values
    let names: [String]
  }

  private let flags: [Flag]

  init(_ flags: [Flag]) { self.flags = flags }

  /// The options that mean something to a verb; habits are accepted, but not offered.
  func offered(with verb: Verb) -> [Flag] { flags.offered(with: verb) }

  /// Every option that takes a value, in the order of the table, with those whose values are alike in one row.
  var valueRows: [ValueRow] {
    let takers = flags.filter(\.takesValue)
    let kinds = takers.map(\.offeredValues).reduce(into: [Flag.Values]()) { kinds, kind in
      if !kinds.contains(kind) { kinds.append(kind) }
    }
    return kinds.map { kind in
      ValueRow(values: kind, names: takers.filter { $0.offeredValues == kind }.flatMap(\.allNames))
    }
  }

  /// Options with a value under a name that they have with one verb alone: the verb's word, a blank and the name.
  var valueRowsOfVerbs: [ValueRow] {
    flags.filter(\.takesValue).flatMap { flag in
      flag.shortNames.compactMap { verb, letter in
        verb.word.map { ValueRow(values: flag.offeredValues, names: ["\($0) -\(letter)"]) }
      }.sorted { $0.names[0] < $1.names[0] }
    }
  }
}

extension String {
  /// As one word of a shell, in single quotes.
  var quotedForShell: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
