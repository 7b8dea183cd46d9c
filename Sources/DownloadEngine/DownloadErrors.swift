import DownloadCore
import Glibc

/// The engine's failures, each made in one place.
extension DownloadError {
  static func targetExists(_ path: String) -> DownloadError {
    DownloadError(.targetExists, "\(path) exists and is not this file: left alone; use --force to replace it")
  }

  static func headTooLarge(_ url: RemoteURL) -> DownloadError {
    DownloadError(.refused, "could not fetch \(url.redacted): response headers too large (more than 64 KiB)")
  }

  static func cannotUnderstand(_ url: RemoteURL, _ what: String) -> DownloadError {
    DownloadError(.refused, "could not fetch \(url.redacted): the server's answer cannot be understood: \(what)")
  }

  static func tooLarge(_ url: RemoteURL) -> DownloadError {
    DownloadError(.local, "\(url.redacted) is too large for any file system")
  }

  static func refused(_ url: RemoteURL, _ status: HTTPStatus) -> DownloadError {
    let advice = status == .unauthorized ? ", it wants a login (-u)" : ""
    return DownloadError(.refused, "could not fetch \(url.redacted): the server answered \(status)\(advice)")
  }

  /// The end of the retries.
  static func gaveUp(_ url: RemoteURL, _ reason: String, tries: Int) -> DownloadError {
    let times = tries == 1 ? "1 try" : "\(tries) tries"
    return DownloadError(
      .network,
      "could not fetch \(url.redacted): \(reason) after \(times); run the same "
        + "command again to try once more")
  }

  static func gaveUp(
    _ url: RemoteURL, range: ByteRange, _ reason: String, failure: Failure, tries: Int
  ) -> DownloadError {
    let times = tries == 1 ? "1 try" : "\(tries) tries"
    return DownloadError(
      failure,
      "could not fetch \(RangeText.shown(range)) of \(url.redacted): \(reason) after \(times); run the same command "
        + "again to resume")
  }

  static func remoteChanged(_ url: RemoteURL, _ reason: String) -> DownloadError {
    DownloadError(
      .remoteChanged, "could not fetch \(url.redacted): \(reason); the server's answers do not fit together, try later")
  }

  static func interrupted(_ signal: Int32) -> DownloadError {
    DownloadError(.interrupted(signal), "interrupted by \(name(of: signal))")
  }

  private static func name(of signal: Int32) -> String {
    switch signal {
    case SIGINT: "SIGINT"
    case SIGTERM: "SIGTERM"
    case SIGHUP: "SIGHUP"
    default: "signal \(signal)"
    }
  }
}
