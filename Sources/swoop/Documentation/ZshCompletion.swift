/// The completion for zsh: `_arguments` has the options of the verb that was typed (zshcompsys(1)).
struct ZshCompletion {
  private let table: CompletionTable

  init(_ flags: [Flag]) { table = CompletionTable(flags) }

  /// The whole script.
  var text: String {
    [Self.head, Self.scan, takers, operands, options, main].joined(separator: "\n")
  }

  private static let head = """
    #compdef swoop
    # Completion of swoop for zsh. Made by swoop --generate zsh.

    """

  private static let scan = #"""
    # Sets `verb` and `ended` (whether there was a --), from the words before the cursor.
    _swoop_scan() {
      local word letter letters pending
      for word in "${(@)words[2,CURRENT-1]}"; do
        if [[ -n $pending ]]; then
          pending=
        elif [[ -z $ended && $word == --* ]]; then
          [[ $word == -- ]] && ended=yes
          _swoop_takes_value "$verb" "$word" && pending=yes
        elif [[ -z $ended && $word == -?* ]]; then
          letters=${word#-}
          while [[ -n $letters ]]; do
            letter=${letters[1]} letters=${letters[2,-1]}
            _swoop_takes_value "$verb" "-$letter" || continue
            [[ -n $letters ]] || pending=yes
            break
          done
        elif [[ -z $verb ]]; then
          verb=fetch
          [[ -z $ended && " $verbs " == *" $word "* ]] && verb=$word
        fi
      done
    }

    """#

  private var takers: String {
    let names =
      table.valueRowsOfVerbs.flatMap(\.names).map(\.quotedForShell)
      + table.valueRows.flatMap(\.names).map { "*' \($0)'" }
    return """
      # Whether the next word is the value of an option ($2) that stands alone, with a verb ($1).
      _swoop_takes_value() {
        case "$1 $2" in
          \(names.joined(separator: " | "))) return 0 ;;
        esac
        return 1
      }

      """
  }

  private var operands: String {
    let verbs = Call.named.map { "      \("\($0.word ?? ""):\($0.purpose)".quotedForShell)\n" }.joined()
    let rows = Call.named.compactMap { call -> String? in
      switch call.operands {
      case .none: nil
      case .files: "    \(call.word ?? "")) _files ;;\n"
      case .parts: "    \(call.word ?? "")) _swoop_parts ;;\n"
      }
    }
    return #"""
      # Partial files, and folders on the way to them. _files would offer all files where there are none of these.
      _swoop_parts() {
        _alternative 'parts:partial file:_path_files -g "*.part"' 'folders:folder:_path_files -/'
      }

      # What is no option: the verb, then what it is for. URLs only who types knows.
      _swoop_operands() {
        local -a calls=(
      \#(verbs)  )
        case $verb in
          '') [[ -n $ended ]] || _describe verb calls ;;
      \#(rows.joined())  esac
      }

      """#
  }

  /// `_swoop_options`, from the options of each verb.
  private var options: String {
    let rows = Verb.allCases.map { verb in
      let specifications = table.offered(with: verb).flatMap { Self.specifications($0, verb) }.map { "        \($0)\n" }
      return "    \(verb.word ?? "*"))\n      options=(\n\(specifications.joined())      )\n      ;;\n"
    }
    return """
      # Sets `options`, as _arguments takes them.
      _swoop_options() {
        case $verb in
      \(rows.sorted { !$0.hasPrefix("    *") && $1.hasPrefix("    *") }.joined())  esac
      }

      """
  }

  private var main: String {
    let verbs = Call.named.compactMap(\.word).joined(separator: " ")
    let ends = Call.named.filter(\.endsOptions).compactMap(\.word).joined(separator: " | ")
    return #"""
      _swoop() {
        local verb ended verbs='\#(verbs)'
        local -a options
        _swoop_scan
        case $verb in
          \#(ends)) return 1 ;;
        esac
        _swoop_options
        _arguments -s -S : $options '*: :_swoop_operands'
      }

      if [[ $funcstack[1] == _swoop ]]; then
        _swoop "$@"
      else
        compdef _swoop swoop
      fi

      """#
  }
}
