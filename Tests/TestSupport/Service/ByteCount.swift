extension Int64 {
  /// A size as people type it: K, M, G and T are powers of 1024. Nil for anything else, and for what is too large.
  package init?(size text: String) {
    let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    guard let number = Int64(unit == nil ? text : String(text.dropLast())), number >= 0 else { return nil }
    let (size, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow else { return nil }
    self = size
  }
}

extension Double {
  /// Bytes in a second, as people type them; nil for none at all.
  package init?(rate text: String) {
    guard let size = Int64(size: text), size > 0 else { return nil }
    self = Double(size)
  }
}
