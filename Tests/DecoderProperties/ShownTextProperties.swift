internal import DownloadCore

/// Text of a server's that is shown is one line without anything hidden, and no longer than its limit.
enum ShownTextProperties {
  static func check(_ text: String) throws(BrokenProperty) {
    for limit in [200, 80, 1] { try checkLine(text, limit: limit) }
    try checkFields(text)
    try require(Redactor.text(Redactor.text(text)) == Redactor.text(text), "blanked once more: \(text)")
  }

  private static func checkLine(_ text: String, limit: Int) throws(BrokenProperty) {
    let line = Sanitiser.line(text, limit: limit)
    try require(!line.unicodeScalars.contains(where: \.isHidden), "hidden: \(line)")
    try require(line.unicodeScalars.count <= limit, "\(line.unicodeScalars.count) code points")
    let isPlain = text.unicodeScalars.count <= limit && !text.unicodeScalars.contains(where: \.isHidden)
    try require(!isPlain || line.hasSameBytes(as: text), "changed: \(text)")
  }

  private static func checkFields(_ text: String) throws(BrokenProperty) {
    for name in ["Location", "Server", text] {
      let shown = Redactor.header(HeaderField(name, text))
      try require(!shown.unicodeScalars.contains(where: \.isHidden), "hidden: \(shown)")
      try require(shown.unicodeScalars.count <= 80 + 2 + 200, "\(shown.unicodeScalars.count) code points")
    }
    let secret = Redactor.header(HeaderField("Authorization", text))
    try require(secret == "Authorization: ***", "shown: \(secret)")
  }
}
