extension ResponseHead {
  /// What all Content-Length fields together say.
  package var contentLength: ContentLength { ContentLength(values: values("Content-Length")) }

  /// `identity` is none (RFC 9112, section 7); anything but a single `chunked` beside it is unsupported.
  package var transferCoding: TransferCoding {
    let codings = list("Transfer-Encoding").filter { !$0.equalsIgnoringCase("identity") }
    guard !codings.isEmpty else { return .none }
    guard codings.count == 1, codings[0].equalsIgnoringCase("chunked") else {
      return .unsupported(codings.joined(separator: ", "))
    }
    return .chunked
  }

  /// Whether the body's bytes are a coding of the file, not the file (RFC 9110, section 8.4).
  package var isContentEncoded: Bool {
    list("Content-Encoding").contains { !$0.equalsIgnoringCase("identity") }
  }

  /// Whether the server says that it knows ranges of bytes (RFC 9110, section 14.3); nil where it does not say.
  package var acceptsRanges: Bool? {
    let units = list("Accept-Ranges")
    if units.contains(where: { $0.equalsIgnoringCase("bytes") }) { return true }
    return units.contains { $0.equalsIgnoringCase("none") } ? false : nil
  }

  /// Where a redirect leads, as received: neither resolved nor checked.
  package var location: String? { first("Location") }

  /// The first ETag, where it is a valid one.
  package var etag: EntityTag? { first("ETag").flatMap { EntityTag($0) } }

  /// The first Last-Modified, where it is a date.
  package var lastModified: HTTPDate? { first("Last-Modified").flatMap { HTTPDate($0) } }

  /// Last-Modified as received, where it is a date.
  package var lastModifiedText: String? { lastModified == nil ? nil : first("Last-Modified") }

  /// When the server made the response.
  package var date: HTTPDate? { first("Date").flatMap { HTTPDate($0) } }

  /// Exactly one is a value; two are malformed, even if equal.
  package var contentRange: ContentRangeField {
    let texts = values("Content-Range")
    guard !texts.isEmpty else { return .absent }
    guard texts.count == 1, let value = ContentRange(texts[0]) else {
      return .malformed(texts.joined(separator: ", "))
    }
    return .value(value)
  }

  /// Whether the body is ranges with heads of their own between them (RFC 9110, section 14.6).
  package var isMultipartByteranges: Bool { first("Content-Type")?.beginsIgnoringCase("multipart/byteranges") ?? false }

  /// Whether the body is a web page.
  package var isPage: Bool { first("Content-Type")?.beginsIgnoringCase("text/html") ?? false }

  /// The most that Retry-After may make us wait, in seconds.
  package static let longestRetryAfter = 300.0

  /// How long the server asks us to wait, in seconds from 0 to 300 (RFC 9110, section 10.2.3). A date counts from the
  /// response's own Date. Nil where it is absent or neither a number nor a date.
  package var retryAfter: Double? {
    guard let text = first("Retry-After") else { return nil }
    if text.isDigits {
      return min(text.plainDecimal.map { Double($0) } ?? Self.longestRetryAfter, Self.longestRetryAfter)
    }
    guard let until = HTTPDate(text), let now = date else { return nil }
    return min(max(0, Double(until.secondsSinceEpoch - now.secondsSinceEpoch)), Self.longestRetryAfter)
  }

  /// The first Content-Disposition, as received.
  package var contentDisposition: String? { first("Content-Disposition") }
}
