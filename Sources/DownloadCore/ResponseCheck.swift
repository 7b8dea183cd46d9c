/// The judgement of a response to a GET, from its head alone, before the first byte of its body is written.
package enum ResponseCheck {
  /// What was asked for, and what is known of the file.
  package struct Expectation: Hashable, Sendable {
    /// Nil where no Range was sent. The end is `unknownEnd` where the range was open: `bytes=100-`.
    package var asked: ByteRange?
    /// Of the version that is being fetched; nil for the first answer ever.
    package var validator: Validator?
    /// The request carried If-Range.
    package var sentIfRange: Bool
    /// The whole file's length in bytes, once it is known.
    package var length: Int64?
    /// The whole file's length may still come from elsewhere: a part may leave it out.
    package var awaitsLength: Bool
    /// The validator is that of bytes that are here: an answer that cannot be compared with it is not trusted.
    package var isBinding: Bool
    /// The file is no web page: a whole answer that is one, of another length, comes from a login or an error.
    package var refusesPages: Bool
    /// Bytes that are here are a content coding, or are none; nil where that does not matter.
    package var isEncoded: Bool?
    /// The file is known not to be empty, whatever its version.
    package var refusesEmpty: Bool

    /// Nothing is expected of what is left out.
    package init(
      asked: ByteRange? = nil, validator: Validator? = nil, sentIfRange: Bool = false, length: Int64? = nil,
      awaitsLength: Bool = false, isBinding: Bool = false, refusesPages: Bool = false, refusesEmpty: Bool = false,
      isEncoded: Bool? = nil
    ) {
      self.asked = asked
      self.validator = validator
      self.sentIfRange = sentIfRange
      self.length = length
      self.awaitsLength = awaitsLength
      self.isBinding = isBinding
      self.refusesPages = refusesPages
      self.refusesEmpty = refusesEmpty
      self.isEncoded = isEncoded
    }
  }

  /// What to do with a response. Texts are one clause each, sanitised.
  package enum Verdict: Hashable, Sendable {
    /// The body is this range, which lies within what was asked, and of it nothing more is to be written.
    case partial(ByteRange, total: Int64?)
    /// The body is the whole file, from 0; its length where the head tells it.
    case whole(length: Int64?)
    /// The file is another than the one that was planned.
    case changed(String)
    /// The server does not do what ranges need here: one stream from 0 may.
    case rangeIgnored(String)
    /// Bytes of elsewhere: not to be written.
    case wrongRange(String)
    /// 416; the whole length, where the server tells it.
    case unsatisfiable(total: Int64?)
    /// As received: to be resolved and checked.
    case redirect(String)
    /// To be asked again later, after so many seconds where the server says so.
    case transient(HTTPStatus, retryAfter: Double?)
    case refused(HTTPStatus)
    /// Not HTTP as it may be.
    case malformed(String)
  }

  /// Judges a final head.
  package static func judge(_ head: ResponseHead, _ expectation: Expectation) -> Verdict {
    switch head.status {
    case .partialContent: framingFault(head) ?? partial(head, expectation)
    case .ok: framingFault(head) ?? whole(head, expectation)
    case .rangeNotSatisfiable: unsatisfiable(head, expectation)
    case let status where status.isRedirect: redirect(head)
    case let status where status.isTransient: .transient(status, retryAfter: head.retryAfter)
    case let status where status.isSuccess: .malformed("status \(status) to a request for a file")
    default: .refused(head.status)
    }
  }
}

extension ResponseCheck {
  /// Where the body would end is not to be guessed (RFC 9112, section 6.3).
  private static func framingFault(_ head: ResponseHead) -> Verdict? {
    switch head.contentLength {
    case .malformed(let text): return .malformed("a malformed Content-Length: \(Sanitiser.line(text, limit: 60))")
    case .tooLarge: return .malformed("a Content-Length of 2^63 or more")
    case .absent, .bytes: break
    }
    guard case .unsupported(let coding) = head.transferCoding else { return nil }
    return .malformed("an unsupported transfer coding: \(Sanitiser.line(coding, limit: 60))")
  }

