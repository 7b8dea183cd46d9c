/// The table of all options.
enum Flags {
  static let all: [Flag] =
    output + parts + transfer + digests + request + network + configuration + messages + habits

  private static let byLongName = Dictionary(
    all.compactMap { flag in flag.long.map { ($0, flag) } }, uniquingKeysWith: { first, _ in first })
  private static let byShortName = Dictionary(
    all.compactMap { flag in flag.short.map { ($0, flag) } }, uniquingKeysWith: { first, _ in first })

  static func named(_ long: some StringProtocol) -> Flag? { byLongName[String(long)] }
  static func named(_ short: Character) -> Flag? { byShortName[short] }

  /// The option that a letter stands for with a verb: `verify -c SUMS` is as md5sum has it, elsewhere `-c` is curl's.
  static func named(_ short: Character, with verb: Verb) -> Flag? {
    all.first { $0.shortNames[verb] == short } ?? named(short)
  }
}
