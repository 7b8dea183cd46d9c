import Testing

@testable import swoop

/// The help behind a verb is about that verb alone.
@Suite struct VerbHelpTests {
  private static let named = Verb.allCases.filter { $0.word != nil }

  /// The long names at the beginnings of lines, in their order.
  private func longNames(_ help: String) -> [String] {
    help.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("  "), let names = line.firstRange(of: "--"),
        names.lowerBound <= line.index(line.startIndex, offsetBy: 6)
      else { return nil }
      return line[names.lowerBound...].prefix { $0 != " " }.description
    }
  }

  @Test(arguments: named) func hasItsOptionsAndNoOthers(verb: Verb) {
    let own = Set(Flags.all.filter { $0.isOffered && $0.verbs.contains(verb) }.compactMap { $0.long.map { "--\($0)" } })
    for help in [Help.short(of: verb), Help.full(of: verb)] {
      let names = longNames(help)
      #expect(Set(names) == own && names.count == own.count, "\(help)")
    }
  }

  @Test(arguments: named) func hasItsOwnCallAlone(verb: Verb) throws {
    let call = try #require(Call.all.first { $0.verb == verb && $0.word == verb.word })
    for help in [Help.short(of: verb), Help.full(of: verb)] {
      for form in call.forms { #expect(help.contains(" swoop \(form)\n"), "\(help)") }
      #expect(help.contains("usage: swoop \(call.forms[0])\n") && !help.contains("swoop [options] URL"), "\(help)")
      #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(help)")
    }
    #expect(Help.full(of: verb).hasPrefix("swoop \(verb.word ?? ""): \(call.purpose).\n"))
  }

  @Test func sayEachOnce() {
    #expect(
      Help.short(of: .plan).hasPrefix(
        """
        usage: swoop plan URL --parts N [--part I]

              --parts N                   cut the file into N parts
              --part I                    print the range of this part alone, from 0
        """))
    #expect(Help.short(of: .verify).contains("  -c, --checksum-file FILE|URL "))
    #expect(!Help.short.contains("-c, --checksum-file") && Help.short.contains("with plan: cut the file"))
  }

  /// What means something to `verify` only where it repairs stands apart.
  @Test func verifyNamesWhatTakesRepair() throws {
    for help in [Help.short(of: .verify), Help.full(of: .verify)] {
      let heading = try #require(help.firstRange(of: "\nWith --repair alone\n"))
      let below = Set(longNames(String(help[heading.upperBound...])))
      #expect(below.isSuperset(of: ["--header", "--key", "--user"]), "\(below)")
      #expect(below.isDisjoint(with: ["--sha256", "--checksum-file", "--netrc", "--quiet"]), "\(below)")
    }
    #expect(!Help.short(of: .plan).contains("repair"))
  }

  /// What stands behind a verb's options is true of the verb: it names no option that the verb refuses, unless with the
  /// command that takes it.
  @Test(arguments: named) func namesNoOptionThatItRefuses(verb: Verb) {
    let flags = Flags.all.offered(with: verb)
    let own = Set(flags.flatMap { $0.names(with: verb) })
    for flag in flags {
      let text = flag.help(with: verb) + " " + flag.details(with: verb)
      var words = text.split { " ,;:()".contains($0) }.map { $0.hasSuffix(".") ? $0.dropLast() : $0 }
      while let place = words.firstIndex(where: { $0 == "swoop" }) {
        let option = words[place...].firstIndex { $0.hasPrefix("-") }
        words.removeSubrange(place..<(option.map { $0 + 1 } ?? words.endIndex))
      }
      for word in words where word.hasPrefix("-") && word.dropFirst().contains(where: { $0.isLetter }) {
        #expect(own.contains(String(word)), "\(verb): \(flag.name): \(word)")
      }
    }
  }

  @Test func offersNothingThatItRefuses() {
    for help in [Help.short(of: .join), Help.full(of: .join)] {
      #expect(!help.contains("standard output;") && !help.contains("FIFO") && !help.contains("below -d"), "\(help)")
      #expect(help.contains("-o, --output FILE               the whole file's name (the URL's)\n"), "\(help)")
    }
    #expect(!Help.full(of: .resume).contains("--no-content-disposition"))
    #expect(Help.full(of: .status).contains("There is nothing to draw") && !Help.full(of: .join).contains("HEAD"))
    #expect(Help.full.contains("a device or FIFO"))
  }

  @Test func withoutAVerbThereIsTheHelpOfAll() {
    #expect(Help.short(of: .fetch) == Help.short && Help.full(of: .fetch) == Help.full)
  }

  @Test func theVerbBeforeItCounts() throws {
    #expect(try ArgumentParser.parse(["-q", "join", "--help"]).verb == .join)
    #expect(try ArgumentParser.parse(["--help", "join"]).verb == .fetch)
  }
}
