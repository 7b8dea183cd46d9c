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

  /// Nothing in the head tells where the body ends.
  var endsWithConnection: Bool {
    head.map { $0.transferCoding == .none && $0.contentLength.count == nil } ?? false
  }
}
