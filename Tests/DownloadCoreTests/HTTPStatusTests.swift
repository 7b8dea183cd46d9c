import DownloadCore
import Testing

@Suite struct HTTPStatusTests {
  private func codes(where holds: (HTTPStatus) -> Bool) -> [Int] {
    (100...599).filter { holds(HTTPStatus(rawValue: $0)) }
  }

  @Test func classes() {
    #expect(codes(where: \.isRedirect) == [301, 302, 303, 307, 308])
    #expect(codes(where: \.isTransient) == [408, 425, 429, 500, 502, 503, 504] + Array(520...529))
    #expect(codes(where: \.asksToSlowDown) == [429, 503])
    #expect(codes(where: \.meansExpired) == [401, 403, 404, 410])
    #expect(codes(where: \.isInformational) == Array(100...199))
    #expect(codes(where: \.isSuccess) == Array(200...299))
  }
}
