/// Spans of time as people read them.
enum DurationText {
  /// `42s`, `1m 12s`, `2h 05m`, `3d 4h`.
  static func short(_ seconds: Double) -> String {
    let whole = Int64(min(max(0, seconds), 1e12).rounded())
    switch whole {
    case ..<60: return "\(whole)s"
    case ..<3600: return "\(whole / 60)m \(twoDigits(whole % 60))s"
    case ..<86400: return "\(whole / 3600)h \(twoDigits(whole % 3600 / 60))m"
    default: return "\(whole / 86400)d \(whole % 86400 / 3600)h"
    }
  }

  /// The same with a tenth of a second below ten, and two digits, down to a thousandth, below one: `4.2s`, `0.31s`,
  /// `0.054s`.
  static func exact(_ seconds: Double) -> String {
    guard seconds < 9.95 else { return short(seconds) }
    if seconds < 0.0995 { return "0." + decimals(max(0.001, seconds), 3) }
    if seconds < 0.995 { return "0." + decimals(seconds, 2) }
    let tenths = Int64((seconds * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)s"
  }

  /// So many digits behind the point, without zeros at their end.
  private static func decimals(_ seconds: Double, _ count: Int) -> String {
    let scale = count == 2 ? 100.0 : 1000.0
    let digits = String(Int64((seconds * scale).rounded()))
    var text = String(repeating: "0", count: count - digits.count) + digits
    while text.last == "0" { text.removeLast() }
    return text + "s"
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
