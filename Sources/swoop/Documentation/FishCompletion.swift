/// The completion for fish: a `complete` for each option, on the condition that the verb is one that it means something
/// to (complete(1) of fish).
struct FishCompletion {
  /// The verb as long as no word has been typed that decides it: the options are then those of the call without a verb.
  private static let undecided = "none"

  private let table: CompletionTable
  private let flags: [Flag]

  init(_ flags: [Flag]) {
    table = CompletionTable(flags)
    self.flags = flags.filter(\.isOffered)
  }

  /// The whole script.
  var text: String {
    [Self.head, takers, Self.scan, Self.parts, operands, flags.map(option).joined()].joined(separator: "\n")
  }

  private static let head = """
    # Completion of swoop for fish. Made by swoop --generate fish.

    """

  private var takers: String {
    let names =
      table.valueRowsOfVerbs.flatMap(\.names).map(Self.quoted)
      + table.valueRows.flatMap(\.names).map { Self.quoted("* \($0)") }
    return """
      # Whether the next word is the value of an option ($argv[2]) that stands alone, with a verb ($argv[1]).
      function __swoop_takes_value
          switch "$argv[1] $argv[2]"
              case \(names.joined(separator: " "))
                  return 0
          end
          return 1
      end

      """
  }

  private static let scan = #"""
    # Whether the verb, from the words before the cursor, is one of these.
    function __swoop_is
        set -l verb \#(undecided)
        set -l ended no
        set -l pending no
        for word in (commandline -opc)[2..-1]
            if test $pending = yes
                set pending no
            else if test $ended = no; and string match -q -- '--*' $word
                test $word = --; and set ended yes
                __swoop_takes_value $verb $word; and set pending yes
            else if test $ended = no; and string match -q -- '-?*' $word
                set -l letters (string split '' -- (string sub -s 2 -- $word))
                for place in (seq (count $letters))
                    __swoop_takes_value $verb -$letters[$place]; or continue
                    test $place -lt (count $letters); or set pending yes
                    break
                end
            else if test $verb = \#(undecided)
                set verb fetch
                test $ended = no; and contains -- $word \#(Call.named.compactMap(\.word).joined(separator: " ")); and set verb $word
            end
        end
        test $ended = yes -a $verb = \#(undecided); and set verb fetch
        contains -- $verb $argv
    end

    """#

  private static let parts = #"""
    # The partial files that the word may become, and folders on the way to them.
    function __swoop_parts
        complete -C "'' "(commandline -ct) | string replace -r '\t.*' '' | string match -r '.*(?:\.part|/)$'
    end

    """#

  private var operands: String {
    let verbs = Call.named.map { call in
      "complete -c swoop -n '__swoop_is \(Self.undecided)' -a \(call.word ?? "") -d \(Self.quoted(call.purpose))\n"
    }
    let values = Call.named.compactMap { call -> String? in
      switch call.operands {
      case .none: nil
      case .files: "complete -c swoop -n '__swoop_is \(call.word ?? "")' -F\n"
      case .parts: "complete -c swoop -n '__swoop_is \(call.word ?? "")' -a '(__swoop_parts)'\n"
      }
    }
    return "complete -c swoop -f\n" + (verbs + values).joined()
  }

  private func option(_ flag: Flag) -> String {
    let names = (flag.short.map { "-s \($0) " } ?? "") + (flag.long.map { "-l \($0) " } ?? "")
    let rest = "\(Self.values(flag))-d \(Self.quoted(flag.help))\n"
    let verbs = Verb.allCases.filter { flag.verbs.contains($0) }
      .flatMap { $0.word.map { [$0] } ?? ["fetch", Self.undecided] }
    let common = "complete -c swoop -n '__swoop_is \(verbs.joined(separator: " "))' \(names)\(rest)"
    let special = flag.shortNames.compactMap { verb, letter in
      verb.word.map { "complete -c swoop -n '__swoop_is \($0)' -s \(letter) \(rest)" }
    }
    return common + special.sorted().joined()
  }

  private static func values(_ flag: Flag) -> String {
    guard flag.takesValue else { return "" }
    switch flag.offeredValues {
    case .text: return "-x "
    case .file: return "-r -F "
    case .folder: return "-x -a '(__fish_complete_directories)' "
    case .words(let words), .beginnings(let words): return "-x -a \(quoted(words.joined(separator: " "))) "
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
