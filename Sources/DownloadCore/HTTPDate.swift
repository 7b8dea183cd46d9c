/// A moment as HTTP writes it (RFC 9110, section 5.6.7).
package struct HTTPDate: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01 00:00:00 UTC, without leap seconds.
  package var secondsSinceEpoch: Int64

  /// Takes seconds since 1970-01-01 00:00:00 UTC.
  package init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

  /// The earlier is less.
  package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSinceEpoch < right.secondsSinceEpoch }

  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
}

extension HTTPDate {
  /// Reads the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
  /// `Sun Nov  6 08:49:37 1994`. The day of the week must be one, but need not be the right one.
  package init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    if let seconds = text.utf8.withContiguousStorageIfAvailable(Self.seconds(ofFixed:)), let seconds {
      self.init(secondsSinceEpoch: seconds)
      return
    }
    var parts = text.split { $0 == " " || $0 == "," || $0 == "-" }
    guard let weekday = parts.first, Self.days.contains(where: { weekday.hasPrefix($0) }) else { return nil }
    parts.removeFirst()
    guard parts.count == 5 || parts.count == 4 else { return nil }
    let isAsctime = parts.count == 4
    if isAsctime { parts = [parts[1], parts[0], parts[3], parts[2]] }
    guard isAsctime || ["GMT", "UTC"].contains(parts[4]) else { return nil }
    guard let date = Self.dayNumber(day: parts[0], month: parts[1], year: parts[2]),
      let time = Self.secondOfDay(parts[3])
    else { return nil }
    self.init(secondsSinceEpoch: date * 86_400 + time)
  }

  private static func dayNumber(day: Substring, month: Substring, year: Substring) -> Int64? {
    guard let index = months.firstIndex(where: { $0 == month }), let year = Self.year(year) else { return nil }
    guard let day = number(day, upTo: 31), day >= 1, day <= length(ofMonth: index + 1, year: year) else { return nil }
    return daysSinceEpoch(year: year, month: Int64(index + 1), day: day)
  }

  /// Two digits are of the years 1970 to 2069: there is no clock here to ask for the nearest century.
  private static func year(_ text: Substring) -> Int64? {
    guard let year = text.plainDecimal else { return nil }
    switch text.utf8.count {
    case 2: return year < 70 ? 2000 + year : 1900 + year
    case 4: return year >= 1 ? year : nil
    default: return nil
    }
  }

  private static func secondOfDay(_ text: Substring) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ $0.utf8.count == 2 }) else { return nil }
    guard let hour = number(parts[0], upTo: 23), let minute = number(parts[1], upTo: 59) else { return nil }
    // 60 is a leap second.
    guard let second = number(parts[2], upTo: 60) else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  private static func number(_ text: Substring, upTo most: Int64) -> Int64? {
    text.plainDecimal.flatMap { $0 <= most ? $0 : nil }
  }

  private static func length(ofMonth month: Int, year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }
}

/// The form that servers are to send, which thousands of answers have.
extension HTTPDate {
  /// Reads `Sun, 06 Nov 1994 08:49:37 GMT` byte for byte; nil for all else, right or wrong.
  private static func seconds(ofFixed text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard text.count == 29, zip(pattern, text).allSatisfy({ $0 == 0 || $0 == $1 }) else { return nil }
    let isDay = days.contains { $0.utf8.elementsEqual(text[0..<3]) }
    guard isDay, let month = months.firstIndex(where: { $0.utf8.elementsEqual(text[8..<11]) }) else { return nil }
    guard let day = number(text[5..<7]), let year = number(text[12..<16]), year >= 1,
      day >= 1, day <= length(ofMonth: month + 1, year: year)
    else { return nil }
    guard let hour = number(text[17..<19]), let minute = number(text[20..<22]), let second = number(text[23..<25]),
      hour <= 23, minute <= 59, second <= 60
    else { return nil }
    let date = daysSinceEpoch(year: year, month: Int64(month + 1), day: day)
    return date * 86_400 + hour * 3600 + minute * 60 + second
  }

  /// A 0 stands for any byte.
  private static let pattern = Array("\0\0\0, \0\0 \0\0\0 \0\0\0\0 \0\0:\0\0:\0\0 GMT".utf8)

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
    var number: Int64 = 0
    for digit in digits {
      guard digit.isDigit else { return nil }
      number = number * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return number
  }
}

/// The calendar: years begin in March, so that the day of a leap comes last, and eras have 400 years.
extension HTTPDate {
  private static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// As text.
extension HTTPDate {
  /// `Sun, 06 Nov 1994 08:49:37 GMT`, of the years 1 to 9999.
  package var text: String {
    let day = Self.floorDivide(secondsSinceEpoch, 86_400)
    let second = secondsSinceEpoch - day * 86_400
    let (year, month, dayOfMonth) = Self.calendarDay(day)
    // 1970 began on a Thursday.
    let weekday = Self.days[Int((day % 7 + 7 + 4) % 7)]
    let date = "\(Self.padded(dayOfMonth)) \(Self.months[Int(month - 1)]) \(Self.padded(year, to: 4))"
    let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0) }.joined(separator: ":")
    return "\(weekday), \(date) \(time) GMT"
  }

  private static func calendarDay(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func padded(_ number: Int64, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
