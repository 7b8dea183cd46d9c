/// Numbers of things as people read them.
enum CountText {
  /// `98,990`.
  static func grouped(_ count: Int) -> String {
    var digits = String(count)
    var place = digits.count - 3
    while place > 0 {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
      place -= 3
    }
    return digits
  }
}
