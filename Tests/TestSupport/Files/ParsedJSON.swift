internal import FoundationEssentials

/// Any JSON, read without any of the code under test.
package enum ParsedJSON: Decodable, Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([ParsedJSON])
  case object([String: ParsedJSON])

  /// Reads one value; throws where the text is anything else.
  package init(parsing text: some StringProtocol) throws {
    self = try JSONDecoder().decode(ParsedJSON.self, from: Data(text.utf8))
  }

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([ParsedJSON].self) {
      self = .array(array)
    } else {
      self = .object(try value.decode([String: ParsedJSON].self))
    }
  }

  /// A member of an object; null where there is none.
  package subscript(name: String) -> ParsedJSON {
    if case .object(let members) = self { members[name] ?? .null } else { .null }
  }

  /// The names of an object's members.
  package var names: Set<String> {
    if case .object(let members) = self { Set(members.keys) } else { [] }
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  package var array: [ParsedJSON]? { if case .array(let value) = self { value } else { nil } }
  /// Whole or not.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}
