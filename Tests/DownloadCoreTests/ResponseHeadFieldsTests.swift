import DownloadCore
import Testing

@Suite struct ResponseHeadFieldsTests {
  @Test(arguments: [
    (["0"], ContentLength.bytes(0)), (["10"], .bytes(10)), (["10, 10"], .bytes(10)), (["10", "10"], .bytes(10)),
    (["010", "10"], .bytes(10)), ([" 7 "], .bytes(7)), (["9223372036854775807"], .bytes(.max)), ([], .absent),
    (["9223372036854775808"], .tooLarge), (["18446744073709551616"], .tooLarge),
    (["99999999999999999999999999999999"], .tooLarge),
  ])
  func contentLength(_ values: [String], _ expected: ContentLength) {
    #expect(ContentLength(values: values) == expected)
  }

  /// T27.
  @Test(arguments: [
    ["10", "11"], ["10, 11"], ["0x3e8"], ["+10"], ["1000abc"], ["-10"], [""], ["10,"], [",10"], ["10 10"], ["1e3"],
    ["10.0"], ["１０"], ["10", ""], ["9223372036854775808", "10"], ["10\u{301}"],
  ])
  func malformedContentLength(_ values: [String]) {
    #expect(ContentLength(values: values) == .malformed(values.joined(separator: ", ")))
  }

  @Test(arguments: [
    ("Chunked", TransferCoding.chunked), ("identity", .none), ("", .none), ("identity, chunked", .chunked),
    ("gzip", .unsupported("gzip")), ("gzip, chunked", .unsupported("gzip, chunked")),
    ("chunked, chunked", .unsupported("chunked, chunked")), ("chunked;q=1", .unsupported("chunked;q=1")),
    ("\u{B}chunked", .unsupported("\u{B}chunked")),
  ])
  func transferCoding(_ value: String, _ expected: TransferCoding) {
    #expect(head(200, "Transfer-Encoding: \(value)").transferCoding == expected)
  }

  @Test func transferCodingOfSeveralFields() {
    #expect(head(200).transferCoding == .none)
    let both = head(200, "Transfer-Encoding: chunked", "transfer-encoding: gzip")
    #expect(both.transferCoding == .unsupported("chunked, gzip"))
  }

  @Test(arguments: [("gzip", true), ("identity", false), ("", false), ("identity, br", true), ("Identity", false)])
  func contentEncoding(_ value: String, _ isEncoded: Bool) {
    #expect(head(200, "Content-Encoding: \(value)").isContentEncoded == isEncoded)
  }

  @Test(arguments: [("bytes", true), ("Bytes", true), ("none", false), ("None", false), ("items", nil), ("", nil)])
  func acceptRanges(_ value: String, _ expected: Bool?) {
    #expect(head(200, "Accept-Ranges: \(value)").acceptsRanges == expected)
  }

  @Test func acceptRangesAbsent() { #expect(head(200).acceptsRanges == nil) }

  @Test func contentRange() {
    #expect(head(206).contentRange == .absent)
    let value = ContentRange(range: ByteRange(0, 10), total: 20)
    #expect(head(206, "Content-Range: bytes 0-9/20").contentRange == .value(value))
    #expect(head(206, "Content-Range: bytes 9-0/20").contentRange == .malformed("bytes 9-0/20"))
    let twice = head(206, "Content-Range: bytes 0-9/20", "content-range: bytes 0-9/20")
    #expect(twice.contentRange == .malformed("bytes 0-9/20, bytes 0-9/20"))
  }

  @Test func multipart() {
    #expect(head(206, "Content-Type: Multipart/ByteRanges; boundary=x").isMultipartByteranges)
    #expect(!head(206, "Content-Type: text/plain").isMultipartByteranges && !head(206).isMultipartByteranges)
  }

  @Test(
    arguments: [
      ("0", 0), ("1", 1), ("120", 120), ("301", 300), ("99999999999999999999", 300),
      ("Sun, 06 Nov 1994 08:50:07 GMT", 30), ("Sun, 06 Nov 1994 08:49:00 GMT", 0),
      ("Sunday, 06-Nov-94 08:49:38 GMT", 1),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 300), ("-1", nil), ("1.5", nil), ("soon", nil), ("", nil), ("+5", nil),
      ("5 s", nil), ("\u{1B}[2J", nil),
    ] as [(String, Double?)])
  func retryAfter(_ value: String, _ expected: Double?) {
    let answer = head(503, "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: \(value)")
    #expect(answer.retryAfter == expected)
  }

  @Test func retryAfterDateNeedsADate() {
    #expect(head(503, "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT").retryAfter == nil)
    #expect(head(503).retryAfter == nil)
  }

  @Test func lastModified() {
    let dated = head(200, "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(dated.lastModified?.secondsSinceEpoch == 784_111_777)
    #expect(dated.lastModifiedText == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(head(200, "Last-Modified: yesterday").lastModifiedText == nil)
  }
}
