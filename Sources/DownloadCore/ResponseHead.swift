/// The status line and the header fields of one final response.
package struct ResponseHead: Hashable, Sendable {
  /// The code of the status line.
  package var status: HTTPStatus
  /// As the server sent it: to be sanitised before it is shown.
  package var reason: String
  /// In the order received, values without the blanks around them.
  package var fields: [HeaderField]

  /// Takes the values as they are.
  package init(status: HTTPStatus, reason: String = "", fields: [HeaderField] = []) {
    self.status = status
    self.reason = reason
    self.fields = fields
  }

  /// The values of every field of this name, whatever its case.
  package func values(_ name: String) -> [String] {
    fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
  }

  /// The value of the first field of this name, whatever its case.
  package func first(_ name: String) -> String? {
    fields.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  /// The members of all list-valued fields of this name, without blanks and without empty members
  /// (RFC 9110, section 5.6.1).
  package func list(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: ",") }.map { String($0.withoutBlanks) }.filter { !$0.isEmpty }
  }
}

/// What Content-Length says (RFC 9110, section 8.6).
package enum ContentLength: Hashable, Sendable {
  case absent
  case bytes(Int64)
  /// A plain decimal, but 2^63 or more.
  case tooLarge
  /// Neither a plain decimal nor several equal ones; the text as received.
  case malformed(String)

  /// Reads the values of all fields of this name. Equal ones count as one.
  package init(values: [String]) {
    guard !values.isEmpty else {
      self = .absent
      return
    }
    if values.count == 1, let count = values[0].plainDecimal {
      self = .bytes(count)
      return
    }
    let text = values.joined(separator: ", ")
    let members = text.split(separator: ",", omittingEmptySubsequences: false).map(\.withoutBlanks)
    guard members.allSatisfy(\.isDigits), Set(members.map(Self.withoutLeadingZeros)).count == 1 else {
      self = .malformed(text)
      return
    }
    self = members[0].plainDecimal.map(Self.bytes) ?? .tooLarge
  }

  private static func withoutLeadingZeros(_ digits: Substring) -> Substring { digits.drop { $0 == "0" } }

  /// The length where one is known.
  package var count: Int64? {
    guard case .bytes(let count) = self else { return nil }
    return count
  }
}

/// What Transfer-Encoding says (RFC 9112, section 6.1).
package enum TransferCoding: Hashable, Sendable {
  case none
  case chunked
  /// Anything else, as received.
  case unsupported(String)
}

/// What Content-Range says (RFC 9110, section 14.4).
package enum ContentRangeField: Hashable, Sendable {
  case absent
  case value(ContentRange)
  /// Not to be understood, or more than one; as received.
  case malformed(String)
}
