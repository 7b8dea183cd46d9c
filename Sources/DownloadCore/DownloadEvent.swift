/// What a download tells while it runs; one way, up.
package enum DownloadEvent: Sendable {
  /// The transfers begin: of the file that will be at `path`, this much was here already.
  case started(url: String, path: String, Progress)
  case progress(Progress)
  /// A range failed and will be asked for again; text for people.
  case retry(String)
  /// All that was here was thrown away: progress begins again from 0.
  case restarted(String)
  case message(String)
  case warning(String)
  /// What each of several sources has done for a download that fails; the last of its events.
  case sources([SourceReport])
  /// What was asked, answered or decided (`--verbose`): redacted and sanitised.
  case trace(String)
}
