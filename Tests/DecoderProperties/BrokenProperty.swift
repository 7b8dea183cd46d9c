internal import DownloadCore

/// What should have held, and does not.
package struct BrokenProperty: Error, CustomStringConvertible {
  /// The property in words, with the values that break it, sanitised.
  package let description: String

  /// Sanitises the words.
  package init(_ words: String) { description = Sanitiser.line(words, limit: 4000) }
}

/// Throws the property unless it holds.
func require(_ holds: Bool, _ property: @autoclosure () -> String) throws(BrokenProperty) {
  guard holds else { throw BrokenProperty(property()) }
}
