/// One link of a Link field (RFC 8288): what is somewhere else, and how that is related to what was asked for.
package struct LinkField: Hashable, Sendable {
  /// A URL, perhaps a relative one: neither resolved nor checked.
  package var target: String
  /// By their names in lower case; the first of several of one name. Those without a value have an empty one.
  package var parameters: [String: String]

  /// The links of all Link fields of a head, in order. What is malformed is passed over.
  package static func all(in head: ResponseHead) -> [LinkField] {
    head.values("Link").flatMap { value in
      var reader = Reader(bytes: Array(value.utf8))
      return reader.links()
    }
  }

  /// Whether it is about what was asked for, and this is what it says of it. Names of relations have no case.
  package func isRelation(_ name: String) -> Bool {
    guard parameters["anchor"] == nil else { return false }
    return parameters["rel"]?.split(separator: " ").contains { $0.equalsIgnoringCase(name) } ?? false
  }
}

/// What the links of a server of metalinks say (RFC 6249).
extension LinkField {
  /// From 1, the best, to 999999; nil where none is given (section 3.1).
  package var priority: Int? {
    parameters["pri"]?.plainDecimal.flatMap { (1...999_999).contains($0) ? Int($0) : nil }
  }

  /// Other places of the same file, the best first: those that are preferred (section 3.2), then by priority.
  package static func duplicates(among links: [LinkField]) -> [LinkField] {
    ranked(links.filter { $0.isRelation("duplicate") })
  }

  /// Metalinks that describe the file (section 4), the best first.
  package static func metalinks(among links: [LinkField]) -> [LinkField] {
    ranked(
      links.filter { link in
        let type = link.parameters["type"]?.prefix { $0 != ";" }.withoutBlanks
        return link.isRelation("describedby") && type?.equalsIgnoringCase(Metalink.mediaType) ?? false
      })
  }

  /// What is preferred comes before all else.
  private var rank: Int { (parameters["pref"] == nil ? 1_000_000 : 0) + (priority ?? 1_000_000) }

  private static func ranked(_ links: [LinkField]) -> [LinkField] {
    links.enumerated().sorted { first, second in
      (first.element.rank, first.offset) < (second.element.rank, second.offset)
    }.map(\.element)
  }
}

/// Reading the field (RFC 8288, section 3; RFC 9110, section 5.6).
extension LinkField {
  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func links() -> [LinkField] {
      var links: [LinkField] = []
      while byte != nil {
        if let link = link() { links.append(link) }
        skipToComma()
      }
      return links
    }

    private mutating func link() -> LinkField? {
      skipBlanks()
      guard take("<"), let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
      // No URL has any of these: the target was not closed.
      guard !bytes[index..<end].contains(where: { "<\"".utf8.contains($0) }) else { return nil }
      let target = String(decoding: bytes[index..<end], as: UTF8.self).withoutBlanks
      index = end + 1
      var link = LinkField(target: String(target), parameters: [:])
      skipBlanks()
      while take(";") {
        skipBlanks()
        let name = token().lowercased()
        skipBlanks()
        let value = take("=") ? value() : ""
        if !name.isEmpty, link.parameters[name] == nil { link.parameters[name] = value }
        skipBlanks()
      }
      return byte == nil || byte == UInt8(ascii: ",") ? link : nil
    }

    private mutating func value() -> String {
      skipBlanks()
      guard take("\"") else { return token() }
      var value: [UInt8] = []
      while let next = byte, next != UInt8(ascii: "\"") {
        if next == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
        value.append(bytes[index])
        index += 1
      }
      _ = take("\"")
      return String(decoding: value, as: UTF8.self)
    }

    /// Also what is none, such as a media type without quotes: up to what must end it.
    private mutating func token() -> String {
      let end = bytes[index...].firstIndex { $0.isBlank || ",;=\"<>".utf8.contains($0) } ?? bytes.endIndex
      defer { index = end }
      return String(decoding: bytes[index..<end], as: UTF8.self)
    }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
      guard byte == UInt8(ascii: sign) else { return false }
      index += 1
      return true
    }

    private mutating func skipBlanks() {
      while let next = byte, next.isBlank { index += 1 }
    }

    /// Behind the next comma that is neither in quotes nor in a target.
    private mutating func skipToComma() {
      var closing: UInt8?
      while let next = byte {
        index += 1
        if let end = closing {
          if next == UInt8(ascii: "\\"), end == UInt8(ascii: "\"") { index += 1 }
          if next == end { closing = nil }
        } else if next == UInt8(ascii: ",") {
          return
        } else if next == UInt8(ascii: "\"") {
          closing = next
        } else if next == UInt8(ascii: "<") {
          closing = UInt8(ascii: ">")
        }
      }
    }
  }
}
