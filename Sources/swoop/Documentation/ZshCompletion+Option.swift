extension ZshCompletion {
  /// An option under all its names, each as `_arguments` takes it, in a shell's quotes; every one may come again.
  static func specifications(_ flag: Flag, _ verb: Verb) -> [String] {
    let explanation = "[\(escaped(flag.help, "]"))]"
    guard let placeholder = flag.placeholder else {
      return flag.names(with: verb).map { "*\($0)\(explanation)".quotedForShell }
    }
    let value = ":\(escaped(placeholder, ":")):\(escaped(action(flag.offeredValues), ":"))"
    return flag.names(with: verb).map { name in
      // The value is the rest of the word, or the next word.
      "*\(name)\(name.hasPrefix("--") ? "=" : "+")\(explanation)\(value)".quotedForShell
    }
  }

  /// What offers the values; a blank offers none.
  private static func action(_ values: Flag.Values) -> String {
    switch values {
    case .text: " "
    case .file: "_files"
    case .folder: "_path_files -/"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .beginnings(let words): "compadd -S '' -- " + words.joined(separator: " ")
    }
  }

  /// With a backslash before backslashes and one other sign.
  private static func escaped(_ text: String, _ sign: Character) -> String {
    text.map { $0 == sign || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
  }
}
