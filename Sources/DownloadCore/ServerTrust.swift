/// What the answers so far say of a server, and what follows from the next one.
///
/// One odd answer is an accident, two are a habit.
package struct ServerTrust: Sendable {
  /// What follows from an answer; reasons are one clause each.
  package enum Decision: Hashable, Sendable {
    /// Queue the range again; with a back-off where the server is in trouble.
    case retry(RangeScheduler.Trouble, reason: String)
    /// Fetch the whole file as one stream, from 0.
    case oneStream(reason: String)
    /// Another version: throw away what is here and fetch that.
    case beginAgain(reason: String)
    /// The versions flip from answer to answer: take one uninterrupted response from 0.
    case oneResponse(reason: String)
    /// Ask the original URL again: a signed address has expired.
    case resolveAgain(reason: String)
    case fail(Failure, reason: String)

    /// Why a server is not worth going on with, where another one has the same file; nil: it is.
    package var reasonToLeave: String? {
      switch self {
      case .retry, .resolveAgain: nil
      case .oneStream(let reason), .beginAgain(let reason), .oneResponse(let reason), .fail(_, let reason): reason
      }
    }
  }

  /// Whether If-Range may be sent.
  package private(set) var usesIfRange = true
  private var ignoredRanges = 0
  private var wrongRanges = 0
  private var unsatisfied = 0
  private var changes = 0
  private var doubtedVersions = 0
  private var oddities = 0
  private var resolvedSinceProgress = false
  private var scraps = 0

  /// A part shorter than this, in bytes, and than what was asked for is a scrap.
  private static let scrap: Int64 = 4096
  private static let mostScraps = 64

  /// In a row, without progress.
  private static let mostWrongRanges = 3
  private static let mostOddities = 3

  /// Nothing is known against the server.
  package init() {}

  /// A range was accepted and bytes of it came. `askedOldAddress`: the request went to an address that was given up
  /// since, so that it says nothing of the new one.
  package mutating func progressed(askedOldAddress: Bool = false) {
    // Ranges that are ignored or refused (416) are not forgotten: where those at offsets fail, the one from 0 goes on.
    wrongRanges = 0
    oddities = 0
    if !askedOldAddress { resolvedSinceProgress = false }
  }

  /// An answer of the version that is being fetched was accepted.
  package mutating func accepted() { doubtedVersions = 0 }

  /// Whether an answer that is none may have been an accident: others are good, or were in this run until a few
  /// requests ago. Each call counts one.
  package mutating func forgives(_ circumstances: Circumstances) -> Bool {
    oddities += 1
    return circumstances.othersWork || (circumstances.hasWorked && oddities < Self.mostOddities)
  }

  /// A part came that is shorter than what was asked for. Where that is all that a server ever gives, a request for
  /// each few bytes helps nobody. Nil: it may go on.
  package mutating func tookShort(_ part: ByteRange) -> Decision? {
    guard part.count < Self.scrap else { return nil }
    scraps += 1
    return scraps < Self.mostScraps ? nil : .oneStream(reason: "a few bytes at a time are all that it gives")
  }

  /// What else matters to an answer.
  package struct Circumstances: Hashable, Sendable {
    /// The request carried If-Range.
    package var sentIfRange = false
    /// It went to another address than the one typed.
    package var wasRedirected = false
    /// The answer speaks of the same length as planned.
    package var lengthStayed = true
    /// It was under way already when the address it went to was given up (`resolveAgain`).
    package var askedOldAddress = false
    /// Other requests to the server are answered well, or may yet be.
    package var othersWork = false
    /// An answer was accepted in this run.
    package var hasWorked = false
    /// Another version is no accident: the answer is a part of a file of another length and says which version that is,
    /// if any of them does, or bytes of it were taken.
    package var isCertain = false
    /// A first request, to the address typed, alone.
    package init() {}
  }

  /// What follows from an answer that is not the range asked for.
  package mutating func decide(_ verdict: ResponseCheck.Verdict, _ circumstances: Circumstances) -> Decision {
    let lengthStayed = circumstances.lengthStayed
    return switch verdict {
    case .partial, .whole: .retry(.immediate, reason: "the answer was cut short")
    case .changed(let how): changed(how, lengthStayed: lengthStayed, isCertain: circumstances.isCertain)
    case .rangeIgnored(let how): ignored(how, sentIfRange: circumstances.sentIfRange)
    case .wrongRange(let how): wrong(how)
    case .unsatisfiable: unsatisfiable()
    case .redirect: .fail(.refused, reason: "redirected too often")
    case .transient(let status, let retryAfter): transient(status, retryAfter)
    case .refused(let status): refused(status, circumstances)
    case .malformed(let how):
      forgives(circumstances) ? .retry(.transient, reason: how) : .fail(.refused, reason: how)
    }
  }

  /// One answer of another version may come from a server of several that is behind the others; and what is here goes
  /// for good. So the range is asked for once more.
  private mutating func changed(_ how: String, lengthStayed: Bool, isCertain: Bool) -> Decision {
    doubtedVersions += 1
    guard isCertain || doubtedVersions >= 2 else { return .retry(.immediate, reason: how) }
    doubtedVersions = 0
    changes += 1
    if changes == 1 { return .beginAgain(reason: how) }
    if lengthStayed, changes == 2 { return .oneResponse(reason: how) }
    return .fail(.remoteChanged, reason: how)
  }

  private mutating func ignored(_ how: String, sentIfRange: Bool) -> Decision {
    if sentIfRange, usesIfRange {
      usesIfRange = false
      return .retry(.immediate, reason: how)
    }
    // Requests that still carried If-Range when it was given up prove nothing.
    if sentIfRange { return .retry(.immediate, reason: how) }
    ignoredRanges += 1
    return ignoredRanges < 2 ? .retry(.immediate, reason: how) : .oneStream(reason: how)
  }

  private mutating func wrong(_ how: String) -> Decision {
    wrongRanges += 1
    guard wrongRanges < Self.mostWrongRanges else { return .fail(.remoteChanged, reason: "wrong range: \(how)") }
    return .retry(.transient, reason: "wrong range: \(how)")
  }

  private mutating func unsatisfiable() -> Decision {
    unsatisfied += 1
    let reason = "the server says there is no such range (416)"
    return unsatisfied < 2 ? .retry(.immediate, reason: reason) : .oneStream(reason: reason)
  }

  private func transient(_ status: HTTPStatus, _ retryAfter: Double?) -> Decision {
    let reason = "the server answered \(status.rawValue)"
    return .retry(status.asksToSlowDown ? .slowDown(retryAfter: retryAfter) : .transient, reason: reason)
  }

  private mutating func refused(_ status: HTTPStatus, _ circumstances: Circumstances) -> Decision {
    let reason = "the server answered \(status.rawValue)"
    guard status.meansExpired, circumstances.wasRedirected else {
      guard forgives(circumstances) else { return .fail(.refused, reason: reason) }
      // Some servers say no more than that to one connection too many, others give a link once: what is under way goes on.
      let isTooMany = status.mayMeanTooMany && circumstances.othersWork
      return .retry(isTooMany ? .slowDown(retryAfter: nil) : .transient, reason: reason)
    }
    // All connections meet the expiry at about one time.
    if circumstances.askedOldAddress { return .retry(.immediate, reason: reason) }
    guard !resolvedSinceProgress else { return .fail(.refused, reason: reason) }
    resolvedSinceProgress = true
    return .resolveAgain(reason: reason)
  }
}
