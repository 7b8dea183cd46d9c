import FaultCatalogue
import TestSupport
import Testing

/// The bounds of what a server may say: at each, and one beyond it.
@Suite(.waiting) struct BoundTests {
  private func trial(etag: String) throws -> Trial {
    try Trial(.ten) { request in
      .file(.ten) {
        $0.etag = etag
        $0.lastModified = nil
        $0.stallAfter = 1_000_000
      }
    }
  }

  /// 1 KiB, quotes included: a longer ETag is none, and none is kept.
  @Test(arguments: [1024, 1025, 20_000]) func lengthOfAnETag(count: Int) throws {
    let etag = "\"" + String(repeating: "e", count: count - 2) + "\""
    let trial = try trial(etag: etag)
    let manifest = try trial.leavePart("--stall-timeout", "30")
    #expect(manifest.etag == (count <= 1024 ? etag : nil))
    #expect(trial.server.log.entries.allSatisfy { ($0.request.headers["If-Range"]?.utf8.count ?? 0) <= 1024 })
    #expect(try trial.folder.size(trial.stored) < 128 << 10)
    // Healed, the server names another version: the manifest must be readable to say so.
    let result = try trial.command([]).run()
    try trial.expect(result, exit: 0, .file)
    #expect(!result.error.contains("cannot be used"), "\(result.error)")
  }

  /// In what is written each byte of Latin-1 is two: the bound is that of the manifest.
  @Test func etagOfOtherBytes() throws {
    let latin1 = [UInt8](repeating: 0xE9, count: 600)
    let start = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \""
    let end = "\"\r\nConnection: close\r\n\r\nhello"
    let reply = Reply.bytes(Array(start.utf8) + latin1 + Array(end.utf8), then: .close)
    let trial = try Trial(.text("hello")) { request in
      request.method == "HEAD" ? .status(405) : reply
    }
    try trial.expect(trial.run(), exit: 0, .file)
  }

  /// 64 KiB of heads, those of 1xx answers and trailers included.
  @Test(arguments: [60_000, 66_000], ["head", "informational"]) func sizeOfHeads(count: Int, place: String) throws {
    let line = "X-Fill: " + String(repeating: "f", count: 990) + "\r\n"
    let lines = String(repeating: line, count: count / line.utf8.count)
    let informational = place == "informational" ? "HTTP/1.1 103 Early Hints\r\n\(lines)\r\n" : ""
    let rest = place == "head" ? lines : ""
    let trial = try Trial(.text("hello")) { request in
      let body = request.method == "HEAD" ? "" : "hello"
      return .raw("\(informational)HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\(rest)Connection: close\r\n\r\n\(body)")
    }
    let result = try trial.run()
    guard count > 65_536 else { return try trial.expect(result, exit: 0, .file) }
    try trial.expect(result, exit: 4, .nothing, says: "response headers too large")
    try trial.expectCleanRerun()
  }
}
