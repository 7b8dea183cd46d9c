internal import DownloadCore

/// What somebody may have meant.
enum Suggestion {
  /// wget's `-O FILE`.
  static let remoteName = DownloadError.usage("-O takes no file name here; did you mean -o?")

  /// The error for an option that the verb does not take.
  static func stray(_ flag: Flag, typed name: String, _ verb: Verb) -> DownloadError {
    switch (verb, flag.long) {
    case (.resume, "output"): .usage("resume takes no \(name): the partial file has its name")
    case (.resume, "directory"): .usage("resume takes no \(name): the file stays where its part is")
    default: .usage("\(name) " + (verb.word.map { "means nothing to \($0)" } ?? "is for \(owners(of: flag)) only"))
    }
  }

  /// The verbs that take an option, as words.
  private static func owners(of flag: Flag) -> String {
    Verb.allCases.filter(flag.verbs.contains).compactMap(\.word).joined(separator: " and ")
  }

  /// The error for an option that is not in the table.
  static func unknown(_ name: String) -> DownloadError {
    if let habit = anyway[name] { return .usage("unknown option \(name); \(habit)") }
    // The value may have come too close: `--user:me:password`.
    let shown = name.hasPrefix("--") ? String(name.prefix(while: isOfAName)) : name
    guard let meant = meant(by: name) ?? meant(by: shown) else {
      return .usage("unknown option \(shown); try 'swoop --help'")
    }
    return .usage("unknown option \(shown); did you mean \(meant)?")
  }

  private static func isOfAName(_ character: Character) -> Bool {
    character == "-" || (character.isASCII && (character.isLetter || character.isNumber))
  }

  /// The option that an unknown name stands for in another tool, or that is spelt nearly so.
  static func meant(by name: String) -> String? {
    if let alias = aliases[name] { return alias }
    guard name.hasPrefix("--") else { return nil }
    let typed = String(name.dropFirst(2))
    let names = Flags.all.compactMap(\.long)
    let continuations = names.filter { typed.count >= 2 && $0.hasPrefix(typed) }
    if continuations.count == 1 { return "--\(continuations[0])" }
    let ranked = names.map { (name: $0, distance: distance(typed, $0)) }.min { $0.distance < $1.distance }
    guard let ranked, ranked.distance <= max(1, min(3, typed.count / 3)) else { return nil }
    return "--\(ranked.name)"
  }

  /// Options of wget, aria2, axel and curl that have another name here.
  private static let aliases = [
    "-P": "-d", "-t": "--give-up-after", "-T": "--stall-timeout", "-U": "-A",
    "--retries": "--give-up-after", "--tries": "--give-up-after", "--retry": "--give-up-after",
    "--max-tries": "--give-up-after", "--max-time": "--give-up-after", "--timeout": "--stall-timeout",
    "--out": "-o", "--output-document": "-o", "--dir": "-d", "--directory-prefix": "-d", "--output-dir": "-d",
    "--split": "-n", "--max-connection-per-server": "-n", "--num-connections": "-n", "--min-split-size": "--min-split",
    "--no-check-certificate": "-k", "--ca-certificate": "--cacert", "--certificate": "--cert",
    "--private-key": "--key", "--all-proxy": "-x", "--silent": "-q", "--overwrite": "--force",
    "--load-cookies": "-b", "--http-user": "-u", "--location": "-L", "--remote-name": "-O", "--remote-name-all": "-O",
    "--remote-header-name": "-J", "--content-disposition": "-J", "--continue": "-c", "--continue-at": "-C",
    "--fail": "-f", "--show-error": "-S", "-I": "--dry-run", "--head": "--dry-run", "--spider": "--dry-run",
    "-m": "--give-up-after", "--bind-address": "--interface", "--inet4-only": "-4", "--inet6-only": "-6",
    "--max-download-limit": "--limit-rate", "--max-overall-download-limit": "--limit-rate",
    "--max-speed": "--limit-rate", "-K": "--config", "--conf-path": "--config", "--disable": "--no-config",
    "--netrc-optional": "--netrc", "--check": "--checksum-file",
    // aria2's `-s16`, of which `-s` is quiet here.
    "-1": "-n", "-2": "-n", "-3": "-n", "-8": "-n",
    "-#": "--progress bar", "--progress-bar": "--progress bar", "--show-progress": "--progress bar",
  ]

  /// Options of wget and curl that ask for what needs no option here.
  private static let anyway = [
    "-R": serverTime, "--remote-time": serverTime, "-N": freshness, "--timestamping": freshness, "-z": freshness,
    "--time-cond": freshness, "-X": method, "--request": method, "--method": method, "--data": method,
    "--post-data": method, "--netrc-file": "--netrc reads the file that NETRC names",
    "--ignore-missing": "name the files to check: swoop verify -c SUMS FILE...",
    "--compressed": "files come just as the server keeps them",
    "--create-dirs": "missing folders are made anyway",
  ]
  private static let method = "only GET is a download"
  private static let serverTime = "the file gets the server's time anyway"
  private static let freshness = "a file that is complete and no older than the server's is not fetched again anyway"

  /// Whether a word that followed `-O` is a file's name rather than a URL: it has no scheme, and another word is
  /// plainly the URL.
  static func looksLikeFileName(_ word: String, beside others: [String]) -> Bool {
    guard !word.contains("://") else { return false }
    guard word.contains("/") else { return others.contains { $0.contains("/") } }
    let first = word.prefix { $0 != "/" }
    let looksLikeHost = first.dropFirst().contains(".") || first.contains(":") || first == "localhost"
    return !looksLikeHost && others.contains { $0.contains("://") }
  }

  /// Levenshtein's distance: how many letters to add, drop or replace.
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right.utf8)
    var row = Array(0...right.count)
    for (i, letter) in left.utf8.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in right.indices {
        let cost = letter == right[j] ? diagonal : diagonal + 1
        diagonal = row[j + 1]
        row[j + 1] = min(cost, row[j + 1] + 1, row[j] + 1)
      }
    }
    return row[right.count]
  }
}
