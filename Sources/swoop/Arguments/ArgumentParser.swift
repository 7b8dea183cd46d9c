internal import DownloadCore

/// Reads the words of the command line with the table of options; touches nothing.
struct ArgumentParser {
  private let words: [String]
  private var next = 0
  private var arguments: Arguments
  private var optionsEnded = false
  private var firstWordIsOpen = true
  /// Options in the order they came, each with its name as it was typed.
  private var used: [(flag: Flag, name: String)] = []
  /// The operand that followed `-O`: to wget that would be a file's name.
  private var operandAfterRemoteName: Int?

  /// A digest was typed: those of a config file do not count.
  private var digestsAreTyped = false

  private init(_ words: [String], _ arguments: Arguments) {
    self.words = words
    self.arguments = arguments
  }

  /// Reads all words after the command's own name; throws a usage error for the first that makes no sense.
  /// `configured`: what a config file says, which gives way to what is typed.
  static func parse(
    _ words: [String], after configured: Arguments = Arguments()
  ) throws(DownloadError) -> Arguments {
    var parser = ArgumentParser(words, configured)
    while parser.next < words.count, parser.arguments.information == nil {
      try parser.readWord()
    }
    guard parser.arguments.information == nil else { return parser.arguments }
    try parser.checkCombinations()
    return parser.arguments
  }

  private mutating func readWord() throws(DownloadError) {
    let word = words[next]
    next += 1
    if optionsEnded || word == "-" || !word.hasPrefix("-") {
      try readOperand(word)
    } else if word == "--" {
      optionsEnded = true
    } else if word.hasPrefix("--") {
      try readLong(word)
    } else {
      try readCluster(word)
    }
  }

  private mutating func readOperand(_ word: String) throws(DownloadError) {
    let mayBeVerb = firstWordIsOpen && !optionsEnded
    firstWordIsOpen = false
    if mayBeVerb, let verb = Verb(word: word) {
      arguments.verb = verb
      return
    }
    if mayBeVerb, word == "curl" { return try readCurlLine() }
    if mayBeVerb, word.hasPrefix("curl"), word.dropFirst(4).first?.isWhitespace == true {
      // The whole line in quotes.
      next -= 1
      return try readCurlLine()
    }
    arguments.operands.append(word)
    if arguments.verb == .fetch { note(.url, in: word, at: 0, word: next - 1) }
  }

  /// All words that follow are curl's.
  private mutating func readCurlLine() throws(DownloadError) {
    let place = next
    next = words.count
    try arguments.takeCurlLine(Array(words[place...]), at: place)
  }

  private mutating func readLong(_ word: String) throws(DownloadError) {
    let body = word.dropFirst(2)
    let name = body.prefix { $0 != "=" }
    guard let flag = Flags.named(name) else { throw Suggestion.unknown("--\(name)") }
    guard name.endIndex < body.endIndex else { return try apply(flag, as: "--\(name)") }
    guard flag.takesValue else { throw .usage("--\(name) takes no value") }
    let value = String(body[body.index(after: name.endIndex)...])
    try apply(flag, as: "--\(name)", value: value, at: word.utf8.count - value.utf8.count, word: next - 1)
  }

  /// `-qk`, `-n8`, `-ofile`: switches until one takes a value, which is the rest or the next word.
  private mutating func readCluster(_ word: String) throws(DownloadError) {
    var rest = word.dropFirst()
    while let letter = rest.popFirst() {
      guard let flag = Flags.named(letter, with: arguments.verb) else { throw Suggestion.unknown("-\(letter)") }
      if flag.takesValue, !rest.isEmpty {
        let value = String(rest)
        return try apply(
          flag, as: "-\(letter)", value: value, at: word.utf8.count - value.utf8.count, word: next - 1)
      }
      try apply(flag, as: "-\(letter)")
      guard letter == "O" else { continue }
      if takeStandardOutput(rest: rest) { return }
      try noteRemoteName(rest: rest)
    }
  }

