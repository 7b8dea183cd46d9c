/// What tells one version of a file from another: its ETag, its Last-Modified and its length, as the manifest keeps
/// them.
package struct Validator: Hashable, Sendable {
  /// As received, `W/` and quotes included; nil where the server sends none that can be used.
  package var etag: String?
  /// As received; nil where it is no date.
  package var lastModified: String?
  /// In bytes.
  package var length: Int64?

  /// Takes the values as they are.
  package init(etag: String? = nil, lastModified: String? = nil, length: Int64? = nil) {
    self.etag = etag
    self.lastModified = lastModified
    self.length = length
  }

  /// The validators of a response; `length` is the whole file's, which a 206 tells elsewhere than a 200.
  package init(head: ResponseHead, length: Int64?) {
    self.init(etag: head.etag?.raw, lastModified: head.lastModifiedText, length: length)
  }

  /// How two versions compare.
  package enum Match: Hashable, Sendable {
    case same
    /// What differs, sanitised.
    case changed(String)
    /// They have nothing in common to compare.
    case unknown
  }
}

extension Validator {
  private var tag: EntityTag? { etag.flatMap { EntityTag($0) } }

  /// Whether equal ETags promise equal bytes (RFC 9110, section 8.8.1).
  package var isStrong: Bool { tag.map { !$0.isWeak } ?? false }

  /// A weak ETag is all there is beside the length.
  package var isWeakOnly: Bool { tag?.isWeak == true && lastModified == nil }

  /// Neither ETag nor Last-Modified: nothing but the length can be compared.
  package var isEmpty: Bool { tag == nil && lastModified == nil }

  /// What If-Range may carry: a strong ETag (RFC 9110, section 13.1.5), in ASCII, so that it goes back byte for byte.
  package var ifRangeValue: String? {
    guard isStrong, let etag, etag.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return etag
  }

  /// Compares what was planned with `other`, which a response says now: first the lengths, if both are known; then the
  /// ETags, if both have one; else Last-Modified, if both have it. Lengths alone decide only against.
  package func matches(_ other: Validator) -> Match {
    if let length, let now = other.length, length != now {
      return .changed("the length was \(length), is \(now)")
    }
    if let tag, let now = other.tag {
      return Self.isSame(tag, now) ? .same : Self.changed("ETag", from: tag.raw, to: now.raw)
    }
    if let lastModified, let now = other.lastModified {
      return Self.isSameDate(lastModified, now) ? .same : Self.changed("Last-Modified", from: lastModified, to: now)
    }
    return .unknown
  }

  /// A mark that a cache added or took away alone is no other version (RFC 9110, section 8.8.3.2: weak comparison).
  private static func isSame(_ tag: EntityTag, _ other: EntityTag) -> Bool { tag.opaque.hasSameBytes(as: other.opaque) }

  private static func isSameDate(_ date: String, _ other: String) -> Bool {
    if let date = HTTPDate(date), let other = HTTPDate(other) { return date == other }
    return date.hasSameBytes(as: other)
  }

  private static func changed(_ what: String, from old: String, to new: String) -> Match {
    .changed("the \(what) was \(Sanitiser.line(old, limit: 80)), is \(Sanitiser.line(new, limit: 80))")
  }
}
