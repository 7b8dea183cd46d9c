internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// Tells how files ended: people, and where that is wanted programs.
struct DownloadEndings: Sendable {
  let printer: ProgressPrinter
  /// Whether each file's end is told on standard output.
  let printsResults: Bool
  /// Standard output is the file's: results go where messages go.
  let sendsToStandardOutput: Bool

  /// Of a million files, what no program reads would take time and room.
  var wantsMembers: Bool { printsResults || printer.isForPrograms }

  /// Tells how a file ended well. Throws where the result cannot be written.
  func tell(
    _ file: Int, _ record: JobRecord, _ report: DownloadReport, isDryRun: Bool
  ) throws(DownloadError) {
    let members = wantsMembers ? record.members(report) : []
    let found = report.result(ofDryRun: isDryRun)
    let words = found == nil ? report.summary.map { Ending.Words.news($0) } ?? .nothing : .nothing
    let result = printsResults ? JSONValue.object(members).text + "\n" : found
    let isBeside = sendsToStandardOutput
    if let result, !isBeside { try Results.print(result) }
    let ending = Ending(words: words, result: members, appendix: isBeside ? result.map { String($0.dropLast()) } : nil)
    printer.end(file, complete: report.outcome == .planned ? nil : report.bytes, ending)
  }

  /// Tells how a file ended well whose result could not be written. `isTold`: why is known to people.
  func tellUnwritten(
    _ file: Int, _ record: JobRecord, _ report: DownloadReport, _ error: DownloadError, isTold: Bool
  ) {
    let members = wantsMembers ? record.members(report, error) : []
    printer.end(file, complete: report.bytes, Ending(words: isTold ? .nothing : error.words, result: members))
  }

  /// Tells of a failure, and gives the failure that counts. `words`: what people are told; nil: the error.
  @discardableResult
  func tell(
    _ file: Int?, _ record: JobRecord, _ error: DownloadError, seconds: Double, words: Ending.Words? = nil
  ) -> Failure {
    let members = wantsMembers ? record.members(error, seconds: seconds) : []
    let isTold = printsResults && error.failure != .interrupted(SIGPIPE)
    let text = isTold ? JSONValue.object(members).text : ""
    let ending = Ending(
      words: words ?? error.words, result: members, appendix: isTold && sendsToStandardOutput ? text : nil)
    printer.end(file, ending)
    guard isTold, !sendsToStandardOutput else { return error.failure }
    do throws(DownloadError) {
      try Results.print(text + "\n")
    } catch {
      // Of the two failures the first is the one to report.
      printer.receive(.warning(error.message), of: file)
    }
    return error.failure
  }
}
