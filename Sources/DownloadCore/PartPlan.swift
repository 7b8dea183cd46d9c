/// How a file is cut into parts for several machines: a matter of its length and their number alone, so that each of
/// them comes to the same plan.
package struct PartPlan: Hashable, Sendable {
  /// The file's, in bytes.
  package let length: Int64
  /// How many parts there are.
  package let count: Int
  /// Parts begin at multiples of this, in bytes.
  package let step: Int64

  /// More than any scheduler of array jobs takes (Kubernetes' indexed Jobs: 100,000 completions).
  package static let mostParts = 100_000

  /// Nil where the file has fewer bytes than that, or the number is none of 1 to `mostParts`.
  package init?(length: Int64, parts: Int) {
    guard 1...Self.mostParts ~= parts, length >= Int64(parts), length <= Manifest.mostLength else { return nil }
    self.length = length
    count = parts
    let share = length / Int64(parts)
    // Blocks of checksums begin at multiples of 1 MiB, file systems share whole pages.
    step = share >= 16 << 20 ? 1 << 20 : share >= 64 << 10 ? 64 << 10 : 1
  }

  /// The part of an index from 0 up to `count`.
  package func range(of index: Int) -> ByteRange { ByteRange(start(of: index), start(of: index + 1)) }

  private func start(of index: Int) -> Int64 {
    let steps = (length - 1) / step + 1
    return min(length, steps * Int64(index) / Int64(count) * step)
  }
}
