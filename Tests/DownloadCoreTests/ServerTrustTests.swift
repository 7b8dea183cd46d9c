import DownloadCore
import Testing

/// What follows from answers, one after another.
@Suite struct ServerTrustTests {
  /// A decision without its reason.
  private enum Outcome: Hashable {
    case retry(RangeScheduler.Trouble)
    case oneStream, beginAgain, oneResponse, resolveAgain
    case fail(Failure)

    init(_ decision: ServerTrust.Decision) {
      self =
        switch decision {
        case .retry(let trouble, _): .retry(trouble)
        case .oneStream: .oneStream
        case .beginAgain: .beginAgain
        case .oneResponse: .oneResponse
        case .resolveAgain: .resolveAgain
        case .fail(let failure, _): .fail(failure)
        }
    }
  }

  private var trust = ServerTrust()

  private mutating func outcome(
    _ verdict: ResponseCheck.Verdict, sentIfRange: Bool = false, wasRedirected: Bool = false,
    lengthStayed: Bool = true, askedOldAddress: Bool = false, othersWork: Bool = false,
    hasWorked: Bool = false
  ) -> Outcome {
    var circumstances = ServerTrust.Circumstances()
    circumstances.sentIfRange = sentIfRange
    circumstances.wasRedirected = wasRedirected
    circumstances.lengthStayed = lengthStayed
    circumstances.askedOldAddress = askedOldAddress
    circumstances.othersWork = othersWork
    circumstances.hasWorked = hasWorked
    return Outcome(trust.decide(verdict, circumstances))
  }

  /// A refused extra connection never fails the download; one that is refused alone does.
  @Test mutating func oneConnectionTooManyIsGivenUp() {
    #expect(outcome(.refused(.forbidden), othersWork: true) == .retry(.slowDown(retryAfter: nil)))
    #expect(outcome(.refused(.forbidden)) == .fail(.refused))
    // A link that is good for one request: that one goes on.
    #expect(outcome(.refused(status(410)), othersWork: true) == .retry(.slowDown(retryAfter: nil)))
    #expect(outcome(.refused(status(404))) == .fail(.refused))
    // Of what no login and no link explains, others' work says nothing about the number of connections.
    #expect(outcome(.refused(status(400)), othersWork: true) == .retry(.transient))
  }

