import DownloadCore
import DownloadEngine
import Testing

@testable import swoop

@Suite struct VerbTests {
  private let digest = Digest(.md5, hex: String(repeating: "a", count: 32))

  @Test(arguments: [[], ["http://h/a"], ["a", "b"], [""]])
  func aDigestIsThatOfOneFile(operands: [String]) {
    var arguments = Arguments()
    arguments.operands = operands
    arguments.digests = [digest]
    #expect(throws: DownloadError.self) { try VerifyVerb.check(arguments) }
  }

  @Test func verifyNeedsADigest() {
    var arguments = Arguments()
    arguments.operands = ["a"]
    #expect(throws: DownloadError.self) { try VerifyVerb.check(arguments) }
    arguments.digests = [digest]
    #expect(throws: Never.self) { try VerifyVerb.check(arguments) }
  }

  @Test func aListIsThatOfManyFiles() {
    var arguments = Arguments()
    arguments.checksumFile = "SUMS"
    for operands in [[], ["a"], ["a", "b"]] {
      arguments.operands = operands
      #expect(throws: Never.self) { try VerifyVerb.check(arguments) }
    }
    for operands in [["http://h/a"], ["a", ""]] {
      arguments.operands = operands
      #expect(throws: DownloadError.self) { try VerifyVerb.check(arguments) }
    }
  }

  @Test func aMismatchShowsBothDigests() {
    let text = DownloadError.mismatch("f", expected: digest, got: Digest(.md5, hex: "bb"))
    #expect(text == "md5 of f does not match: expected \(digest.hex), got bb")
  }

  @Test func quietLeavesGoodNewsOut() {
    #expect(VerifyRun.line("f", .right, isQuiet: false) == "f: OK\n")
    #expect(VerifyRun.line("f", .right, isQuiet: true) == nil)
    #expect(VerifyRun.line("f", .wrong, isQuiet: true) == "f: FAILED\n")
    #expect(VerifyRun.line("f", .unreadable, isQuiet: true) == "f: FAILED open or read\n")
  }

  @Test func aNameOfSeveralLinesIsEscapedAsMd5sumDoes() {
    #expect(VerifyRun.line("a\\b", .right, isQuiet: false) == "a\\b: OK\n")
    #expect(VerifyRun.line("a\\b\nc\rd\u{1B}", .wrong, isQuiet: false) == "\\a\\\\b\\nc\\rd\\u{1B}: FAILED\n")
  }

  @Test func theLastLineCountsWhatFailed() {
    #expect(VerifyRun.sum([.right: 3], of: 3) == nil)
    #expect(VerifyRun.sum([.right: 3, .wrong: 1], of: 4) == "of 4 files 1 does not match")
    #expect(
      VerifyRun.sum([.wrong: 2, .unreadable: 1, .unchecked: 2], of: 5)
        == "of 5 files 2 do not match, 1 could not be read, 2 were not checked")
  }

  @Test func missingRangesAreListedWithBothEnds() {
    #expect(StatusVerb.missing([]) == "nothing")
    #expect(StatusVerb.missing([ByteRange(0, 100)]) == "1 range: 0-99")
    #expect(StatusVerb.missing([ByteRange(5, unknownEnd)]) == "1 range: 5-")
    let many = (0..<12).map { ByteRange($0 * 10, $0 * 10 + 1) }
    #expect(StatusVerb.missing(many).hasSuffix("80-80, 90-90 and 2 more"))
  }

  @Test func targetsMustDiffer() {
    func request(_ path: String) -> DownloadRequest {
      DownloadRequest(url: RemoteURL(scheme: "http", host: "h", port: 80, path: path))
    }
    #expect(throws: DownloadError.self) { try Arguments.checkTargets([request("/a/x"), request("/b/x")]) }
    #expect(throws: DownloadError.self) { try Arguments.checkTargets([request("/a%78"), request("/ax")]) }
    #expect(throws: DownloadError.self) { try Arguments.checkTargets([request("/"), request("/download")]) }
    #expect(throws: Never.self) { try Arguments.checkTargets([request("/a"), request("/b")]) }
  }
}
