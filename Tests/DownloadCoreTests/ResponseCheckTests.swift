import DownloadCore
import Testing

@Suite struct ResponseCheckTests {
  /// Bytes 100 to 199 of a file of 1000 bytes with the ETag `"v1"`.
  private static let middle = ResponseCheck.Expectation(
    asked: ByteRange(100, 200), validator: Validator(etag: "\"v1\"", length: 1000), sentIfRange: true, length: 1000)
  private static let first = ResponseCheck.Expectation(asked: ByteRange(0, 200))
  private static let openEnded = ResponseCheck.Expectation(asked: ByteRange(100, unknownEnd))

  private func judge(
    _ status: Int, _ fields: String..., expecting expectation: ResponseCheck.Expectation = middle
  ) -> ResponseCheck.Verdict {
    var answer = head(status)
    for field in fields { answer.fields += head(status, field).fields }
    return ResponseCheck.judge(answer, expectation)
  }

  private func isRangeIgnored(_ verdict: ResponseCheck.Verdict) -> Bool {
    if case .rangeIgnored = verdict { true } else { false }
  }

  private func isWrongRange(_ verdict: ResponseCheck.Verdict) -> Bool {
    if case .wrongRange = verdict { true } else { false }
  }

  private func isMalformed(_ verdict: ResponseCheck.Verdict) -> Bool {
    if case .malformed = verdict { true } else { false }
  }

  private func isChanged(_ verdict: ResponseCheck.Verdict) -> Bool {
    if case .changed = verdict { true } else { false }
  }

  /// Where bytes of a version are here, an answer that does not name its version may be of another.
  @Test func aVersionThatIsBindingMustBeNamed() {
    var binding = Self.middle
    binding.isBinding = true
    let part = "Content-Range: bytes 100-199/1000"
    #expect(isChanged(judge(206, part, expecting: binding)))
    #expect(isChanged(judge(200, "Content-Length: 1000", expecting: binding)))
    #expect(isChanged(judge(206, part, "Last-Modified: Tue, 03 Jan 2023 10:00:00 GMT", expecting: binding)))
    #expect(!isChanged(judge(206, part, "ETag: \"v1\"", expecting: binding)))
    binding.validator = Validator(length: 1000)
    #expect(!isChanged(judge(206, part, expecting: binding)))
    #expect(isChanged(judge(206, part, "ETag: \"v1\"", expecting: binding)))
  }

  @Test func takesTheRangeAskedFor() {
    let whole = ResponseCheck.Verdict.partial(ByteRange(100, 200), total: 1000)
    let etag = "ETag: \"v1\""
    #expect(judge(206, "Content-Range: bytes 100-199/1000", "Content-Length: 100", etag) == whole)
    #expect(judge(206, "Content-Range: bytes 100-199/1000", etag) == whole)
    #expect(judge(206, "Content-Range: bytes=100-199/1000") == whole)
    #expect(judge(206, "Content-Range: 100-199/1000", "Transfer-Encoding: chunked", etag) == whole)
  }

  /// R12, R14.
  @Test func takesLessAndAnUnsaidTotal() {
    #expect(judge(206, "Content-Range: bytes 100-149/1000") == .partial(ByteRange(100, 150), total: 1000))
    #expect(judge(206, "Content-Range: bytes 100-199/*") == .partial(ByteRange(100, 200), total: nil))
    #expect(isRangeIgnored(judge(206, "Content-Range: bytes 0-199/*", expecting: Self.first)))
  }

  @Test func learnsTheTotalFromTheFirstAnswer() {
    let verdict = judge(206, "Content-Range: bytes 0-199/1000", expecting: Self.first)
    #expect(verdict == .partial(ByteRange(0, 200), total: 1000))
    let open = judge(206, "Content-Range: bytes 100-999/1000", expecting: Self.openEnded)
    #expect(open == .partial(ByteRange(100, 1000), total: 1000))
  }

  /// R10, R13, R24; a Content-Length that is not the range's.
  @Test(arguments: [
    ["Content-Range: bytes 105-199/1000"], ["Content-Range: bytes 99-199/1000"], ["Content-Range: bytes 0-99/1000"],
    ["Content-Range: bytes 100-200/1000"], ["Content-Range: bytes 105-199/1000", "Transfer-Encoding: chunked"],
    ["Content-Range: bytes 100-199/1000", "Content-Length: 101"],
    ["Content-Range: bytes 100-199/1000", "Content-Length: 99"],
  ])
  func rejectsAnotherRange(_ fields: [String]) {
    var answer = head(206)
    for field in fields { answer.fields += head(206, field).fields }
    #expect(isWrongRange(ResponseCheck.judge(answer, Self.middle)))
  }

  @Test func rejectsBytesBeyondTheKnownEnd() {
    let last = ResponseCheck.Expectation(asked: ByteRange(900, unknownEnd), length: 1000)
    #expect(isWrongRange(judge(206, "Content-Range: bytes 900-1000/*", expecting: last)))
    #expect(isWrongRange(judge(206, "Content-Range: bytes 0-9/10", expecting: .init())))
  }

