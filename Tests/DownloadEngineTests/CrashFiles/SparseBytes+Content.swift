import Glibc
import TestSupport

extension SparseBytes {
  /// Whether a range of it has the bytes of a content.
  func holds(_ content: Content, in range: Range<Int64>) -> Bool {
    guard range.upperBound <= min(length, content.length), let right = try? content.bytes(in: range) else {
      return false
    }
    let found = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, right.count), alignment: 16)
    defer { found.deallocate() }
    let count = read(into: UnsafeMutableRawBufferPointer(rebasing: found[..<right.count]), at: range.lowerBound)
    return count == right.count && right.withUnsafeBytes { equal($0, found) }
  }

  private func equal(_ bytes: UnsafeRawBufferPointer, _ others: UnsafeMutableRawBufferPointer) -> Bool {
    guard let left = bytes.baseAddress, let right = others.baseAddress else { return true }
    return memcmp(left, right, bytes.count) == 0
  }
}
