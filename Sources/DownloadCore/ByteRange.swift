/// A half-open range of byte offsets, `[start, end)`, in bytes from the file's beginning.
package struct ByteRange: Hashable, Sendable, Codable {
  /// The offset of the first byte.
  package var start: Int64
  /// The offset behind the last byte; `unknownEnd` where the range is open.
  package var end: Int64

  /// Requires `0 <= start <= end`.
  package init(_ start: Int64, _ end: Int64) {
    precondition(0 <= start && start <= end, "a byte range runs forward from 0 or later")
    self.start = start
    self.end = end
  }

  /// The number of bytes.
  package var count: Int64 { end - start }
  /// Whether it holds no byte.
  package var isEmpty: Bool { start == end }

  /// Whether the byte at an offset is in the range.
  package func contains(_ offset: Int64) -> Bool { start <= offset && offset < end }
  /// Whether both share a byte; of an empty range, whether its place lies inside the other.
  package func overlaps(_ other: ByteRange) -> Bool { start < other.end && other.start < end }
}

extension ByteRange: CustomStringConvertible {
  /// As HTTP writes a range that is not empty: both ends included, `0-99`; without an end, `100-` (RFC 9110, section
  /// 14.1.2).
  package var inclusiveText: String { end == unknownEnd ? "\(start)-" : "\(start)-\(max(start, end - 1))" }

  /// As people read it.
  package var description: String { end == unknownEnd ? "bytes from \(start)" : "bytes \(inclusiveText)" }
}

extension ByteRange {
  /// NAME of the `NAME.A-B` that a part of NAME goes by, where A-B is this range; nil for any other name.
  package func name(ofPart name: String) -> String? {
    let suffix = "." + inclusiveText
    guard name.hasSuffix(suffix), name.utf8.count > suffix.utf8.count else { return nil }
    return String(name.dropLast(suffix.count))
  }
}

/// The last offset that a file can have: the length of a body whose end is not known.
package let unknownEnd = Int64.max
