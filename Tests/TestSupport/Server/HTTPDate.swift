internal import Glibc

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
package enum HTTPDate {
  /// The present time.
  package static func now() -> String {
    text(secondsSince1970: Int64(time(nil)))
  }

  /// A time given in seconds since the beginning of 1970, UTC.
  package static func text(secondsSince1970 seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let date = "\(padded(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
    let clock = "\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
    return "\(days[Int(parts.tm_wday)]), \(date) \(clock) GMT"
  }

  private static func padded(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
