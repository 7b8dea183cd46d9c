import DownloadCore
import Testing

@Suite struct ResourceTests {
  private func resource(_ head: ResponseHead, _ length: Int64?) -> Resource {
    Resource(url: RemoteURL(scheme: "http", host: "host", port: 80, path: "/f"), head: head, length: length)
  }

  @Test func knowsWhatTheHeadSays() {
    let date = "Last-Modified: Tue, 03 Jan 2023 10:00:00 GMT"
    let found = resource(head(200, "ETag: \"a\"", date, "Content-Disposition: attachment; filename=x"), 5)
    #expect(found.length == 5 && found.validator.ifRangeValue == "\"a\"")
    #expect(found.contentDisposition == "attachment; filename=x" && found.lastModified != nil)
  }

  /// R06, R07, R38; H18 aside, any length can be split.
  @Test func isSplitWhereRangesMayWork() {
    #expect(resource(head(200), 5).canBeSplit)
    #expect(resource(head(200, "Accept-Ranges: bytes"), 1).canBeSplit)
    #expect(!resource(head(200, "Accept-Ranges: none"), 5).canBeSplit)
    #expect(!resource(head(200, "Content-Encoding: gzip"), 5).canBeSplit)
    #expect(!resource(head(200), nil).canBeSplit)
    #expect(!resource(head(200), 0).canBeSplit)
  }
}
