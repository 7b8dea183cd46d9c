import DownloadCore
import Testing

@Suite struct SmallFileRuleTests {
  private let request = DownloadRequest(url: RemoteURL(scheme: "http", host: "h", port: 80, path: "/a"))

  private func step(_ status: Int, _ fields: [(String, String)], known: Int64? = nil) -> SmallFileRule.Step {
    var request = request
    request.knownLength = known
    let head = ResponseHead(status: HTTPStatus(rawValue: status), fields: fields.map { HeaderField($0.0, $0.1) })
    return SmallFileRule.step(head, for: request)
  }

  @Test func aWholeShortBodyIsTaken() {
    #expect(step(200, [("Content-Length", "0")]) == .take(length: 0))
    #expect(step(200, [("Content-Length", "1048576")]) == .take(length: 1 << 20))
    #expect(step(200, [("Transfer-Encoding", "chunked")]) == .take(length: nil))
    #expect(step(200, [("Content-Length", "4")], known: 4) == .take(length: 4))
  }

  @Test func whatIsNotSoSimpleIsHandedOver() {
    #expect(step(200, [("Content-Length", "1048577")]) == .handOver)
    #expect(step(200, []) == .handOver)
    #expect(step(200, [("Content-Length", "4"), ("Content-Encoding", "gzip")]) == .handOver)
    #expect(step(200, [("Content-Length", "4"), ("Content-Length", "5")]) == .handOver)
    #expect(step(200, [("Content-Length", "4")], known: 5) == .handOver)
    #expect(step(206, [("Content-Range", "bytes 0-3/4")]) == .handOver)
    #expect(step(416, []) == .handOver && step(204, []) == .handOver && step(302, []) == .handOver)
    for status in [408, 429, 500, 503, 522] { #expect(step(status, []) == .handOver) }
  }

  @Test func refusalsAreFinalAndRedirectsAreFollowed() {
    for status in [401, 403, 404, 410] { #expect(step(status, []) == .refuse(HTTPStatus(rawValue: status))) }
    #expect(step(302, [("Location", "/b")]) == .follow)
  }

  @Test func oneRequestMustBeEnough() {
    #expect(SmallFileRule.mayTry(request))
    for change in [
      { $0.isDryRun = true }, { $0.restarts = true }, { $0.keepsManifest = true }, { $0.knownLength = 2 << 20 },
      { $0.acceptsNewURL = true }, { $0.outputOffset = 1 }, { $0.url.scheme = "ftp" },
      { $0.mirrors = [Mirror(url: $0.url, isTyped: true)] },
    ] as [(inout DownloadRequest) -> Void] {
      var other = request
      change(&other)
      #expect(!SmallFileRule.mayTry(other))
    }
  }

  @Test func aHEADMustTellTheLength() {
    func resource(_ status: Int, _ fields: [HeaderField]) -> Resource? {
      SmallFileRule.resource(
        ofHEAD: ResponseHead(status: HTTPStatus(rawValue: status), fields: fields), request.url)
    }
    #expect(resource(200, [HeaderField("Content-Length", "7")])?.length == 7)
    #expect(resource(200, []) == nil && resource(200, [HeaderField("Content-Length", "0")]) == nil)
    #expect(resource(403, [HeaderField("Content-Length", "7")]) == nil)
  }
}
