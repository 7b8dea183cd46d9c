internal import DownloadCore

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
