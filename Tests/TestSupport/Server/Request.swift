/// A request that the scripted server has read, as a script sees it.
package struct Request: Sendable {
  /// GET, HEAD or whatever was sent.
  package let method: String
  /// The request target as sent, with its query.
  package let target: String
  /// The header fields.
  package let headers: HTTPFields
  /// How many requests the server had read before this one.
  package let index: Int
  /// How many requests of the same method the server had read before this one.
  package let indexOfMethod: Int
  /// How many connections the server had accepted before this one's.
  package let connection: Int
  /// How many requests came before this one on its connection.
  package let indexOnConnection: Int
  /// When the head was complete.
  package let arrival: ContinuousClock.Instant

  /// The target without its query.
  package var path: String {
    String(target.prefix { $0 != "?" })
  }

  /// The Range field as sent, such as `bytes=0-99`.
  package var range: String? {
    headers["Range"]
  }

  /// The first byte asked for: 0 without a Range that begins with `bytes=a-`.
  package var firstByte: Int64 {
    guard let range, range.hasPrefix("bytes=") else { return 0 }
    return Int64(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
  }

  /// The bytes of a file of `length` bytes that Range asks for.
  func asked(ofLength length: Int64) -> AskedRange {
    guard let range, range.hasPrefix("bytes=") else { return .whole }
    let ends = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return .whole }
    if ends[0].isEmpty {
      guard let suffix = Int64(ends[1]) else { return .whole }
      return suffix > 0 && length > 0 ? .part(max(0, length - suffix)..<length) : .unsatisfiable
    }
    guard let first = Int64(ends[0]) else { return .whole }
    guard first < length else { return .unsatisfiable }
    if ends[1].isEmpty { return .part(first..<length) }
    guard let last = Int64(ends[1]), last >= first else { return .whole }
    return .part(first..<min(last, length - 1) + 1)
  }
}

/// What a Range field asks for (RFC 9110, section 14.2); a list of ranges counts as no Range.
enum AskedRange: Equatable {
  case whole
  case part(Range<Int64>)
  case unsatisfiable
}
