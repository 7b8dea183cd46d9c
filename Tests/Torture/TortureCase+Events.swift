internal import Glibc
internal import TestSupport

/// What happens to a run, and to its files before it.
extension TortureCase {
  /// How long an orderly end may take, on a machine with much else to do.
  private static let longestEnd = Duration.seconds(10)

  func interrupt(_ command: RunningCommand, _ interruption: Step.Interruption) throws {
    switch interruption {
    case .signals(let signals, let moment):
      guard wait(for: moment, of: command) else { return }
      for signal in signals { command.signal(signal) }
      let isEnded = command.waitForExit(timeout: Self.longestEnd) != nil
      try BrokenPromise.unless(isEnded, "\(signals) does not end the run")
    case .pause(let moment, let seconds):
      guard wait(for: moment, of: command) else { return }
      command.signal(SIGSTOP)
      _ = command.waitForExit(timeout: .seconds(seconds))
      command.signal(SIGCONT)
    case .terminalCloses(let moment):
      if wait(for: moment, of: command) { command.closeError() }
    }
  }

  /// Waits for a moment of a run; false where the run ends before it.
  private func wait(for moment: Step.Moment, of command: RunningCommand) -> Bool {
    let (requests, bytes) = (server.log.entries.count, server.log.bodyBytesSent)
    switch moment {
    case .time(let seconds): return command.waitForExit(timeout: .seconds(seconds)) == nil
    case .sent(let count): return wait(command) { $0.bodyBytesSent >= bytes + count }
    case .requests(let count): return wait(command) { $0.entries.count >= requests + count }
    }
  }

  private func wait(_ command: RunningCommand, _ predicate: (ServerLog) -> Bool) -> Bool {
    while command.isRunning {
      if server.waitUntil(timeout: .milliseconds(30), predicate) { return command.isRunning }
    }
    return false
  }

  func tamper(_ step: Step) throws {
    let part = plan.target.name + ".part"
    let manifest = part + ".json"
    guard let tampering = step.tampering, folder.contains(placed(part)), folder.contains(placed(manifest)) else {
      return
    }
    // The kernel's clock of files has steps; a change within one of them is none that can be seen.
    usleep(30_000)
    isTampered = true
    let size = try folder.size(placed(part))
    switch tampering {
    case .deletePart: folder.remove(placed(part))
    case .cutPart: try folder.truncate(placed(part), to: size / 3)
    case .growPart: try folder.truncate(placed(part), to: size + 100_000)
    case .flipByte: if size > 0 { try folder.flipByte(of: placed(part), at: size / 2) }
    case .deleteManifest: folder.remove(placed(manifest))
    case .spoilManifest: try folder.truncate(placed(manifest), to: folder.size(placed(manifest)) / 2)
    case .strayNewManifest: try folder.write("{", to: placed(manifest + ".new"), mode: 0o600)
    }
  }
}
