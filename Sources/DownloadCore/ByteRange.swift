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

/// The last offset that a file can have: the length of a body whose end is not known.
package let unknownEnd = Int64.max
