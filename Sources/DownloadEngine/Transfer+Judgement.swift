import DownloadCore

/// What else is known of the file may show an answer in another light.
extension Transfer {
  /// The judgement of the head by what else is known of the file.
  func judgedAgain(by resource: Resource) -> ResponseCheck.Verdict? {
    var expecting = request
    expecting.expect(resource)
    return head.map { ResponseCheck.judge($0, expecting.expectation) }
  }

  /// The judgement of the accepted head by what was learned since the request went out.
  func judgedAgain(by validator: Validator, length: Int64?) -> ResponseCheck.Verdict? {
    guard let head else { return nil }
    var expectation = request.expectation
    expectation.validator = validator
    expectation.length = length
    expectation.isBinding = true
    return ResponseCheck.judge(head, expectation)
  }

  /// An FTP server that was told to begin at an offset has sent more than there is behind it: it did not begin there.
  var beganElsewhere: Bool {
    guard isPlain, isTooLong, request.wanted.start > 0, case .partial(_, let total) = verdict else { return false }
    return end == total
  }
}
