internal import DownloadCore
internal import Glibc

/// The command from its words to its end.
enum Command {
  /// Runs, and gives the exit code; ended by a signal, it does not return.
  static func run() -> Int32 {
    StandardStreams.occupy()
    // A reader that goes away and a limit on file sizes are errors like others.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      let words = try ArgumentVector.words()
      let arguments = try ArgumentParser.parse(words)
      ArgumentVector.blank(arguments.secrets)
      return end(run(arguments, words))
    } catch {
      // Before all words are understood nobody knows how the answer is wanted.
      Diagnostics.tell(Ending(words: error.words, result: []), to: .automatic, isQuiet: false)
      return end(error.failure)
    }
  }

  /// The command line once more, with the options of a file before its own.
  private static func configured(_ typed: Arguments, _ words: [String]) throws(DownloadError) -> Arguments {
    guard typed.information == nil, let configuration = try Configuration(for: typed) else { return typed }
    return try ArgumentParser.parse(words, after: configuration.arguments(for: typed.verb))
  }

  /// Runs what was asked for; what is thrown is told in the way that was asked for.
  private static func run(_ typed: Arguments, _ words: [String]) -> Failure? {
    var arguments = typed
    do throws(DownloadError) {
      arguments = try configured(typed, words)
      return try perform(arguments)
    } catch {
      return Diagnostics.tell(error, arguments.members(of: error), arguments)
    }
  }

  private static func perform(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    switch arguments.information {
    case .shortHelp: try Results.print(Help.short(of: arguments.verb))
    case .fullHelp: try Results.print(Help.full(of: arguments.verb))
    case .version: try Results.print(VersionText.text)
    case .document(let document): try Results.print(document.text)
    case nil: return try run(arguments.verb, arguments)
    }
    return nil
  }

  private static func run(_ verb: Verb, _ arguments: Arguments) throws(DownloadError) -> Failure? {
    switch verb {
    case .fetch, .resume: try DownloadVerbs.run(arguments)
    case .verify: try VerifyVerb.run(arguments)
    case .status: try StatusVerb.run(arguments)
    case .plan: try PlanVerb.run(arguments)
    case .join: try JoinVerb.run(arguments)
    }
  }

  private static func end(_ failure: Failure?) -> Int32 {
    if case .interrupted(let number) = failure { raiseAgain(number) }
    return failure?.exitCode ?? 0
  }

  /// Ends by the signal itself, so that a shell script stops too.
  private static func raiseAgain(_ number: Int32) {
    guard number != SIGPIPE else { return }
    // All is saved: a core of SIGQUIT would only keep passwords.
    var none = rlimit()
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
  }
}
