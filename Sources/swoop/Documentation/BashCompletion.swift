/// The completion for bash. It needs nothing of the bash-completion package, which loads it where it is installed.
struct BashCompletion {
  private let table: CompletionTable

  init(_ flags: [Flag]) { table = CompletionTable(flags) }

  /// The whole script.
  var text: String {
    [Self.head, values, options, Self.scan, main, "complete -F _swoop swoop\n"].joined(separator: "\n")
  }

  private static let head = #"""
    # Completion of swoop for bash. Made by swoop --generate bash.

    # Sets `words`, those before the cursor with what bash breaks at = and : joined again; of the last, `fixed` is what
    # bash keeps.
    _swoop_split() {
      local rest=${COMP_LINE:0:COMP_POINT} trimmed part i
      words=()
      for ((i = 0; i <= COMP_CWORD; i++)); do
        trimmed=${rest#"${rest%%[![:space:]]*}"}
        [[ $i -gt 0 && $trimmed == "$rest" ]] || words+=("")
        part=${COMP_WORDS[i]}
        [[ $i -lt $COMP_CWORD ]] || part=$trimmed
        fixed=${words[${#words[@]} - 1]}
        [[ ! $part =~ ^[=:]+$ ]] || fixed+=$part
        words[${#words[@]} - 1]+=$part
        rest=${trimmed#"$part"}
      done
    }

    """#

  /// `_swoop_kind`, from the rows of options that take values.
  private var values: String {
    let rows =
      (table.valueRowsOfVerbs.map { ($0.names.map(\.quotedForShell), $0.values) }
      + table.valueRows.map { ($0.names.map { "*' \($0)'" }, $0.values) })
      .map { names, values in "    \(names.joined(separator: " | "))) \(Self.assignment(values)) ;;\n" }
    return """
      # Sets `kind`, of the value that an option ($2) takes with a verb ($1), and its `choices`; fails if it takes none.
      _swoop_kind() {
        choices=
        case "$1 $2" in
      \(rows.joined())    *) return 1 ;;
        esac
      }

      """
  }

  private static func assignment(_ values: Flag.Values) -> String {
    switch values {
    case .text: "kind=text"
    case .file: "kind=file"
    case .folder: "kind=folder"
    case .words(let words): "kind=words choices=\(words.joined(separator: " ").quotedForShell)"
    case .beginnings(let words): "kind=beginnings choices=\(words.joined(separator: " ").quotedForShell)"
    }
  }

  /// `_swoop_options`, from the options of each verb.
  private var options: String {
    let rows = Verb.allCases.map { verb in
      let names = table.offered(with: verb).flatMap { $0.names(with: verb) }
      return "    \(verb.word ?? "*")) choices=\(names.joined(separator: " ").quotedForShell) ;;\n"
    }
    // The call without a word comes last, for it is all else.
    return """
      # Sets `choices`, the options of a verb.
      _swoop_options() {
        case "$1" in
      \(rows.sorted { !$0.hasPrefix("    *") && $1.hasPrefix("    *") }.joined())  esac
      }

      """
  }

  private static let scan = #"""
    # Sets `verb`, `ended` (whether there was a --) and `pending` (the option whose value the last word is).
    _swoop_scan() {
      local word letters
      for word in "${words[@]:1:${#words[@]} - 2}"; do
        if [[ -n $pending ]]; then
          pending=
          continue
        fi
        if [[ -z $ended && $word == -?* ]]; then
          case $word in
            --) ended=yes ;;
            --*=*) ;;
            --*) ! _swoop_kind "$verb" "$word" || pending=$word ;;
            *)
              for ((letters = 1; letters < ${#word}; letters++)); do
                _swoop_kind "$verb" "-${word:letters:1}" || continue
                [[ $letters -lt ${#word}-1 ]] || pending=-${word:letters:1}
                break
              done
              ;;
          esac
        elif [[ -z $verb ]]; then
          verb=fetch
          [[ -z $ended && " $verbs " == *" $word "* ]] && verb=$word
        fi
      done
    }

    """#

  private var main: String {
    let verbs = Call.named.compactMap(\.word).joined(separator: " ")
    return #"""
      # Sets COMPREPLY, from `choices` or from names of files.
      _swoop_offer() {
        local kind=$1 current=$2 option=${words[${#words[@]} - 1]%"$2"} i
        case $kind in
          words | beginnings) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current") ;;
          parts)
            current=${current//\\/}
            mapfile -t COMPREPLY < <(compgen -f -X '!*.part' -- "$current"; compgen -d -- "$current")
            compopt -o filenames
            ;;
          # With no word of ours, these are what bash itself completes, with its own quoting.
          file) compopt -o bashdefault -o default ;;
          folder) compopt -o dirnames ;;
        esac
        [[ $kind != beginnings ]] || compopt -o nospace
        for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
          COMPREPLY[i]=$option${COMPREPLY[i]}
          COMPREPLY[i]=${COMPREPLY[i]#"$fixed"}
          [[ -n ${COMPREPLY[i]} ]] || COMPREPLY=()
        done
      }

      _swoop() {
        local words=() fixed='' kind='' choices='' verb='' ended='' pending='' verbs='\#(verbs)' current
        COMPREPLY=()
        _swoop_split
        _swoop_scan
        current=${words[${#words[@]} - 1]}
        if [[ \#(Self.endOfOptions) ]]; then
          return
        elif [[ -n $pending ]]; then
          _swoop_kind "$verb" "$pending"
          _swoop_offer "$kind" "$current"
        elif [[ -z $ended && $current == --*=* ]]; then
          ! _swoop_kind "$verb" "${current%%=*}" || _swoop_offer "$kind" "${current#*=}"
        elif [[ -z $ended && $current == -* ]]; then
          _swoop_options "$verb"
          _swoop_offer words "$current"
        else
          case $verb in
            '') [[ -n $ended ]] || { choices=$verbs && _swoop_offer words "$current"; } ;;
      \#(Self.operands)    esac
        fi
      }

      """#
  }

  private static let endOfOptions = Call.named.filter(\.endsOptions).compactMap(\.word).map { "$verb == \($0)" }
    .joined(separator: " || ")

  private static let operands = Call.named.compactMap { call -> String? in
    switch call.operands {
    case .none: nil
    case .files: "      \(call.word ?? "")) _swoop_offer file \"$current\" ;;\n"
    case .parts: "      \(call.word ?? "")) _swoop_offer parts \"$current\" ;;\n"
    }
  }.joined()
}
