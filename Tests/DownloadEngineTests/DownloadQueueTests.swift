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

  private static func target(_ folder: String, isTyped: Bool = false) -> DownloadRequest.Target {
    var target = DownloadRequest.Target()
    target.folder = folder
    target.isFolderTypedAsName = isTyped
    return target
  }

  @Test func aNameIsTakenOnce() {
    let names = TakenNames()
    let (first, second) = (NameClaim(in: names), NameClaim(in: names))
    for folder in ["d", "d/"] { #expect(first.take("x", in: Self.target(folder)) == .free) }
    for folder in ["d", "./d", "d//"] { #expect(second.take("x", in: Self.target(folder)) == .anotherFile) }
    for folder in [".", "/d", "d/e"] { #expect(second.take("x", in: Self.target(folder)) == .free, "\(folder)") }
    #expect(second.take("y", in: Self.target("d")) == .free)
  }

  @Test func aFolderOnTheWayIsNoFile() {
    let names = TakenNames()
    func take(_ name: String, in folder: String, isTyped: Bool = false) -> TakenNames.Answer {
      NameClaim(in: names).take(name, in: Self.target(folder, isTyped: isTyped))
    }
    #expect(take("file", in: "a/b") == .free)
    for (name, folder) in [("b", "a"), ("b", "./a//"), ("a", ".")] {
      #expect(take(name, in: folder) == .folder, "\(folder) \(name)")
    }
    for folder in ["a/b/file", "a/b/file/c"] { #expect(take("x", in: folder) == .fileInTheWay, "\(folder)") }
    // What was refused takes nothing.
    #expect(take("x", in: "a/b") == .free && take("c", in: "a/b") == .free)
    // A folder that is here and was typed as a file's name: several files may go there, but none below it by its name.
    for name in ["x", "y"] { #expect(take(name, in: "here", isTyped: true) == .free) }
    #expect(take("z", in: "here") == .fileInTheWay && take("z", in: "here/in") == .fileInTheWay)
    #expect(take("x", in: "a", isTyped: true) == .folder && take("x", in: "a/b", isTyped: true) == .folder)
    #expect(take("here", in: ".") == .free)
  }
}