  private static func partial(_ head: ResponseHead, _ expectation: Expectation) -> Verdict {
    guard let asked = expectation.asked else { return .wrongRange("a part was sent though the whole was asked for") }
    guard !head.isMultipartByteranges else { return .rangeIgnored("a multipart answer to a single range") }
    guard !head.isContentEncoded else { return .rangeIgnored("a part of a content coding, not of the file") }
    switch head.contentRange {
    case .absent: return .rangeIgnored("a part without Content-Range")
    case .malformed(let text): return .rangeIgnored("a malformed Content-Range: \(Sanitiser.line(text, limit: 60))")
    case .value(let value):
      guard let range = value.range else { return .rangeIgnored("a part whose Content-Range has no range") }
      return change(head, length: value.total, expectation)
        ?? misplacement(of: range, total: value.total, head, asked: asked, expectation)
        ?? .partial(range, total: value.total)
    }
  }

  private static func misplacement(
    of range: ByteRange, total: Int64?, _ head: ResponseHead, asked: ByteRange, _ expectation: Expectation
  ) -> Verdict? {
    let unknown = expectation.awaitsLength ? unknownEnd : nil
    guard let length = total ?? expectation.length ?? unknown else {
      return .rangeIgnored("a part of a file of unknown length")
    }
    guard range.start == asked.start, range.end <= min(asked.end, length) else {
      return .wrongRange("asked for bytes \(asked.inclusiveText), was sent bytes \(range.inclusiveText)")
    }
    guard let count = head.contentLength.count, count != range.count else { return nil }
    return .wrongRange("a Content-Length of \(count) for a range of \(range.count)")
  }

  private static func whole(_ head: ResponseHead, _ expectation: Expectation) -> Verdict {
    // With chunks Content-Length means nothing (RFC 9112, section 6.3). With a coding it is not the length of what the
    // coding stands for, but of what is saved: its bytes as they are.
    let length = head.transferCoding == .chunked ? nil : head.contentLength.count
    if let fault = substitute(head, length: length, expectation) { return .malformed(fault) }
    if let change = change(head, length: length, expectation) { return change }
    guard let asked = expectation.asked, asked.start > 0 else { return .whole(length: length) }
    return .rangeIgnored("the whole file was sent instead of a range")
  }

  /// What servers in trouble send with 200 in place of the file; nil where the answer may be the file.
  private static func substitute(_ head: ResponseHead, length: Int64?, _ expectation: Expectation) -> String? {
    if length == 0, expectation.refusesEmpty { return "an empty answer in place of the file" }
    guard expectation.length == nil || expectation.length != length else { return nil }
    if let page = page(head, expectation) { return page }
    guard expectation.length != nil else { return nil }
    let answered = Validator(head: head, length: nil)
    if case .changed? = expectation.validator?.matches(answered) { return nil }
    if length == 0 { return "an empty answer in place of the file" }
    // After answers that were the file: without a name for a version, it is none of it either.
    guard expectation.isBinding, answered.isEmpty, length != nil || expectation.validator?.isEmpty == false else {
      return nil
    }
    return "an answer that names neither the version nor the known length"
  }

  private static func page(_ head: ResponseHead, _ expectation: Expectation) -> String? {
    expectation.refusesPages && head.isPage ? "a web page in place of the file" : nil
  }

  private static func unsatisfiable(_ head: ResponseHead, _ expectation: Expectation) -> Verdict {
    guard case .value(let value) = head.contentRange, let total = value.total else {
      return .unsatisfiable(total: nil)
    }
    // It is no file, and says nothing that an answer without Range would not say better.
    return .unsatisfiable(total: total)
  }

  /// Identity: every response is compared with the version that is being fetched.
  private static func change(_ head: ResponseHead, length: Int64?, _ expectation: Expectation) -> Verdict? {
    if let length, let change = lengthChange(length, expectation) { return change }
    if expectation.isBinding, let isEncoded = expectation.isEncoded, isEncoded != head.isContentEncoded {
      return .changed("its content coding differs")
    }
    guard let planned = expectation.validator else { return nil }
    let answered = Validator(head: head, length: length)
    switch planned.matches(answered) {
    case .same: return nil
    case .changed(let what): return .changed(what)
    case .unknown:
      guard expectation.isBinding, !(planned.isEmpty && answered.isEmpty) else { return nil }
      return .changed(
        "the ETag or the date that named the version \(answered.isEmpty ? "is missing" : "is another kind")")
    }
  }

  private static func lengthChange(_ length: Int64, _ expectation: Expectation) -> Verdict? {
    guard let known = expectation.length, known != length else { return nil }
    return .changed("the length was \(known), is \(length)")
  }

  private static func redirect(_ head: ResponseHead) -> Verdict {
    guard let location = head.location, !location.isEmpty else { return .malformed("a redirect without Location") }
    guard !location.utf8.contains(where: \.isControl) else { return .malformed("control bytes in Location") }
    return .redirect(location)
  }
}
