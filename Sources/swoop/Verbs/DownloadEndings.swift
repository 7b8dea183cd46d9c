internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// Tells how files ended: people, and where that is wanted programs.
struct DownloadEndings: Sendable {
  let printer: ProgressPrinter
  /// Whether each file's end is told on standard output.
  let printsResults: Bool

  /// Of a million files, what no program reads would take time and room.
  private var wantsMembers: Bool { printsResults || printer.isForPrograms }

  /// Tells how a file ended well. Throws where the result cannot be written.
  func tell(
    _ file: Int, _ record: JobRecord, _ report: DownloadReport, isDryRun: Bool
  ) throws(DownloadError) {
    let members = wantsMembers ? record.members(report) : []
    let found = report.result(ofDryRun: isDryRun)
    let words = found == nil ? report.summary.map { Ending.Words.news($0) } ?? .nothing : .nothing
    if let result = printsResults ? JSONValue.object(members).text + "\n" : found { try Results.print(result) }
    printer.end(file, complete: report.outcome == .planned ? nil : report.bytes, Ending(words: words, result: members))
  }

  /// Tells of a failure, and gives the failure that counts. `words`: what people are told; nil: the error.
  @discardableResult
  func tell(
    _ file: Int?, _ record: JobRecord, _ error: DownloadError, seconds: Double, words: Ending.Words? = nil
  ) -> Failure {
    let members = wantsMembers ? record.members(error, seconds: seconds) : []
    printer.end(file, Ending(words: words ?? error.words, result: members))
    guard printsResults, error.failure != .interrupted(SIGPIPE) else { return error.failure }
    do throws(DownloadError) {
      try Results.print(JSONValue.object(members).text + "\n")
    } catch {
      // Of the two failures the first is the one to report.
      printer.receive(.warning(error.message), of: file)
    }
    return error.failure
  }
}
