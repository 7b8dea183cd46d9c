internal import DownloadCore

/// A value of JSON (RFC 8259) to be written.
enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Seconds, written to a thousandth; what is no number is null.
  case seconds(Double)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  /// The text, in one line, and without any character that a terminal would act upon.
  var text: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += "\(value)"
    case .seconds(let value): text += Self.number(value) ?? "null"
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.name, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  /// `12.345`; nil for what is no number, or too large for one to the thousandth.
  private static func number(_ seconds: Double) -> String? {
    guard abs(seconds) < 9e12 else { return nil }
    let thousandths = Int64((seconds * 1000).rounded())
    let fraction = String(abs(thousandths % 1000))
    let zeros = String(repeating: "0", count: 3 - fraction.count)
    return "\(thousandths < 0 ? "-" : "")\(abs(thousandths / 1000)).\(zeros)\(fraction)"
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case _ where scalar.isHidden: for unit in String(scalar).utf16 { text += escaped(unit) }
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// `\u001b`.
  private static func escaped(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// A name and its value.
struct JSONMember: Hashable, Sendable {
  var name: String
  var value: JSONValue

  init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}

extension JSONValue {
  /// A string, or null.
  static func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
  /// A whole number, or null.
  static func count(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }
}
