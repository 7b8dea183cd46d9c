/// A number of bytes.
package struct ByteCount: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// Whole bytes.
  package var bytes: Int64

  /// Takes a number of bytes.
  package init(_ bytes: Int64) { self.bytes = bytes }
  /// A literal is a number of bytes.
  package init(integerLiteral value: Int64) { bytes = value }

  /// Compares the bytes.
  package static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

  /// So many times 1,024 bytes.
  package static func kibi(_ count: Int64) -> ByteCount { ByteCount(count << 10) }

  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
}

extension ByteCount {
  /// Reads a SIZE as typed: a number, decimals allowed, then `k`, `M`, `G` or `T` in either case (powers of 1024),
  /// with or without `B` or `iB`. Nil where it is none, is 0, or does not fit in 63 bits.
  package init?(typed text: some StringProtocol) {
    var rest = Substring(text)
    let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    rest = rest.dropFirst(number.count)
    guard let unit = Self.multiplier(rest.lowercased()), let value = Self.scaled(number, by: unit), value > 0 else {
      return nil
    }
    self.init(value)
  }

  /// Whether a text that is no SIZE is one but for its being more than any file has.
  package static func isTooLarge(typed text: some StringProtocol) -> Bool {
    let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let hasUnit = multiplier(text.dropFirst(number.count).lowercased()) != nil
    return hasUnit && ByteCount(typed: text) == nil && (Double(number) ?? 0) >= 1
  }

  private static func multiplier(_ suffix: String) -> Int64? {
    switch suffix {
    case "", "b": 1
    case "k", "kb", "kib": 1 << 10
    case "m", "mb", "mib": 1 << 20
    case "g", "gb", "gib": 1 << 30
    case "t", "tb", "tib": 1 << 40
    default: nil
    }
  }

  /// Whole and decimal digits times a power of two, without the rounding of a floating-point number.
  private static func scaled(_ number: Substring, by unit: Int64) -> Int64? {
    let parts = number.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, !(parts[0].isEmpty && (parts.count == 1 || parts[1].isEmpty)) else { return nil }
    guard let whole = parts[0].isEmpty ? 0 : Int64(parts[0]) else { return nil }
    let (scaledWhole, overflows) = whole.multipliedReportingOverflow(by: unit)
    guard !overflows else { return nil }
    guard parts.count == 2, !parts[1].isEmpty else { return scaledWhole }
    guard let fraction = Double("0." + parts[1]) else { return nil }
    let (sum, tooLarge) = scaledWhole.addingReportingOverflow(Int64(fraction * Double(unit)))
    return tooLarge ? nil : sum
  }
}

extension ByteCount: CustomStringConvertible {
  /// At most three digits before the point and two significant ones after it where they tell something: `512 B`,
  /// `1.5 KiB`, `77 MiB`, `5.4 GiB`.
  package var description: String {
    var value = Double(bytes)
    var unit = 0
    while value >= 999.5, unit < Self.units.count - 1 {
      value /= 1024
      unit += 1
    }
    if unit == 0 { return "\(bytes) B" }
    return "\(Self.short(value)) \(Self.units[unit])"
  }

  private static func short(_ value: Double) -> String {
    guard value < 9.95 else { return String(Int64(value.rounded())) }
    let tenths = Int64((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
