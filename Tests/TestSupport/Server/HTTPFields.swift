/// Header fields in the order they were sent, found by name in any case.
package struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// One field line.
  package struct Field: Sendable, Equatable {
    package let name: String
    package let value: String
  }

  /// Every field line.
  package private(set) var fields: [Field] = []

  package init() {}

  /// The fields of a literal; the same name may come twice.
  package init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// Adds a field line, also where the name is there already.
  package mutating func append(_ name: String, _ value: String) {
    fields.append(Field(name: name, value: value))
  }

  /// Adds every field line of `others`.
  package mutating func append(_ others: HTTPFields) {
    fields += others.fields
  }

  /// The first value of a name.
  package subscript(name: String) -> String? {
    values(of: name).first
  }

  /// Every value of a name.
  package func values(of name: String) -> [String] {
    let wanted = name.lowercased()
    return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
  }

  /// Whether a name is there.
  package func contains(_ name: String) -> Bool {
    self[name] != nil
  }
}
