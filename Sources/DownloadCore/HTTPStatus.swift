/// A status code (RFC 9110, section 15).
package struct HTTPStatus: RawRepresentable, Hashable, Sendable {
  package var rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let ok = HTTPStatus(rawValue: 200)
  package static let noContent = HTTPStatus(rawValue: 204)
  package static let partialContent = HTTPStatus(rawValue: 206)
  package static let movedPermanently = HTTPStatus(rawValue: 301)
  package static let found = HTTPStatus(rawValue: 302)
  package static let seeOther = HTTPStatus(rawValue: 303)
  package static let notModified = HTTPStatus(rawValue: 304)
  package static let temporaryRedirect = HTTPStatus(rawValue: 307)
  package static let permanentRedirect = HTTPStatus(rawValue: 308)
  package static let unauthorized = HTTPStatus(rawValue: 401)
  package static let forbidden = HTTPStatus(rawValue: 403)
  package static let notFound = HTTPStatus(rawValue: 404)
  package static let methodNotAllowed = HTTPStatus(rawValue: 405)
  package static let proxyAuthenticationRequired = HTTPStatus(rawValue: 407)
  package static let requestTimeout = HTTPStatus(rawValue: 408)
  package static let gone = HTTPStatus(rawValue: 410)
  package static let preconditionFailed = HTTPStatus(rawValue: 412)
  package static let rangeNotSatisfiable = HTTPStatus(rawValue: 416)
  package static let tooEarly = HTTPStatus(rawValue: 425)
  package static let tooManyRequests = HTTPStatus(rawValue: 429)
  package static let internalServerError = HTTPStatus(rawValue: 500)
  package static let notImplemented = HTTPStatus(rawValue: 501)
  package static let badGateway = HTTPStatus(rawValue: 502)
  package static let serviceUnavailable = HTTPStatus(rawValue: 503)
  package static let gatewayTimeout = HTTPStatus(rawValue: 504)
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
  package var description: String { String(rawValue) }
}
