import DownloadCore
import Testing

/// What goes along with the request for a list of digests.
@Suite struct ChecksumRequestTests {
  private func file(_ host: String, port: Int = 443) -> DownloadRequest {
    var request = DownloadRequest(url: RemoteURL(scheme: "https", host: host, port: port, path: "/file"))
    request.http.headers = [HeaderField("X", host)]
    request.http.suppressedHeaders = ["Accept"]
    request.http.userAgent = "agent"
    request.http.referer = "r"
    request.http.cookie = "c=d"
    request.http.credentials = RemoteURL.UserInfo(user: "me", password: "pw")
    (request.http.certificate, request.http.key, request.http.authorities) = ("cert", "key", "ca")
    (request.http.proxy, request.http.noProxy, request.http.isInsecure) = ("p", "n", true)
    return request
  }

  private func job(at url: RemoteURL) -> DownloadRequest {
    let files = [file("a"), file("b")]
    return DownloadRequest(checksumFile: url, for: files, otherwise: files[0].http)
  }

  @Test func allOfItToTheOriginOfAFile() {
    let http = job(at: RemoteURL(scheme: "https", host: "B", port: 443, path: "/SUMS")).http
    #expect(http.headers == [HeaderField("X", "b")] && http.cookie == "c=d" && http.credentials?.user == "me")
    #expect(http.certificate == "cert" && http.key == "key" && http.referer == "r")
  }

  @Test(arguments: [("https", "c", 443), ("https", "a", 444), ("http", "a", 443), ("http", "b", 80)])
  func nothingOfItElsewhere(scheme: String, host: String, port: Int) {
    let http = job(at: RemoteURL(scheme: scheme, host: host, port: port, path: "/SUMS")).http
    #expect(http.headers.isEmpty && http.suppressedHeaders.isEmpty && http.cookie == nil && http.credentials == nil)
    #expect(http.certificate == nil && http.key == nil && http.referer == nil)
    #expect(http.userAgent == "agent" && http.proxy == "p" && http.noProxy == "n" && http.authorities == "ca")
    #expect(http.isInsecure)
  }

  @Test func theListsOwnLogin() {
    var url = RemoteURL(scheme: "https", host: "c", port: 443, path: "/SUMS")
    url.userInfo = RemoteURL.UserInfo(user: "you", password: nil)
    #expect(job(at: url).http.credentials?.user == "you")
    url.host = "a"
    #expect(job(at: url).http.credentials?.user == "you")
  }
}
