import DownloadCore
import Testing

@testable import swoop

/// What the completions say; the shells themselves are asked in EndToEndTests.
@Suite struct CompletionTableTests {
  private let table = CompletionTable(Flags.all)

  @Test(arguments: Verb.allCases) func offersWhatMeansSomething(verb: Verb) {
    let offered = table.offered(with: verb)
    #expect(offered.allSatisfy { $0.verbs.contains(verb) && $0.category != .habits })
    #expect(offered.contains { $0.long == "help" })
    #expect(offered.contains { $0.long == "url" } == (verb == .resume))
    #expect(offered.contains { $0.long == "output" } == ([.fetch, .join].contains(verb)))
  }

  @Test func everyOptionWithAValueIsInOneRow() {
    let names = table.valueRows.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(Set(names) == Set(Flags.all.filter { $0.takesValue }.flatMap(\.allNames)))
    #expect(table.valueRowsOfVerbs.map(\.names) == [["verify -c"]])
  }

  @Test(arguments: [
    ("output", Flag.Values.file), ("directory", .folder), ("cacert", .file), ("checksum-file", .file), ("url", .text),
    ("connections", .text), ("user", .text), ("generate", .words(["man", "bash", "zsh", "fish"])),
  ])
  func valuesFollowFromTheRow(name: String, values: Flag.Values) {
    #expect(Flags.named(name)?.offeredValues == values)
  }

  /// The words that a row offers are those that its option takes and its help names.
  @Test func offeredWordsAreTaken() throws {
    for flag in Flags.all {
      guard case .words(let words) = flag.offeredValues, case .value(_, let effect) = flag.effect else { continue }
      let list = words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
      #expect(flag.help.contains(list), "\(flag.name)")
      for word in words {
        var arguments = Arguments()
        #expect(throws: Never.self, "\(flag.name) \(word)") { try effect(&arguments, word) }
      }
    }
  }

  @Test func offeredAlgorithmsAreTaken() throws {
    let checksum = try #require(Flags.named("checksum"))
    guard case .beginnings(let words) = checksum.offeredValues else { throw DownloadError(.unforeseen, "no words") }
    #expect(words.count == DigestAlgorithm.allCases.count)
    for (word, algorithm) in zip(words, DigestAlgorithm.allCases) {
      let digest = try Number.checksum(word + String(repeating: "0", count: algorithm.length * 2))
      #expect(digest.algorithm == algorithm)
    }
  }

  @Test func aNewRowNeedsNothingElse() {
    let flag = Flag(
      long: "new-thing", category: .transfer, help: "a [new]: 'thing'", verbs: [.status],
      effect: .value("DIR") { _, _ in })
    let flags = Flags.all + [flag]
    #expect(BashCompletion(flags).text.contains("*' --new-thing') kind=folder ;;"))
    #expect(ZshCompletion(flags).text.contains(#"'*--new-thing=[a [new\]: '\''thing'\'']:DIR:_path_files -/'"#))
    let fish = #"'__swoop_is status' -l new-thing -x -a '(__fish_complete_directories)' -d 'a [new]: \'thing\''"#
    #expect(FishCompletion(flags).text.contains(fish))
  }

  @Test func generateTakesItsKindsAndNoOther() throws {
    for document in GeneratedDocument.allCases {
      let arguments = try ArgumentParser.parse(["--generate", document.rawValue])
      #expect(arguments.information == .document(document))
      #expect(document.text.hasSuffix("\n") && !document.text.contains("\u{1B}"))
    }
    #expect(throws: DownloadError.self) { try ArgumentParser.parse(["--generate=tcsh"]) }
    #expect(throws: DownloadError.self) { try ArgumentParser.parse(["--generate"]) }
  }
}
