import DownloadCore
import Synchronization

/// How many connections the downloads of one command have, in all and to each host: never more than this, whoever opens
/// or keeps them.
///
/// A host is that of the URL as typed; a connection that is kept without use counts as well.
final class ConnectionBudget: Sendable {
  /// Of one host.
  fileprivate struct Host {
    var held = 0
    /// Files that are worked on, those that wait for connections among them.
    var files = 0
    /// Files that wait for the first one.
    var waiting = 0
  }

  fileprivate struct State {
    var hosts: [String: Host] = [:]
    var held = 0
    var files = 0
    var waiting = 0
  }

  private let state = Mutex(State())
  /// To one host.
  private let perHost: Int
  private let most: Int
  /// Files at a time.
  private let jobs: Int
  /// How many files are still to come, and how many of them from a host.
  private let expected: @Sendable (_ host: String) -> (all: Int, ofHost: Int)
  /// Woken when connections were given back that somebody waits for.
  private let wakeup: Wakeup

  init(
    perHost: Int, jobs: Int, wakeup: Wakeup, expected: @escaping @Sendable (_ host: String) -> (all: Int, ofHost: Int)
  ) {
    self.perHost = perHost
    self.jobs = jobs
    most = max(perHost, jobs)
    self.wakeup = wakeup
    self.expected = expected
  }

  /// Work on a file of this host begins, or ends.
  func enter(_ host: String) { change(host) { $0.work(1, host) } }
  func leave(_ host: String) { change(host) { $0.work(-1, host) } }

  /// A file of this host waits for its first connection, or does not any more.
  func wait(_ host: String) { change(host) { $0.wait(1, host) } }
  func waitNoMore(_ host: String) { change(host) { $0.wait(-1, host) } }

  /// Takes one connection; false where none is free.
  func takeOne(_ host: String) -> Bool {
    state.withLock { state in
      guard free(state, host) > 0 else { return false }
      state.take(1, host)
      return true
    }
  }

  func giveBack(_ count: Int, _ host: String) {
    guard count > 0 else { return }
    change(host) { $0.take(-count, host) }
  }

  /// Connections for one more file; nil where none is free.
  func lease(_ host: String) -> ConnectionLease? {
    let share = share(host)
    return state.withLock { state in
      let count = min(share, free(state, host))
      guard count > 0 else { return nil }
      state.take(count, host)
      return ConnectionLease(self, host, count)
    }
  }

  /// Of these `held` connections, of which some are `inUse`, gives back what is above the share, or takes more where there
  /// is more. Returns how many are held then, and how many there are to be.
  fileprivate func adjust(_ held: Int, inUse: Int, _ host: String) -> (held: Int, most: Int) {
    let share = share(host)
    let new = state.withLock { state in
      var new = held
      if held > share {
        new = max(share, inUse)
      } else if state.waiting == 0 {
        new = held + max(0, min(share - held, free(state, host)))
      }
      state.take(new - held, host)
      return new
    }
    if new < held { wakeup.signal() }
    return (new, min(new, share))
  }

  /// What a file of this host may have while others want some, too.
  private func share(_ host: String) -> Int {
    let expected = expected(host)
    return state.withLock { state in
      let ofHost = min(jobs, max(1, (state.hosts[host]?.files ?? 0) + expected.ofHost))
      let all = min(jobs, max(1, state.files + expected.all))
      return max(1, min(perHost / ofHost, most / all))
    }
  }

  private func free(_ state: borrowing State, _ host: String) -> Int {
    min(perHost - (state.hosts[host]?.held ?? 0), most - state.held)
  }

  private func change(_ host: String, _ body: (inout State) -> Void) {
    let isAwaited = state.withLock { state in
      body(&state)
      if let entry = state.hosts[host], entry.held == 0, entry.files == 0, entry.waiting == 0 {
        state.hosts[host] = nil
      }
      return state.waiting > 0
    }
    if isAwaited { wakeup.signal() }
  }
}

extension ConnectionBudget.State {
  fileprivate mutating func take(_ count: Int, _ host: String) {
    hosts[host, default: ConnectionBudget.Host()].held += count
    held += count
  }

  fileprivate mutating func work(_ change: Int, _ host: String) {
    hosts[host, default: ConnectionBudget.Host()].files += change
    files += change
  }

  fileprivate mutating func wait(_ change: Int, _ host: String) {
    hosts[host, default: ConnectionBudget.Host()].waiting += change
    waiting += change
  }
}

/// The connections that one download may have open; given back when it is over.
final class ConnectionLease: Sendable {
  private let budget: ConnectionBudget
  private let host: String
  private let held: Mutex<Int>

  fileprivate init(_ budget: ConnectionBudget, _ host: String, _ count: Int) {
    self.budget = budget
    self.host = host
    held = Mutex(count)
  }

  /// How many connections there may be now, with `inUse` open: what is above the download's share is given back as soon
  /// as it is not in use any more, and what has become free is taken.
  func adjust(inUse: Int) -> Int {
    held.withLock { held in
      let (new, most) = budget.adjust(held, inUse: inUse, host)
      held = new
      return max(1, most)
    }
  }

  /// Every connection is closed.
  func end() {
    held.withLock { held in
      budget.giveBack(held, host)
      held = 0
    }
  }
}
