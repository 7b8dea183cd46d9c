import DownloadCore
import Testing

/// What FTP and files say, put as HTTP would.
@Suite struct PlainFileTests {
  private static let file = PlainFile(length: 100, modified: HTTPDate(secondsSinceEpoch: 784_111_777), version: "1-2")
  private static let asked = ByteRange(10, 30)

  private func verdict(_ head: ResponseHead, asked: ByteRange?, _ validator: Validator? = nil, length: Int64? = nil)
    -> ResponseCheck.Verdict
  {
    ResponseCheck.judge(
      head, .init(asked: asked, validator: validator, length: length, isBinding: validator != nil))
  }

  @Test func aPart() {
    let head = ResponseHead(Self.file, asked: Self.asked)
    #expect(verdict(head, asked: Self.asked) == .partial(Self.asked, total: 100))
    #expect(head.lastModifiedText == "Sun, 06 Nov 1994 08:49:37 GMT" && head.etag?.raw == "\"1-2\"")
  }

  @Test func anOpenRangeEndsWithTheFile() {
    let open = ByteRange(90, unknownEnd)
    #expect(verdict(ResponseHead(Self.file, asked: open), asked: open) == .partial(ByteRange(90, 100), total: 100))
  }

  /// The first request of all begins what may go on as the whole.
  @Test func theBeginningIsTheWholeForTheFirst() {
    let open = ByteRange(0, unknownEnd)
    let first = ResponseHead(Self.file, asked: open, isFirst: true)
    #expect(verdict(first, asked: open) == .whole(length: 100) && first.acceptsRanges == true)
    #expect(
      verdict(ResponseHead(Self.file, asked: open), asked: open) == .partial(ByteRange(0, 100), total: 100))
  }

  @Test(arguments: [ByteRange(100, 200), ByteRange(500, unknownEnd)]) func behindTheEnd(asked: ByteRange) {
    #expect(verdict(ResponseHead(Self.file, asked: asked), asked: asked) == .unsatisfiable(total: 100))
  }

  /// Where it begins is certain then, where it ends is not: of an offset nothing is taken.
  @Test func withoutLength() {
    let file = PlainFile(length: nil, modified: nil)
    guard case .rangeIgnored = verdict(ResponseHead(file, asked: Self.asked), asked: Self.asked) else {
      Issue.record("a part of unknown length was taken")
      return
    }
    #expect(verdict(ResponseHead(file, asked: nil), asked: nil) == .whole(length: nil))
  }

  @Test func anEmptyFile() {
    let open = ByteRange(0, unknownEnd)
    let head = ResponseHead(PlainFile(length: 0, modified: nil), asked: open)
    #expect(verdict(head, asked: open) == .whole(length: 0))
  }

  @Test func anotherVersion() {
    let planned = Validator(lastModified: "Sun, 06 Nov 1994 08:49:38 GMT", length: 100)
    let head = ResponseHead(PlainFile(length: 100, modified: Self.file.modified), asked: Self.asked)
    guard case .changed = verdict(head, asked: Self.asked, planned, length: 100) else {
      Issue.record("another date was taken")
      return
    }
    let longer = ResponseHead(PlainFile(length: 101, modified: nil), asked: Self.asked)
    guard case .changed = verdict(longer, asked: Self.asked, length: 100) else {
      Issue.record("another length was taken")
      return
    }
  }
}

/// Replies of FTP servers.
@Suite struct FTPReplyTests {
  @Test(arguments: [
    ("150 Opening\r\n", 150, "Opening"), ("226", 226, ""), ("530 \r\n", 530, ""), ("421 a\u{1b}b", 421, "a\u{1b}b"),
  ])
  func isRead(line: String, code: Int, text: String) {
    let reply = FTPReply(line.utf8)
    #expect(reply?.code == code && reply?.text == text)
  }

  @Test(arguments: ["", "15", "150-more follows", "1500 x", "x50 x", " 150 x", "650 x", "050 x", "HTTP/1.1 200 OK"])
  func isNone(line: String) {
    #expect(FTPReply(line.utf8) == nil)
  }

  @Test func whatFollowsFromThem() {
    #expect([125, 150].allSatisfy { FTPReply("\($0) x".utf8)?.beginsData == true })
    #expect([110, 120, 226, 350].allSatisfy { FTPReply("\($0) x".utf8)?.beginsData == false })
    #expect([421, 425, 426, 450].allSatisfy { HTTPStatus(reply: $0).isTransient })
    #expect([500, 503, 530, 550].allSatisfy { !HTTPStatus(reply: $0).isTransient })
    #expect(HTTPStatus.noService.asksToSlowDown && !HTTPStatus(reply: 503).asksToSlowDown)
    #expect(HTTPStatus.notLoggedIn.mayMeanTooMany && !HTTPStatus.noFile.mayMeanTooMany)
    #expect(!HTTPStatus(reply: 200).isSuccess && !HTTPStatus(reply: 404).meansExpired)
    #expect(HTTPStatus(reply: 404) != .notFound && "\(HTTPStatus.noFile)" == "550")
  }

  /// One connection too many is told by some servers as if the login were wrong.
  @Test func aRefusedLoginBesideOthersThatWork() {
    var trust = ServerTrust()
    var circumstances = ServerTrust.Circumstances()
    circumstances.othersWork = true
    let reason = "the server answered 530"
    #expect(
      trust.decide(.refused(.notLoggedIn), circumstances) == .retry(.slowDown(retryAfter: nil), reason: reason))
    circumstances.othersWork = false
    #expect(trust.decide(.refused(.notLoggedIn), circumstances) == .fail(.refused, reason: reason))
  }
}
