internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// The lines for people: one line each, with the command's name before it and nothing in it that moves a cursor.
enum Diagnostics {
  static func error(_ text: String) -> String { "swoop: error: \(text.printable)" }
  static func warning(_ text: String) -> String { "swoop: warning: \(text.printable)" }
  static func note(_ text: String) -> String { "swoop: \(text.printable)" }
  static func trace(_ text: String) -> String { "swoop: * \(text.printable)" }

  /// Tells an ending where no download runs: as an event where events are wanted.
  /// `file` is its place among the files, from 0, where it is of one.
  static func tell(_ ending: Ending, of file: Int? = nil, to choice: ProgressChoice, isQuiet: Bool) {
    let line: String?
    if choice == .json {
      line = EventLog.standardError.line("end", of: file, at: MonotonicClock.seconds(), ending.result)
    } else {
      line = ending.words.line(isQuiet: isQuiet).map { $0 + "\n" }
    }
    if let line { _ = Output.write(line, to: STDERR_FILENO) }
  }

  /// Tells of a failure where no download runs, as it was asked for; `members` is the object about it.
  static func tell(_ error: DownloadError, _ members: [JSONMember], _ arguments: Arguments) -> Failure {
    tell(Ending(words: error.words, result: members), to: arguments.progress, isQuiet: false)
    // To fail at that, too, changes nothing.
    let text = JSONValue.object(members).text + "\n"
    if arguments.printsJSON, arguments.sendsToStandardOutput { _ = Output.write(text, to: STDERR_FILENO) }
    if arguments.printsJSON, !arguments.sendsToStandardOutput { try? Results.print(text) }
    return error.failure
  }

  /// Warns of what no download tells: as an event where events are wanted.
  static func warn(_ text: String, to choice: ProgressChoice) { say("warning", text, warning(text), to: choice) }

  /// With `-v`, says which config file was read.
  static func noteConfiguration(of arguments: Arguments) {
    guard let path = arguments.configurationRead, arguments.isVerbose, !arguments.isQuiet else { return }
    let text = "options from \(path)"
    say("trace", text, trace(text), to: arguments.progress)
  }

  private static func say(_ event: String, _ text: String, _ line: String, to choice: ProgressChoice) {
    let members = [JSONMember("message", .string(text))]
    let event = EventLog.standardError.line(event, at: MonotonicClock.seconds(), members)
    _ = Output.write(choice == .json ? event : line + "\n", to: STDERR_FILENO)
  }
}

extension Ending.Words {
  /// The line for people; nil where there is none.
  func line(isQuiet: Bool) -> String? {
    switch self {
    case .news(let text): isQuiet ? nil : Diagnostics.note(text)
    case .note(let text): Diagnostics.note(text)
    case .error(let text): Diagnostics.error(text)
    case .nothing: nil
    }
  }
}

extension DownloadError {
  /// What people are told of it.
  var words: Ending.Words {
    switch failure {
    // The reader of the results went away, and knows it.
    case .interrupted(SIGPIPE): .nothing
    case .interrupted: .note(message)
    default: .error(message)
    }
  }
}
