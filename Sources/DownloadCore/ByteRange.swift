/// A half-open range of byte offsets, `[start, end)`, in bytes from the file's beginning.
package struct ByteRange: Hashable, Sendable, Codable {
  package var start: Int64
  package var end: Int64

  /// Requires `0 <= start <= end`.
  package init(_ start: Int64, _ end: Int64) {
    precondition(0 <= start && start <= end, "a byte range runs forward from 0 or later")
    self.start = start
    self.end = end
  }

  /// The number of bytes.
  package var count: Int64 { end - start }
  package var isEmpty: Bool { start == end }

  package func contains(_ offset: Int64) -> Bool { start <= offset && offset < end }
  package func overlaps(_ other: ByteRange) -> Bool { start < other.end && other.start < end }
}

extension ByteRange: CustomStringConvertible {
  /// As HTTP writes a range that is not empty: both ends included, `0-99`; without an end, `100-` (RFC 9110, section
  /// 14.1.2).
  package var inclusiveText: String { end == unknownEnd ? "\(start)-" : "\(start)-\(max(start, end - 1))" }

  /// As people read it.
  package var description: String { end == unknownEnd ? "bytes from \(start)" : "bytes \(inclusiveText)" }
}

/// The last offset that a file can have: the length of a body whose end is not known.
package let unknownEnd = Int64.max
