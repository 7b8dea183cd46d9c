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

  /// The same with a tenth of a second below ten: `0.3s`.
  static func exact(_ seconds: Double) -> String {
    guard seconds < 9.95 else { return short(seconds) }
    let tenths = max(1, Int64((max(0, seconds) * 10).rounded()))
    return "\(tenths / 10).\(tenths % 10)s"
  }

  private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