  /// One odd answer is an accident, three in a row are none; where the server has not answered well yet, one is enough.
  @Test(arguments: [ResponseCheck.Verdict.malformed("x"), .refused(HTTPStatus(rawValue: 400))])
  func oddAnswersAreForgivenTwice(verdict: ResponseCheck.Verdict) {
    var tests = ServerTrustTests()
    #expect(tests.outcome(verdict) == .fail(.refused))
    tests.trust.progressed()
    for _ in 0..<2 { #expect(tests.outcome(verdict, hasWorked: true) == .retry(.transient)) }
    tests.trust.progressed()
    for _ in 0..<2 { #expect(tests.outcome(verdict, hasWorked: true) == .retry(.transient)) }
    #expect(tests.outcome(verdict, hasWorked: true) == .fail(.refused))
  }

  /// A server of several may be behind the others: what is here is not thrown away for one answer.
  @Test mutating func anotherVersionIsAskedForTwice() {
    #expect(outcome(.changed("x")) == .retry(.immediate))
    trust.accepted()
    #expect(outcome(.changed("x")) == .retry(.immediate))
    #expect(outcome(.changed("x")) == .beginAgain)
  }

  private func status(_ code: Int) -> HTTPStatus { HTTPStatus(rawValue: code) }

  /// R08, R16, R17, R21: a 200 at an offset, a part that says nothing sensible of its place.
  @Test mutating func rangesIgnoredTwiceMeanOneStream() {
    #expect(outcome(.rangeIgnored("x")) == .retry(.immediate))
    // The connection that began at 0 goes on meanwhile.
    trust.progressed()
    #expect(outcome(.rangeIgnored("x")) == .oneStream)
    #expect(trust.usesIfRange)
  }

  /// R34: If-Range is honoured with a date alone.
  @Test mutating func ifRangeIsGivenUpFirst() {
    #expect(trust.usesIfRange)
    for _ in 0..<4 { #expect(outcome(.rangeIgnored("x"), sentIfRange: true) == .retry(.immediate)) }
    #expect(!trust.usesIfRange)
    #expect(outcome(.rangeIgnored("x")) == .retry(.immediate))
    #expect(outcome(.rangeIgnored("x")) == .oneStream)
  }

  /// R10, R13, R24.
  @Test mutating func theThirdWrongRangeInARowFails() {
    for _ in 0..<2 { #expect(outcome(.wrongRange("x")) == .retry(.transient)) }
    #expect(outcome(.wrongRange("x")) == .fail(.remoteChanged))
    let last = trust.decide(.wrongRange("x"), ServerTrust.Circumstances())
    #expect(last == .fail(.remoteChanged, reason: "wrong range: x"))
  }

  @Test mutating func wrongRangesAreForgivenByProgress() {
    for _ in 0..<10 {
      #expect(outcome(.wrongRange("x")) == .retry(.transient))
      #expect(outcome(.wrongRange("x")) == .retry(.transient))
      trust.progressed()
    }
  }

  /// R25: 416 for all but the beginning, which goes on meanwhile.
  @Test mutating func unsatisfiableAgainMeansOneStream() {
    #expect(outcome(.unsatisfiable(total: 5)) == .retry(.immediate))
    trust.progressed()
    #expect(outcome(.unsatisfiable(total: nil)) == .oneStream)
  }

  /// R37, R15.
  @Test mutating func anotherLengthBeginsAgainOnce() {
    #expect(outcome(.changed("x"), lengthStayed: false) == .retry(.immediate))
    #expect(outcome(.changed("x"), lengthStayed: false) == .beginAgain)
    trust.progressed()
    #expect(outcome(.changed("x"), lengthStayed: false) == .retry(.immediate))
    #expect(outcome(.changed("x"), lengthStayed: false) == .fail(.remoteChanged))
  }

  /// R28, R33, R35; then R29.
  @Test mutating func versionsThatFlipAreTakenInOneResponse() {
    for decision in [Outcome.beginAgain, .oneResponse, .fail(.remoteChanged)] {
      #expect(outcome(.changed("x")) == .retry(.immediate))
      #expect(outcome(.changed("x")) == decision)
      trust.progressed()
    }
  }

  @Test mutating func expiryIsResolvedOnceForEach() {
    for code in [401, 403, 404, 410] {
      trust = ServerTrust()
      for _ in 0..<3 {
        #expect(outcome(.refused(status(code)), wasRedirected: true) == .resolveAgain)
        trust.progressed()
      }
      #expect(outcome(.refused(status(code)), wasRedirected: true) == .resolveAgain)
      #expect(outcome(.refused(status(code)), wasRedirected: true) == .fail(.refused))
    }
  }

  /// T20 over several connections: all of them meet the expiry.
  @Test mutating func oneExpiryMetByAllIsOne() {
    #expect(outcome(.refused(status(403)), wasRedirected: true) == .resolveAgain)
    for _ in 0..<7 {
      #expect(outcome(.refused(status(403)), wasRedirected: true, askedOldAddress: true) == .retry(.immediate))
    }
    // Bodies from the old address go on and prove nothing.
    trust.progressed(askedOldAddress: true)
    #expect(outcome(.refused(status(403)), wasRedirected: true) == .fail(.refused))
  }

  @Test(arguments: [400, 401, 403, 404, 405, 407, 410, 412, 414, 451, 501, 505])
  mutating func refusalsFail(_ code: Int) {
    #expect(outcome(.refused(status(code))) == .fail(.refused))
  }

  @Test(arguments: [400, 405, 412, 451, 501])
  mutating func otherRefusalsAfterARedirectFail(_ code: Int) {
    #expect(outcome(.refused(status(code)), wasRedirected: true) == .fail(.refused))
  }

  @Test(arguments: [408, 425, 500, 502, 504, 520, 529])
  mutating func trouble(_ code: Int) {
    for _ in 0..<5 { #expect(outcome(.transient(status(code), retryAfter: nil)) == .retry(.transient)) }
    // The server's own time counts whatever its reason.
    let asked = outcome(.transient(status(code), retryAfter: 3))
    #expect(asked == .retry(.transient) || asked == .retry(.slowDown(retryAfter: 3)))
  }

  @Test(arguments: [429, 503], [nil, 0, 2.5] as [Double?])
  mutating func requestsToSlowDown(_ code: Int, _ wait: Double?) {
    let asked = RangeScheduler.Trouble.slowDown(retryAfter: wait)
    for _ in 0..<5 { #expect(outcome(.transient(status(code), retryAfter: wait)) == .retry(asked)) }
  }

  @Test mutating func theRest() {
    #expect(outcome(.redirect("x")) == .fail(.refused))
    #expect(outcome(.malformed("x")) == .fail(.refused))
    #expect(outcome(.whole(length: 5)) == .retry(.immediate))
    #expect(outcome(.partial(ByteRange(0, 5), total: 9)) == .retry(.immediate))
  }
}

@Suite struct ShortAnswerTests {
  @Test func scrapsEndInOneStream() {
    var trust = ServerTrust()
    for _ in 0..<63 { #expect(trust.tookShort(ByteRange(0, 1)) == nil) }
    guard case .oneStream = trust.tookShort(ByteRange(0, 4095)) else {
      Issue.record("a request for each few bytes")
      return
    }
    #expect(trust.tookShort(ByteRange(0, 16 << 10)) == nil)
  }
}