  /// R16, R17, R21, and a coding.
  @Test(arguments: [
    "Accept-Ranges: bytes", "Content-Range: bytes 5-/10", "Content-Range: bytes 9-5/10", "Content-Range: bytes 0-9/5",
    "Content-Range: items 0-9/10", "Content-Range: bytes 0-999999999999999999999999999999/*",
    "Content-Range: bytes -1/10", "Content-Range: bytes */1000", "Content-Type: multipart/byteranges; boundary=x",
    "Content-Encoding: gzip",
  ])
  func fallsBackToOneStream(_ field: String) { #expect(isRangeIgnored(judge(206, field))) }

  @Test func multipartAndCodingsComeBeforeAGoodRange() {
    let range = "Content-Range: bytes 100-199/1000"
    #expect(isRangeIgnored(judge(206, range, "Content-Type: multipart/byteranges; boundary=x")))
    #expect(isRangeIgnored(judge(206, range, "Content-Encoding: gzip")))
    #expect(isRangeIgnored(judge(206, range, range)))
  }

  /// R15, R28, R33, R35, R37.
  @Test func seesAnotherVersion() {
    #expect(judge(206, "Content-Range: bytes 100-199/1001") == .changed("the length was 1000, is 1001"))
    let tagged = judge(206, "Content-Range: bytes 100-199/1000", "ETag: \"v2\"")
    #expect(tagged == .changed("the ETag was \"v1\", is \"v2\""))
    #expect(isChanged(judge(200, "ETag: \"v2\"")))
    #expect(isChanged(judge(200, "ETag: \"v1\"", "Content-Length: 999")))
    var dated = Self.middle
    dated.validator = Validator(lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
    let later = "Last-Modified: Sun, 06 Nov 1994 08:49:38 GMT"
    #expect(isChanged(judge(206, "Content-Range: bytes 100-199/1000", later, expecting: dated)))
    dated.asked = nil
    #expect(isChanged(judge(200, later, expecting: dated)))
  }

  @Test func takesTheWhole() {
    #expect(judge(200, "Content-Length: 1000", expecting: .init()) == .whole(length: 1000))
    #expect(judge(200, "Content-Length: 1000", expecting: Self.first) == .whole(length: 1000))
    #expect(judge(200, expecting: Self.first) == .whole(length: nil))
    #expect(judge(200, "Content-Length: 5", "Transfer-Encoding: chunked", expecting: .init()) == .whole(length: nil))
  }

  /// T30: its own bytes are the file, so their number is its length; where another was known, it is another file.
  @Test func takesACodingAsItIs() {
    let fields = ("Content-Encoding: gzip", "Content-Length: 70")
    #expect(judge(200, fields.0, fields.1, expecting: .init()) == .whole(length: 70))
    #expect(judge(200, fields.0, fields.1, expecting: .init(length: 70)) == .whole(length: 70))
    #expect(
      judge(200, fields.0, fields.1, expecting: .init(length: 1000)) == .changed("the length was 1000, is 70"))
  }

  /// R06, R08, R34.
  @Test func neverWritesAWholeFileAtAnOffset() {
    #expect(isRangeIgnored(judge(200, "ETag: \"v1\"", "Content-Length: 1000")))
    #expect(isRangeIgnored(judge(200, expecting: Self.openEnded)))
  }

  /// T27, T29.
  @Test(arguments: [
    "Content-Length: 0x3e8", "Content-Length: +10", "Content-Length: 1000abc", "Content-Length: -1",
    "Content-Length: 9223372036854775808", "Content-Length: 18446744073709551616", "Content-Length: 10, 11",
    "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked",
  ])
  func rejectsAnUnsureEnd(_ field: String) {
    #expect(isMalformed(judge(200, field, expecting: .init())))
    #expect(isMalformed(judge(206, field, "Content-Range: bytes 100-199/1000")))
  }

  /// R25, R38.
  @Test func unsatisfiable() {
    #expect(judge(416, "Content-Range: bytes */1000") == .unsatisfiable(total: 1000))
    #expect(judge(416) == .unsatisfiable(total: nil))
    #expect(judge(416, "Content-Range: rubbish") == .unsatisfiable(total: nil))
    #expect(judge(416, "Content-Range: bytes */0", expecting: Self.first) == .unsatisfiable(total: 0))
    // It is no file: whether there is another one now, an answer without Range says.
    #expect(judge(416, "Content-Range: bytes */999") == .unsatisfiable(total: 999))
  }

  @Test func redirects() {
    for status in [301, 302, 303, 307, 308] {
      #expect(judge(status, "Location: /x") == .redirect("/x"))
      #expect(isMalformed(judge(status)))
      #expect(isMalformed(judge(status, "Location: ")))
      #expect(isMalformed(judge(status, "Location: /\u{1B}[2J")))
    }
  }

  @Test func otherStatuses() {
    #expect(judge(503, "Retry-After: 2") == .transient(.serviceUnavailable, retryAfter: 2))
    #expect(judge(500, "Content-Length: x") == .transient(HTTPStatus(rawValue: 500), retryAfter: nil))
    for status in [300, 304, 305, 400, 401, 403, 404, 407, 410, 412, 501, 505] {
      #expect(judge(status) == .refused(HTTPStatus(rawValue: status)))
    }
    for status in [201, 202, 203, 204, 205, 207] { #expect(isMalformed(judge(status))) }
  }

  @Test func neverTrustsWhatIsOutsideTheRange() {
    var chance = SeededGenerator(seed: 5)
    let seeds = ["bytes 100-199/1000", "bytes 100-150/*", "bytes */1000"]
    for round in 0..<20_000 {
      let range = "Content-Range: \(chance.mutatedText(of: seeds[round % 3]))"
      guard case .partial(let got, let total) = judge(206, range) else { continue }
      #expect(got.start == 100 && got.end <= 200 && !got.isEmpty && (total ?? 1000) == 1000)
    }
  }
}
