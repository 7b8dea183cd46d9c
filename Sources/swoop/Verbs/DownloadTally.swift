internal import DownloadCore

/// How many files came to what: all that is kept of those that have ended.
struct DownloadTally {
  private var saved = 0
  private var complete = 0
  private var planned = 0
  private var failed = 0
  /// Of those that were saved, what was fetched in this run.
  private var fetched = ByteCount(0)
  /// The first failure in the order of the files.
  private(set) var failure: Failure?
  private var firstFailed = Int.max
  /// What there was to tell of a file could not be written.
  private(set) var lacksResults = false

  mutating func note(_ report: DownloadReport) {
    switch report.outcome {
    case .saved, .sent:
      saved += 1
      fetched = ByteCount(fetched.bytes &+ max(0, report.bytes - report.resumed))
    case .alreadyComplete: complete += 1
    case .planned: planned += 1
    }
  }

  mutating func note(_ failure: Failure, of number: Int) {
    failed += 1
    count(failure, of: number)
  }

  /// The result of a file that is here could not be written: the file has not failed, the command has.
  mutating func noteUnwritten(_ failure: Failure, of number: Int) {
    lacksResults = true
    count(failure, of: number)
  }

  private mutating func count(_ failure: Failure, of number: Int) {
    guard number < firstFailed else { return }
    firstFailed = number
    self.failure = failure
  }

  /// `98,990 of 100,000 files saved (387 MiB in 12s), 10 already complete, 1,000 failed`. Nil where there was one file at
  /// most. `all`: how many there are, those that were not begun among them; `isOpen`: there may be more.
  func summary(of all: Int, after seconds: Double, isOpen: Bool) -> String? {
    guard all > 1 || isOpen else { return all == 0 ? "no files in the list" : nil }
    let count = CountText.grouped(all) + (isOpen ? " or more" : "")
    let size = saved > 0 ? " (\(fetched) in \(DurationText.exact(seconds)))" : ""
    let rest = [(complete, "already complete"), (planned, "planned"), (failed, "failed")]
      .filter { $0.0 > 0 }.map { "\(CountText.grouped($0.0)) \($0.1)" }
    return (["\(CountText.grouped(saved)) of \(count) files saved\(size)"] + rest).joined(separator: ", ")
  }
}
