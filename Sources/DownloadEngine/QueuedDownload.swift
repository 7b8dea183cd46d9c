package import DownloadCore

/// A file of several, or why it cannot be asked for.
package struct QueuedDownload: Sendable {
  /// Its place among the files, from 0.
  package var number: Int
  /// The finished file's path as it may be shown, as far as it is known.
  package var path: String?
  /// The URL as it may be shown, where there is no request.
  package var url: String?
  /// What is to be done.
  package var request: Result<DownloadRequest, DownloadError>

  /// Its URL may be a metalink's, or its server may know more of the file.
  package var mayBeMetalink: Bool
  /// What there is to say of it before it begins.
  package var notes: [DownloadEvent] = []

  /// Takes all as it is.
  package init(
    number: Int = 0, path: String? = nil, url: String? = nil, request: Result<DownloadRequest, DownloadError>,
    mayBeMetalink: Bool = false
  ) {
    self.number = number
    self.path = path
    self.url = url
    self.request = request
    self.mayBeMetalink = mayBeMetalink
  }
}

/// Files that are to be fetched, in their order. Somebody may still read them from a list: so many are read ahead, and no
/// more, until the first of them are done.
package final class DownloadQueue: Sendable {
  fileprivate struct State {
    /// Those before `next` are gone.
    var jobs: [QueuedDownload]
    var next = 0
    var isOpen: Bool
    /// Those that are gone among them.
    var count = 0
    /// Jobs that wait, by host.
    var hosts: [String: Int] = [:]
  }

  private let state: Monitor<State>
  /// Woken when there is something to take, or nothing more will come.
  let wakeup = Wakeup()

  /// The most that are read ahead.
  package static let mostAhead = 256
  /// Who has read so many sleeps until half of them are gone: he is not woken for every one.
  private static let fewAhead = mostAhead / 2

  /// Holds these, however many they are. `isOpen`: more may come by `push`, until `close`.
  package init(_ jobs: [QueuedDownload], isOpen: Bool) {
    state = Monitor(State(jobs: jobs, isOpen: isOpen, count: jobs.count))
    state.withLock { state in
      for job in jobs { state.count(job, 1) }
    }
  }

  /// Adds one; waits while there are enough.
  package func push(_ job: QueuedDownload) {
    let wasEmpty = state.wait { state -> Bool? in
      guard state.waiting < Self.mostAhead else { return nil }
      defer {
        state.jobs.append(job)
        state.count += 1
        state.count(job, 1)
      }
      return state.waiting == 0
    }
    // Who takes them sleeps only where there is none, or where others are to end first.
    if wasEmpty { wakeup.signal() }
  }

  /// No more will come.
  package func close() {
    state.withLock { $0.isOpen = false }
    wakeup.signal()
  }

  /// The next one; nil where there is none now.
  func take() -> QueuedDownload? {
    state.withLock(wakingIf: { $0.waiting == Self.fewAhead }) { state in
      guard state.next < state.jobs.count else { return nil }
      let job = state.jobs[state.next]
      state.next += 1
      state.count(job, -1)
      // What is gone takes room until then.
      if state.next == state.jobs.count || state.next >= Self.mostAhead {
        state.jobs.removeFirst(state.next)
        state.next = 0
      }
      return job
    }
  }

  /// Somebody may add more.
  package var isOpen: Bool { state.read { $0.isOpen } }

  /// How many there have been so far.
  package var count: Int { state.read { $0.count } }

  /// Nothing is here, and nothing will come.
  var isExhausted: Bool { state.read { !$0.isOpen && $0.waiting == 0 } }

  /// How many wait, and how many of them are of a host.
  func waiting(ofHost host: String) -> (all: Int, ofHost: Int) {
    state.read { ($0.waiting, $0.hosts[host] ?? 0) }
  }
}

extension DownloadQueue.State {
  fileprivate var waiting: Int { jobs.count - next }

  fileprivate mutating func count(_ job: QueuedDownload, _ change: Int) {
    guard let host = job.host else { return }
    let count = (hosts[host] ?? 0) + change
    hosts[host] = count == 0 ? nil : count
  }
}

extension QueuedDownload {
  /// Whose connections it needs; nil where it needs none.
  var host: String? {
    guard case .success(let request) = request else { return nil }
    return request.url.host.lowercased()
  }
}

extension DownloadQueue {
  /// Lets somebody read jobs on a thread of his own, who calls `push`, and `close` at the end; nobody waits for it.
  ///
  /// Throws `local` where there is no thread.
  package func fill(_ read: @escaping @Sendable () -> Void) throws(DownloadError) {
    do throws(Errno) {
      let thread = try Worker(read)
      thread.detach()
    } catch {
      throw .local("start", "a thread that reads the list", error)
    }
  }
}
