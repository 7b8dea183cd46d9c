import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

@Suite struct DownloadQueueTests {
  private static func job(_ number: Int) -> QueuedDownload {
    let url = RemoteURL(scheme: "http", host: number.isMultiple(of: 2) ? "a" : "B", port: 80, path: "/\(number)")
    return QueuedDownload(number: number, request: .success(DownloadRequest(url: url)))
  }

  /// However long a list is, no more of it is read than the files that are fetched make room for.
  @Test func noMoreIsReadAheadThanThereIsRoomFor() throws {
    let queue = DownloadQueue([], isOpen: true)
    let last = 1000
    try queue.fill {
      for number in 0..<last { queue.push(Self.job(number)) }
      queue.close()
    }
    for number in 0..<last {
      var job = queue.take()
      while job == nil { job = queue.take() }
      #expect(job?.number == number)
      #expect(queue.count <= number + 1 + DownloadQueue.mostAhead)
    }
    while queue.isOpen {}
    #expect(queue.take() == nil && queue.isExhausted && queue.count == last)
  }

  @Test func waitingFilesAreCountedByTheirHosts() {
    let queue = DownloadQueue((0..<5).map(Self.job), isOpen: false)
    #expect(queue.waiting(ofHost: "a") == (5, 3) && queue.waiting(ofHost: "b") == (5, 2))
    _ = queue.take()
    #expect(queue.waiting(ofHost: "a") == (4, 2) && queue.waiting(ofHost: "c") == (4, 0))
  }

  @Test func aNameIsTakenOnce() {
    let names = TakenNames()
    let (first, second) = (NameClaim(in: names), NameClaim(in: names))
    #expect(first.take("x", in: "d") && first.take("x", in: "d/"))
    #expect(!second.take("x", in: "d") && !second.take("x", in: "./d") && !second.take("x", in: "d//"))
    #expect(second.take("x", in: ".") && second.take("x", in: "/d") && second.take("y", in: "d"))
  }
}
