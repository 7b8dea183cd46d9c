/// What a mirror was good for, looked at when the file is complete: one that was asked and was of no use is named.
package struct SourceReview: Hashable, Sendable {
  /// Seconds since it was first asked, and since anything came of it.
  private let asked: Double
  private let silent: Double
  /// All of its blocks came and are the file's.
  private let isTrusted: Bool
  /// Bytes of the file that it brought, and what all brought.
  private let brought: Int64
  private let all: Int64
  /// Those that were at work, with it.
  private let sources: Int
  /// What it has failed with again and again since anything came of it; nil where it has not.
  private let trouble: String?

  /// Shorter times than this, in seconds, say nothing of a server.
  private static let silence = 1.0
  private static let patience = 3.0
  /// Who brings less than this part of what an equal share would be is of no use.
  private static let leastPart = 0.02

  /// `asked` and `silent` in seconds, `brought` and `all` in bytes.
  package init(
    asked: Double, silent: Double, isTrusted: Bool, brought: Int64, all: Int64, sources: Int, trouble: String? = nil
  ) {
    self.asked = asked
    self.silent = silent
    self.isTrusted = isTrusted
    self.brought = brought
    self.all = all
    self.sources = sources
    self.trouble = trouble
  }

  /// What is wrong with it, as one clause; nil: nothing that is worth a word.
  package var complaint: String? {
    if let trouble, silent >= Self.silence { return trouble }
    let isLazy = Double(brought) * Double(max(1, sources)) < Double(all) * Self.leastPart
    if !isTrusted, silent >= Self.silence { return "no byte for \(Int(silent.rounded())) s" }
    guard asked >= Self.patience, isLazy else { return nil }
    guard silent < Self.patience else { return "no byte for \(Int(silent.rounded())) s" }
    let bytes = isTrusted ? "\(brought) bytes of the file" : "not even what is compared first"
    return "it is too slow: \(bytes) in \(Int(asked.rounded())) s"
  }
}
