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

  /// The first bytes of the body are all that was wanted, or as much of it as the answer's range holds: a server may
  /// send less than it was asked for (RFC 9110, section 15.3.7).
  var isComplete: Bool { isAccepted && !body.isEmpty && Int64(body.count) == end - request.wanted.start }

  /// An answer has come that is neither the file nor the way to it.
  var isRefused: Bool {
    switch verdict {
    case nil, .partial, .whole, .redirect: false
    default: true
    }
  }

  /// It is a part of the file, and says which.
  var isPart: Bool {
    if case .partial = verdict { true } else { false }
  }
}
