package import DownloadCore
import Glibc

/// Digests of many files that are here already, several files at a time: one for each processor that is there.
package struct DigestBatch {
  /// A file, and what is to be computed of it.
  package struct Job: Sendable {
    /// Absolute or relative to the working directory.
    package var path: String
    /// What is computed of it, in one reading.
    package var algorithms: [DigestAlgorithm]
    /// Refuse devices and FIFOs, which could go on for ever.
    package var mustBeRegular: Bool

    /// Takes the values as they are.
    package init(path: String, algorithms: [DigestAlgorithm], mustBeRegular: Bool) {
      self.path = path
      self.algorithms = algorithms
      self.mustBeRegular = mustBeRegular
    }
  }

  /// What came of a job: digests in the order of its algorithms; or `local` where the file cannot be read, `usage` where
  /// an algorithm is not to be had.
  package typealias Outcome = Result<[Digest], DownloadError>

  /// What the threads share.
  private struct State: Sendable {
    /// The job that is to be begun next.
    var next = 0
    /// Those of ended jobs that nobody has asked for yet.
    var outcomes: [Int: Outcome] = [:]
    /// Bytes read, and of files that could not be read all.
    var done: Int64 = 0
    var isCancelled = false
  }

  /// Each thread has a buffer of 1 MiB, and a disk one place at a time.
  private static let mostThreads = 8

  private let jobs: [Job]
  /// In bytes, as they were in the beginning.
  private let sizes: [Int64]
  private let shared = Monitor(State())

  /// Looks at the files' sizes; one that is not there has none.
  package init(_ jobs: [Job]) {
    self.jobs = jobs
    sizes = jobs.map { FileDigests.size(of: $0.path) }
  }

  /// Runs to the end. `onProgress` gets the bytes read of all files, and how many they are; `onOutcome` the outcomes in
  /// the order of the jobs, each as soon as those before it are known.
  ///
  /// Throws what `onOutcome` throws, which ends it; and `local` where the machine has no thread for it.
  package func run(
    onProgress: (Int64, Int64) -> Void, onOutcome: (Int, Outcome) throws(DownloadError) -> Void
  ) throws(DownloadError) {
    try startThreads()
    defer { shared.withLock { $0.isCancelled = true } }
    let total = sizes.reduce(0, +)
    var (shown, seen) = (0, Int64(-1))
    while shown < jobs.count {
      let (outcome, done) = shared.wait { (state: inout State) -> (Outcome?, Int64)? in
        if let outcome = state.outcomes.removeValue(forKey: shown) { return (outcome, state.done) }
        return state.done == seen ? nil : (nil, state.done)
      }
      seen = done
      onProgress(done, total)
      guard let outcome else { continue }
      try onOutcome(shown, outcome)
      shown += 1
    }
  }

  /// They end by themselves when all jobs are begun, and are not waited for: one may hang in a read of a dead disk.
  private func startThreads() throws(DownloadError) {
    let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    for number in 0..<min(processors, Self.mostThreads, jobs.count) {
      do throws(Errno) {
        try Worker { [jobs, sizes, shared] in Self.work(jobs, sizes, shared) }.detach()
      } catch {
        // With fewer it takes longer.
        guard number == 0 else { return }
        throw .local("start a thread to read", jobs[0].path, error)
      }
    }
  }

  private static func work(_ jobs: [Job], _ sizes: [Int64], _ shared: Monitor<State>) {
    while let index = shared.withLock({ takeNext(&$0, jobs.count) }) {
      var read: Int64 = 0
      let outcome: Outcome
      do throws(DownloadError) {
        outcome = .success(
          try FileDigests.compute(of: jobs[index]) { count, _ throws(DownloadError) in
            let isCancelled = shared.withLock { state in
              state.done += count - read
              return state.isCancelled
            }
            read = count
            if isCancelled { throw DownloadError(.unforeseen, "cancelled") }
          })
      } catch {
        outcome = .failure(error)
      }
      shared.withLock { state in
        // A file that grew, shrank or cannot be read counts as what it was.
        state.done += sizes[index] - read
        state.outcomes[index] = outcome
      }
    }
  }

  private static func takeNext(_ state: inout State, _ count: Int) -> Int? {
    guard !state.isCancelled, state.next < count else { return nil }
    defer { state.next += 1 }
    return state.next
  }
}
