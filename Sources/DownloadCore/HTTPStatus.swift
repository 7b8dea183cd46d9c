/// A status code (RFC 9110, section 15).
package struct HTTPStatus: RawRepresentable, Hashable, Sendable {
  /// Three digits; as the server sent it, known or not.
  package var rawValue: Int

  /// Takes any number.
  package init(rawValue: Int) { self.rawValue = rawValue }

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
}

extension HTTPStatus {
  /// 1xx: another head follows.
  package var isInformational: Bool { 100...199 ~= rawValue }

  /// 2xx.
  package var isSuccess: Bool { 200...299 ~= rawValue }

  /// The answer lies at its Location (RFC 9110, section 15.4).
  package var isRedirect: Bool { [301, 302, 303, 307, 308].contains(rawValue) }

  /// Asking again later may help; 520 to 529 are those of content delivery networks.
  package var isTransient: Bool {
    [408, 425, 429, 500, 502, 503, 504].contains(rawValue) || 520...529 ~= rawValue
  }

  /// The server has too much to do: fewer connections, please (RFC 6585, section 4; RFC 9110, section 15.6.4).
  package var asksToSlowDown: Bool { self == .tooManyRequests || self == .serviceUnavailable }

  /// What a signed address answers once its time is over: the original address is to be asked again.
  package var meansExpired: Bool { [401, 403, 404, 410].contains(rawValue) }
}

extension HTTPStatus: CustomStringConvertible {
  /// The code in decimal.
  package var description: String { String(rawValue) }
}
