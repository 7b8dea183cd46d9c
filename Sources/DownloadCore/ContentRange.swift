/// The value of a Content-Range field (RFC 9110, section 14.4), checked in itself: the range runs forward and lies
/// within the file.
package struct ContentRange: Hashable, Sendable {
  /// Nil where it says that no range can be had: `bytes */100`.
  package var range: ByteRange?
  /// The whole file's length in bytes; nil where it says `*`.
  package var total: Int64?

  /// Checks nothing.
  package init(range: ByteRange?, total: Int64?) {
    self.range = range
    self.total = total
  }

  /// Reads `bytes 0-99/200`, `bytes 0-99/*`, `bytes */200`; also `bytes=0-99/200` and `0-99/200`, which some servers
  /// send. Nil for anything else, other units, and numbers of 63 bits or more.
  package init?(_ text: String) {
    guard let value = Self.withoutUnit(text.withoutBlanks) else { return nil }
    let halves = value.split(separator: "/", omittingEmptySubsequences: false).map(\.withoutBlanks)
    guard halves.count == 2 else { return nil }
    total = halves[1].plainDecimal
    guard total != nil || halves[1] == "*" else { return nil }
    if halves[0] == "*" {
      guard total != nil else { return nil }
    } else {
      guard let given = Self.range(halves[0]), given.end <= total ?? .max else { return nil }
      range = given
    }
  }

  private static func withoutUnit(_ text: Substring) -> Substring? {
    guard text.beginsIgnoringCase("bytes") else { return text }
    let rest = text.dropFirst(5)
    let value = rest.withoutBlanks
    if value.first == "=" { return value.dropFirst().withoutBlanks }
    return value.startIndex > rest.startIndex ? value : nil
  }

  private static func range(_ text: Substring) -> ByteRange? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(\.withoutBlanks)
    guard ends.count == 2, let first = ends[0].plainDecimal, let last = ends[1].plainDecimal else { return nil }
    guard first <= last, last < .max else { return nil }
    return ByteRange(first, last + 1)
  }
}
