internal import DownloadCore

/// An exit code that scripts rely on: a row of the table that helps, man page and README have.
struct ExitCode: Sendable {
  /// As it is shown: a number, or `128+n`.
  let code: String
  let meaning: String
  /// What a run that ends so leaves behind; empty where nothing can be said.
  let leavings: String

  static let all = [
    ExitCode("0", "complete, and verified where there was something to verify with", leaves: "the file"),
    ExitCode("1", "something unforeseen", leaves: ""),
    ExitCode("2", "wrong usage", leaves: "nothing was touched"),
    ExitCode(
      "3", "network: gave up after retries", leaves: "the part, if anything came; the same command resumes"),
    ExitCode("4", "the server refused, to the end, or cannot be understood", leaves: "the part, if anything came"),
    ExitCode("5", "a digest does not match", leaves: "the part"),
    ExitCode(
      "6", "the file changed on the server, or its ranges cannot be trusted",
      leaves: "the part, as far as it is honest"),
    ExitCode(
      "7", "local: disk full, no permission, larger than --max-size, a part that is not ours",
      leaves: "the part, where it could be written"),
    ExitCode("8", "TLS: certificate or handshake", leaves: "nothing was touched"),
    ExitCode("9", "another process is at work on this file", leaves: ""),
    ExitCode("10", "the target exists and is not this file", leaves: "the old file, untouched"),
    ExitCode(
      "11", "no partial file, or its manifest cannot be used: another version's, another URL's",
      leaves: "both files, untouched"),
    ExitCode("128+n", "ended by signal n (130: Ctrl-C)", leaves: "the part; the same command resumes"),
    ExitCode("141", "the reader of -o - went away; nothing is said", leaves: "nothing"),
  ]

  private init(_ code: String, _ meaning: String, leaves leavings: String) {
    self.code = code
    self.meaning = meaning
    self.leavings = leavings
  }
}

extension Failure {
  /// The exit code that scripts rely on.
  var exitCode: Int32 {
    switch self {
    case .unforeseen: 1
    case .usage: 2
    case .network: 3
    case .refused: 4
    case .digestMismatch: 5
    case .remoteChanged: 6
    case .local: 7
    case .tls: 8
    case .locked: 9
    case .targetExists: 10
    case .manifestUnusable: 11
    case .interrupted(let signal): 128 + signal
    }
  }
}
