internal import DownloadCore
internal import Glibc

/// The lines for people: one line each, with the command's name before it and nothing in it that moves a cursor.
enum Diagnostics {
  static func error(_ text: String) -> String { "swoop: error: \(text.printable)" }
  static func warning(_ text: String) -> String { "swoop: warning: \(text.printable)" }
  static func note(_ text: String) -> String { "swoop: \(text.printable)" }
  static func trace(_ text: String) -> String { "swoop: * \(text.printable)" }

  /// Prints an error where no download runs, and gives its exit code.
  static func report(_ error: DownloadError) -> Int32 {
    _ = Output.write(Self.error(error.message) + "\n", to: STDERR_FILENO)
    return error.failure.exitCode
  }

  /// With `-v`, says which config file was read.
  static func noteConfiguration(of arguments: Arguments) {
    guard let path = arguments.configurationRead, arguments.isVerbose, !arguments.isQuiet else { return }
    _ = Output.write(trace("options from \(path)") + "\n", to: STDERR_FILENO)
  }
}
