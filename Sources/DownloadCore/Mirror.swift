/// A further source of a file.
package struct Mirror: Hashable, Sendable {
  /// Where the same bytes are.
  package var url: RemoteURL
  /// 1 is the best (RFC 5854, section 4.2.16.1); nil: none was given, which comes after all that have one.
  package var priority: Int?
  /// Typed by the user: only such a URL may be of another scheme than http and https.
  package var isTyped: Bool

  /// Takes all as it is.
  package init(url: RemoteURL, priority: Int? = nil, isTyped: Bool) {
    self.url = url
    self.priority = priority
    self.isTyped = isTyped
  }
}
