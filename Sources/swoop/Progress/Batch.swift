internal import DownloadCore

/// How far the files of one command are.
struct Batch: Hashable, Sendable {
  /// A file that is being fetched or verified.
  struct Active: Hashable, Sendable {
    /// Its place among the files, from 0.
    var file: Int
    var name: String
    var progress: Progress
  }

  /// The files in all, as far as they are known.
  private(set) var count: Int
  /// There may be more.
  private(set) var isOpen: Bool
  /// In the order of the files.
  private(set) var active: [Active] = []
  /// Files that have ended, well or not, and the bytes of them that are here.
  private(set) var ended = 0
  private(set) var endedBytes: Int64 = 0

  init(count: Int, isOpen: Bool = false) {
    self.count = count
    self.isOpen = isOpen
  }

  /// Whether files are to be told from each other.
  var hasSeveral: Bool { count > 1 || isOpen }

  /// Some have ended, and not all of them.
  var isUnderWay: Bool { ended > 0 && (ended < count || isOpen) }

  /// So many files are known now; `isOpen`: there may be more.
  mutating func expect(_ count: Int, isOpen: Bool) {
    self.count = max(self.count, count)
    self.isOpen = isOpen
  }

  /// What a file is called in its line.
  static func name(ofPath path: String) -> String {
    if path == Sink.standardOutput.path { return Sink.standardOutput.shown }
    return path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  func progress(of file: Int) -> Progress? { active.first { $0.file == file }?.progress }

  /// A file begins, or begins again.
  mutating func begin(_ file: Int, name: String, _ progress: Progress) {
    active.removeAll { $0.file == file }
    let place = active.firstIndex { $0.file > file } ?? active.endIndex
    active.insert(Active(file: file, name: name, progress: progress), at: place)
  }

  mutating func change(_ file: Int, to progress: Progress) {
    guard let place = active.firstIndex(where: { $0.file == file }) else { return }
    active[place].progress = progress
  }

  /// A file is no longer worked on; so much of it is here.
  mutating func end(_ file: Int, bytes: Int64) {
    active.removeAll { $0.file == file }
    ended += 1
    endedBytes = endedBytes.addingClamped(bytes)
  }

  /// Nothing is worked on any more, and nothing has ended.
  mutating func forget() { active = [] }

  /// All of them together. The length is what is known of it.
  var sum: Progress {
    var sum = Progress(done: endedBytes, total: endedBytes, rate: nil, connections: 0)
    for progress in active.map(\.progress) where progress.activity == .fetching {
      sum.done = sum.done.addingClamped(progress.done)
      sum.total = sum.total?.addingClamped(progress.total ?? progress.done)
      sum.connections += progress.connections
      if let rate = progress.rate { sum.rate = (sum.rate ?? 0) + rate }
    }
    // What is read back is here.
    for progress in active.map(\.progress) where progress.activity == .verifying {
      sum.done = sum.done.addingClamped(progress.total ?? progress.done)
      sum.total = sum.total?.addingClamped(progress.total ?? progress.done)
    }
    return sum
  }

  /// No file is still to tell its length.
  var lengthIsKnown: Bool { !isOpen && ended + active.count >= count && active.allSatisfy { $0.progress.total != nil } }
}