  /// Applies a switch, or an option whose value is the next word.
  private mutating func apply(_ flag: Flag, as name: String) throws(DownloadError) {
    switch flag.effect {
    case .toggle(let effect):
      used.append((flag, name))
      effect(&arguments)
    case .value(let placeholder, _):
      guard next < words.count else { throw .usage("\(name) needs a value: \(placeholder)") }
      next += 1
      try apply(flag, as: name, value: words[next - 1], at: 0, word: next - 1)
    }
  }

  private mutating func apply(
    _ flag: Flag, as name: String, value: String, at offset: Int, word: Int
  ) throws(DownloadError) {
    guard case .value(_, let effect) = flag.effect else { return }
    used.append((flag, name))
    if flag.category == .digests { forgetConfiguredDigests() }
    if let part = flag.secret { note(part, in: value, at: offset, word: word) }
    do {
      try effect(&arguments, value)
    } catch let error as DownloadError {
      throw error
    } catch {
      throw .usage("\(name): \(error)")
    }
  }

  private mutating func forgetConfiguredDigests() {
    guard !digestsAreTyped else { return }
    digestsAreTyped = true
    arguments.digests = []
    arguments.checksumFile = nil
  }

  private mutating func note(_ part: SecretPart, in value: String, at offset: Int, word: Int) {
    arguments.secrets += part.ranges(in: value).map {
      SecretSpan(word: word, bytes: $0.lowerBound + offset..<$0.upperBound + offset)
    }
  }
}

extension ArgumentParser {
  private func checkCombinations() throws(DownloadError) {
    let verb = arguments.verb
    if arguments.configuration != nil, arguments.ignoresConfiguration {
      throw .usage("--config and --no-config contradict each other")
    }
    if verb == .verify, used.contains(where: { $0.name == "-c" && !$0.flag.takesValue }) {
      throw .usage("-c stands behind verify: swoop verify -c SUMS")
    }
    if let stray = used.first(where: { !$0.flag.verbs.contains(verb) }) {
      throw Suggestion.stray(stray.flag, typed: stray.name, verb)
    }
    if verb == .verify, arguments.repairURL == nil, let stray = used.first(where: \.flag.needsRepair) {
      throw .usage("\(stray.name) means nothing to verify without --repair")
    }
    try checkRemoteName()
    try checkStandardOutput()
  }

  /// What is about files means nothing where none is made. A config file may say it all the same.
  private func checkStandardOutput() throws(DownloadError) {
    guard arguments.sendsToStandardOutput else { return }
    let reasons = [
      "directory": "no file is made", "force": "no file is replaced", "restart": "there is no partial file",
      "output-offset": "it has no places", "keep-manifest": "no file is made",
    ]
    for (flag, name) in used {
      guard let reason = flag.long.flatMap({ reasons[$0] }) else { continue }
      throw .usage("\(name) means nothing with --output -: \(reason)")
    }
  }

  /// `-O -` and `-O-`, as wget has it, are `-o -`. False where it is something else.
  private mutating func takeStandardOutput(rest: Substring) -> Bool {
    let isNextWord = rest.isEmpty && next < words.count && words[next] == Sink.standardOutput.path
    guard isNextWord || rest == Sink.standardOutput.path, let output = Flags.named("output") else { return false }
    if isNextWord { next += 1 }
    used.append((output, "-O -"))
    arguments.output = Sink.standardOutput.path
    return true
  }

  /// `-Oname.iso`: to wget the rest is a file's name, to curl it would be more letters.
  private mutating func noteRemoteName(rest: Substring) throws(DownloadError) {
    if rest.contains(where: { $0 == "." || $0 == "/" || $0 == "-" }) { throw Suggestion.remoteName }
    guard rest.isEmpty, next < words.count, !words[next].hasPrefix("-") else { return }
    operandAfterRemoteName = arguments.operands.count
  }

  /// `-O FILE URL`, as wget has it: the word after `-O` does not look like a URL, and another one does.
  private func checkRemoteName() throws(DownloadError) {
    guard arguments.verb == .fetch, let place = operandAfterRemoteName, place < arguments.operands.count else { return }
    let word = arguments.operands[place]
    let others = arguments.operands.indices.filter { $0 != place }.map { arguments.operands[$0] }
    guard Suggestion.looksLikeFileName(word, beside: others) else { return }
    throw Suggestion.remoteName
  }
}
