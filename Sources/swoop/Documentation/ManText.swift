/// Text as man(7) takes it: groff_char(7) has the names of the characters.
enum ManText {
  /// The text, with nothing in it that roff would act upon but at the beginning of a line.
  static func escaped(_ text: some StringProtocol) -> String {
    text.unicodeScalars.map(escaped).joined()
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\\": "\\(rs"
    // What is typed must be copied as it is: typographic characters are none.
    case "-": "\\-"
    case "'": "\\(aq"
    case "`": "\\(ga"
    case "^": "\\(ha"
    case "~": "\\(ti"
    case "\"": "\\(dq"
    case _ where scalar.isASCII: String(scalar)
    default: "\\[u\(String(repeating: "0", count: max(0, 4 - hex(scalar).count)))\(hex(scalar))]"
    }
  }

  private static func hex(_ scalar: Unicode.Scalar) -> String { String(scalar.value, radix: 16, uppercase: true) }

  static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }
  static func italic(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

  /// Running text, in lines of a length that all editors show; none of them is a request.
  static func paragraph(_ text: String) -> String {
    TextLines.filled(escaped(text), columns: 76).map { guarded($0) + "\n" }.joined()
  }

  /// A line of an example, left as it is.
  static func literal(_ line: String) -> String { guarded(escaped(line)) + "\n" }

  /// A line that begins with a dot or an apostrophe would be a request.
  private static func guarded(_ line: String) -> String {
    line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }
}
