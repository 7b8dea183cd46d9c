/// The two helps, made from the table of options.
enum Help {
  /// A line for each option.
  static var short: String {
    usage + "\n" + Flags.all.filter { $0.isBuilt && $0.category != .habits }.map { line($0) + "\n" }.joined()
      + "\nAll there is to say: swoop --help\n"
  }

  /// Everything, by category.
  static var full: String {
    usage + "\n" + Flag.Category.allCases.map(section).joined(separator: "\n") + "\n" + ending
  }

  private static let usage = """
    Fetches files over several connections at once, resumes what was cut off, and proves the result.

    usage: swoop [options] URL...
           swoop resume [options] NAME.part...
           swoop verify [digest options] FILE...
           swoop verify -c SUMS [FILE...]
           swoop status NAME.part...
           swoop [options] curl 'URL' -H '...' ...

    """

  private static let ending = """
    Files
      While it runs there are NAME.part, the data, and NAME.part.json, what is known of it. NAME
      itself appears when all is complete and verified. The same command again resumes by itself; a
      complete file is not fetched again.

    Pasted from a browser
      "Copy as cURL (bash)", with swoop and its own options before it, or in one pair of quotes. The
      URL, -H, -b, -A, -e and -u count, but no Range, If-... or Accept-Encoding; what names a file, a
      proxy or a body is refused, and -k counts only if it stands before curl as well. No shell is run.

    Digests
      A digest proves that a file is what its publisher meant. md5 and sha1 find damage, but whoever
      can change what plain http carries can make another file with the same md5 or sha1; sha256 and
      sha512 stop that too, if the digest itself came over https. A digest may also stand in the URL's
      fragment, as pip writes it: URL#sha256=HEX.

    Exit codes
      0  complete, and verified where there was something to verify with
      1  anything unforeseen                  2  wrong usage, nothing touched
      3  network: gave up after retries       4  the server refused or cannot be understood
      5  a digest does not match              6  the file changed on the server, or its ranges are wrong
      7  local: disk full, no permission      8  TLS: certificate or handshake
      9  another process is at work on it    10  the target exists and is not this file
     11  the manifest cannot be used        128+n  ended by signal n; the same command resumes

    """

  private static func section(_ category: Flag.Category) -> String {
    let flags = Flags.all.filter { $0.isBuilt && $0.category == category }
    return category.rawValue + "\n" + flags.map(entry).joined()
  }

  private static func entry(_ flag: Flag) -> String {
    let indent = String(repeating: " ", count: column + 2)
    return ([line(flag)] + wrapped(flag.details).map { indent + $0 }).map { $0 + "\n" }.joined()
  }

  /// Where the explanations begin.
  private static let column = 34

  /// `  -o, --output FILE                 the file's name`.
  private static func line(_ flag: Flag) -> String {
    let short = flag.short.map { "-\($0)" } ?? "  "
    let long = flag.long.map { (flag.short == nil ? "  --" : ", --") + $0 } ?? ""
    let names = "  \(short)\(long)" + (flag.placeholder.map { " \($0)" } ?? "")
    return names + String(repeating: " ", count: max(2, column - names.count)) + flag.help
  }

  /// Lines that fit beside the names on 100 columns.
  private static func wrapped(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + word.count < 63 {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}
