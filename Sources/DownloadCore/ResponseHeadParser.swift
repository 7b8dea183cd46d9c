/// Why a response's head was not understood.
package enum MalformedHead: Error, Hashable, Sendable {
  /// More than `ResponseHeadParser.limit` bytes in all heads of the transfer.
  case tooLarge
  /// What is wrong, in words of ours.
  case malformed(String)
}

/// Reads the head of a response line by line, as libcurl's header callback gives the lines (RFC 9112, sections 4 and
/// 5).
///
/// A status line always begins a new head: heads of 1xx responses and of proxies come first, and a request that libcurl
/// sent again has a head of its own. What comes after a final head is a trailer: ignored, but counted.
package struct ResponseHeadParser: Sendable {
  /// The most bytes that all heads of a transfer may have.
  package static let limit = 64 << 10

  /// The last final head; nil until its blank line.
  package private(set) var head: ResponseHead?
  /// The bytes of all lines so far.
  package private(set) var byteCount = 0

  private var unfinished: ResponseHead?
  private var hasBody = false
  /// A field's line, to which continuations may still come.
  private var pending: [UInt8]?

  /// Waits for the first status line.
  package init() {}

  /// Whether the blank line of a final head was read.
  package var isComplete: Bool { head != nil }

  /// The body of the final head has begun: what comes after it is a trailer, whatever it looks like.
  package mutating func bodyBegan() { hasBody = true }

  /// Takes one line with its line end.
  package mutating func add(line: UnsafeBufferPointer<UInt8>) throws(MalformedHead) {
    byteCount += line.count
    guard byteCount <= Self.limit else { throw .tooLarge }
    let text = Self.withoutLineEnd(line)
    guard !text.contains(where: { $0 == 0 || $0 == 0x0D || $0 == 0x0A }) else {
      throw .malformed("a NUL or a bare line end in a header line")
    }
    if text.starts(with: "HTTP/".utf8), !hasBody {
      try begin(text)
    } else if !isComplete {
      try text.isEmpty ? end() : addField(text)
    }
  }

  private mutating func begin(_ line: Slice<UnsafeBufferPointer<UInt8>>) throws(MalformedHead) {
    (head, pending) = (nil, nil)
    guard let (status, reason) = Self.statusLine(Array(line)) else { throw .malformed("a malformed status line") }
    unfinished = ResponseHead(status: status, reason: reason)
  }

  private mutating func end() throws(MalformedHead) {
    finishField()
    guard let done = unfinished else { throw .malformed("a blank line before the status line") }
    unfinished = nil
    guard !done.status.isInformational else { return }
    head = done
  }

  private mutating func addField(_ line: Slice<UnsafeBufferPointer<UInt8>>) throws(MalformedHead) {
    guard unfinished != nil else { throw .malformed("no status line") }
    guard line.first?.isBlank == true else {
      finishField()
      pending = Array(line)
      return
    }
    // obs-fold (RFC 9112, section 5.2): one space stands for the line end and the blanks around it.
    guard let soFar = pending else { throw .malformed("a continuation of no header line") }
    pending = soFar + [0x20] + line.drop(while: \.isBlank)
  }

  /// Keeps the pending field; what has no name in front of a colon is no field and is dropped.
  private mutating func finishField() {
    guard let line = pending else { return }
    pending = nil
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = Self.text(line[..<colon])
    guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else { return }
    unfinished?.fields.append(HeaderField(name, Self.text(line[(colon + 1)...])))
  }
}

extension ResponseHeadParser {
  private static func withoutLineEnd(_ line: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
    var end = line.count
    if end > 0, line[end - 1] == 0x0A { end -= 1 }
    if end > 0, line[end - 1] == 0x0D { end -= 1 }
    return line[0..<end]
  }

  /// `HTTP/1.1 206 Partial Content`; the reason and the space before it may be missing (RFC 9112, section 4).
  private static func statusLine(_ line: [UInt8]) -> (HTTPStatus, String)? {
    let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, isVersion(parts[0].dropFirst(5)) else { return nil }
    guard parts[1].count == 3, parts[1].allSatisfy(\.isDigit) else { return nil }
    let code = parts[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    guard 100...599 ~= code else { return nil }
    return (HTTPStatus(rawValue: code), parts.count == 3 ? text(parts[2]) : "")
  }

  /// `1.0`, `1.1`, `2`, `3`.
  private static func isVersion(_ text: ArraySlice<UInt8>) -> Bool {
    guard let major = text.first, UInt8(ascii: "1")...UInt8(ascii: "3") ~= major else { return false }
    let rest = text.dropFirst()
    return rest.isEmpty || rest.count == 2 && rest.first == UInt8(ascii: ".") && rest.last?.isDigit == true
  }

  /// UTF-8 if it is that, else Latin-1, without the blanks at its ends.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    guard let last = bytes.lastIndex(where: { !$0.isBlank }) else { return "" }
    let inner = bytes[...last].drop(while: \.isBlank)
    return String(validating: inner, as: UTF8.self) ?? String(latin1: inner)
  }
}

extension String {
  /// Takes each byte for the code point of its value (ISO-8859-1).
  package init(latin1 bytes: some Sequence<UInt8>) {
    var scalars = UnicodeScalarView()
    scalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
    self.init(scalars)
  }
}
