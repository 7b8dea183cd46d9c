extension String {
  /// A message of a library's as part of a sentence of ours: no capital at its beginning but that of a name or an
  /// abbreviation, no full stop at its end.
  package var asClause: String {
    var text = Substring(self)
    while text.last == "." || text.last?.isWhitespace == true { text = text.dropLast() }
    let first = text.prefix { !$0.isWhitespace }
    guard !first.dropFirst().contains(where: \.isUppercase), first.count > 1 else { return String(text) }
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
