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
