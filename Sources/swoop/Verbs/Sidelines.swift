internal import DownloadCore
internal import DownloadEngine

/// What verbs that print a result of their own need of the network: signals, a printer for what happens on the way, and
/// the limit on the rate.
struct Sidelines {
  let signals: SignalSource
  let printer: ProgressPrinter
  let limiter: RateLimiter?

  /// Takes the signals, and gives them back when `body` is done.
  static func run<Result>(
    _ arguments: Arguments, _ body: (Sidelines) throws(DownloadError) -> Result
  ) throws(DownloadError) -> Result {
    let signals = SignalSource()
    defer { signals.release() }
    let printer = ProgressPrinter(style(arguments), isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose)
    let limiter = arguments.rateLimit.map { RateLimiter($0) }
    do throws(DownloadError) {
      let result = try body(Sidelines(signals: signals, printer: printer, limiter: limiter))
      printer.finishWiping()
      return result
    } catch {
      printer.finishWiping()
      throw error
    }
  }

  /// Lines of progress in a log are for downloads: here they come only where they are asked for.
  static func style(_ arguments: Arguments) -> ProgressStyle {
    guard Terminal.isThere || arguments.progress != .automatic else { return .none }
    return arguments.progress.style(onTerminal: Terminal.isThere, kind: Terminal.kind)
  }
}
