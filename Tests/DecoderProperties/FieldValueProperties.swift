internal import DownloadCore
internal import Glibc

/// The values of single fields: dates, tags and lengths.
enum FieldValueProperties {
  static func check(_ text: String) throws(BrokenProperty) {
    try checkDate(text)
    try checkTag(text)
    try checkLength(text)
    try checkRetryAfter(text)
  }

  /// The C library has the same calendar.
  private static func checkDate(_ text: String) throws(BrokenProperty) {
    guard let date = HTTPDate(text) else { return }
    var (seconds, calendar) = (time_t(date.secondsSinceEpoch), tm())
    gmtime_r(&seconds, &calendar)
    let year = Int(calendar.tm_year) + 1900
    // A leap second at the end of the last year that has four digits.
    guard year < 10_000 else { return }
    try require(year > 0, "the year \(year): \(text)")
    let written = imfDate(calendar, year: year)
    try require(HTTPDate(written) == date, "\(text) is not \(written)")
  }

  private static func imfDate(_ calendar: tm, year: Int) -> String {
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let time = [calendar.tm_hour, calendar.tm_min, calendar.tm_sec].map { padded(Int($0), 2) }.joined(separator: ":")
    let day = "\(days[Int(calendar.tm_wday)]), \(padded(Int(calendar.tm_mday), 2))"
    return "\(day) \(months[Int(calendar.tm_mon)]) \(padded(year, 4)) \(time) GMT"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
  }

  private static func checkTag(_ text: String) throws(BrokenProperty) {
    guard let tag = EntityTag(text) else { return }
    try require(tag.raw.utf8.count <= 1024 && !tag.opaque.isEmpty, "a tag of \(tag.raw.utf8.count) bytes")
    try require(!tag.raw.unicodeScalars.contains(where: \.isHidden), "a control in \(tag.raw)")
    try require(EntityTag(tag.raw) == tag, "\(text) came back otherwise")
    let validator = Validator(etag: tag.raw)
    try require(validator.matches(validator) == .same, "\(text) is not itself")
    guard let sent = validator.ifRangeValue?.utf8 else { return }
    // RFC 9110, section 8.8.3: a strong one in quotes, which goes into a line of a request.
    try require(!tag.isWeak && sent.first == 0x22 && sent.last == 0x22 && sent.count > 2, "sent: \(text)")
    try require(sent.allSatisfy { 0x20 <= $0 && $0 < 0x7f }, "sent: \(text)")
  }

  private static func checkLength(_ text: String) throws(BrokenProperty) {
    let members = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    switch ContentLength(values: members) {
    case .absent: throw BrokenProperty("there was a value: \(text)")
    case .bytes(let count): try require(count >= 0 && text.contains("\(count)"), "\(count) of \(text)")
    case .tooLarge: try require(text.utf8.count(where: \.isDigit) >= 19, "not too large: \(text)")
    case .malformed: try require(!text.isDigits, "malformed: \(text)")
    }
  }

  private static func checkRetryAfter(_ text: String) throws(BrokenProperty) {
    let now = HeaderField("Date", "Sun, 06 Nov 1994 08:49:37 GMT")
    let head = ResponseHead(status: .serviceUnavailable, fields: [now, HeaderField("Retry-After", text)])
    guard let seconds = head.retryAfter else { return }
    try require(0 <= seconds && seconds <= 300, "\(seconds) seconds of \(text)")
  }
}
