/// Breaking text into lines.
enum TextLines {
  /// The words in lines of at most so many characters; a longer word has a line of its own.
  static func filled(_ text: String, columns: Int) -> [String] {
    text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + word.count < columns {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}
