internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// Reads a list of files on a thread of its own: what it comes from may take its time, and holds nobody up.
struct InputReader: Sendable {
  private let path: String
  private let entries: InputEntries
  private let queue: DownloadQueue
  /// The first entry's place among the files.
  private let first: Int
  /// Told how many files are known, and whether there may be more.
  private let onCount: @Sendable (Int, Bool) -> Void

  init(
    _ path: String, _ entries: InputEntries, _ queue: DownloadQueue, first: Int,
    onCount: @escaping @Sendable (Int, Bool) -> Void
  ) {
    self.path = path
    self.entries = entries
    self.queue = queue
    self.first = first
    self.onCount = onCount
  }

  /// Whether a list is there and can be read.
  static func check(_ path: String) throws(DownloadError) {
    guard path != "-" else { return }
    try FileLook.check(path, for: "--input", takesStreams: true)
  }

  /// Reads all of it, as fast as the files are fetched.
  func run() {
    var number = first
    var problem: Int32?
    let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor >= 0 {
      problem = read(descriptor, &number)
      close(descriptor)
    } else {
      problem = errno
    }
    if let problem {
      let shown = path == "-" ? "standard input" : path
      let error = DownloadError(.local, "cannot read all of \(shown): \(String(cString: strerror(problem)))")
      queue.push(QueuedDownload(number: number, request: .failure(error)))
      number += 1
    }
    onCount(number, false)
    queue.close()
  }

  /// Gives the error where it cannot be read to its end.
  private func read(_ descriptor: Int32, _ number: inout Int) -> Int32? {
    var list = InputList()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        waitUntilReadable(descriptor)
        continue
      }
      guard count > 0 else {
        let problem = count < 0 ? errno : nil
        hand(list.finish(), &number)
        return problem
      }
      hand(list.add(buffer[..<count]), &number)
    }
  }

  /// Somebody else may have made it non-blocking.
  private func waitUntilReadable(_ descriptor: Int32) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, -1)
  }

  private func hand(_ read: [InputList.Entry], _ number: inout Int) {
    for entry in read {
      onCount(number + 1, true)
      queue.push(entries.job(entry, number: number))
      number += 1
    }
  }
}
