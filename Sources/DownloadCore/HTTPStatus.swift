/// A status code of HTTP (RFC 9110, section 15), or the code of a reply of FTP (RFC 959, section 4.2).
package struct HTTPStatus: Hashable, Sendable {
  /// Three digits; as the server sent it, known or not.
  package var rawValue: Int
  /// FTP's codes mean other things than HTTP's.
  package private(set) var isReply = false

  /// Takes any number as HTTP's.
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Takes any number as FTP's.
  package init(reply code: Int) {
    self.init(rawValue: code)
    isReply = true
  }

  /// The whole file.
  package static let ok = HTTPStatus(rawValue: 200)
  /// The range that the Content-Range names.
  package static let partialContent = HTTPStatus(rawValue: 206)
  /// A login is wanted, or another one.
  package static let unauthorized = HTTPStatus(rawValue: 401)
  /// Refused to whoever asks.
  package static let forbidden = HTTPStatus(rawValue: 403)
  /// Nothing is there.
  package static let notFound = HTTPStatus(rawValue: 404)
  /// Nothing is there any more.
  package static let gone = HTTPStatus(rawValue: 410)
  /// The range asked for begins beyond the end.
  package static let rangeNotSatisfiable = HTTPStatus(rawValue: 416)
  /// Too many requests in too little time (RFC 6585, section 4).
  package static let tooManyRequests = HTTPStatus(rawValue: 429)
  /// Overloaded, or closed for a while.
  package static let serviceUnavailable = HTTPStatus(rawValue: 503)

  /// FTP: no service; some servers say so to one connection too many.
  package static let noService = HTTPStatus(reply: 421)
  /// FTP: a login is wanted, or another one; some servers say so to one connection too many.
  package static let notLoggedIn = HTTPStatus(reply: 530)
  /// FTP: there is no such file, or nobody may have it.
  package static let noFile = HTTPStatus(reply: 550)
}

extension HTTPStatus {
  /// 1xx: another head follows.
  package var isInformational: Bool { !isReply && 100...199 ~= rawValue }

  /// 2xx.
  package var isSuccess: Bool { !isReply && 200...299 ~= rawValue }

  /// The answer lies at its Location (RFC 9110, section 15.4).
  package var isRedirect: Bool { !isReply && [301, 302, 303, 307, 308].contains(rawValue) }

  /// Asking again later may help; 520 to 529 are those of content delivery networks. Of FTP's replies those that begin
  /// with a 4 are transient.
  package var isTransient: Bool {
    guard !isReply else { return 400...499 ~= rawValue }
    return [408, 425, 429, 500, 502, 503, 504].contains(rawValue) || 520...529 ~= rawValue
  }

  /// The server has too much to do: fewer connections, please (RFC 6585, section 4; RFC 9110, section 15.6.4).
  package var asksToSlowDown: Bool { [.tooManyRequests, .serviceUnavailable, .noService].contains(self) }

  /// What a signed address answers once its time is over: the original address is to be asked again.
  package var meansExpired: Bool { !isReply && [401, 403, 404, 410].contains(rawValue) }

  /// What some servers say to one connection too many.
  package var mayMeanTooMany: Bool { meansExpired || self == .notLoggedIn }
}

extension HTTPStatus: CustomStringConvertible {
  /// The code in decimal.
  package var description: String { String(rawValue) }
}
