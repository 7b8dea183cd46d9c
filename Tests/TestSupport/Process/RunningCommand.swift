internal import Glibc

/// A command that has been started. It is killed when this is let go of.
package final class RunningCommand: Sendable {
  private struct Progress: Sendable {
    var output: [UInt8] = []
    var error: [UInt8] = []
    /// The descriptors that are still read; closed and removed by the reader alone.
    var channels: [Channel] = []
    var terminal: Int32?
    var isOutputUnwanted = false
    var isErrorUnwanted = false
    /// The most memory it had when it was looked at, in KiB.
    var peakMemory = 0
    var exit: Exit?
    var isRead = false

    /// Whether the command ended so long ago that only a child of its own can hold the pipes.
    var isOver: Bool { exit.map { .now - $0.time > .seconds(2) } ?? false }
  }

  private struct Channel: Sendable {
    let descriptor: Int32
    let isOutput: Bool
  }

  private struct Exit: Sendable {
    let status: Int32
    let usage: Usage
    let time: ContinuousClock.Instant
  }

  private struct Usage: Sendable {
    let peakMemory: Int
    let user: Duration
    let system: Duration

    init(_ usage: rusage) {
      peakMemory = usage.ru_maxrss
      user = .seconds(usage.ru_utime.tv_sec) + .microseconds(usage.ru_utime.tv_usec)
      system = .seconds(usage.ru_stime.tv_sec) + .microseconds(usage.ru_stime.tv_usec)
    }
  }

  /// The process id.
  package let pid: Int32
  private let name: String
  private let leadsGroup: Bool
  private let started: ContinuousClock.Instant
  private let progress: Monitor<Progress>

  init(_ runner: CommandRunner) throws {
    started = .now
    let child = try ChildProcess.start(runner)
    pid = child.pid
    name = ([runner.executable] + runner.arguments).joined(separator: " ")
    leadsGroup = runner.leadsGroup || runner.terminal?.isForAllStreams == true
    var first = Progress()
    if let output = child.output { first.channels.append(Channel(descriptor: output, isOutput: true)) }
    first.channels.append(Channel(descriptor: child.error, isOutput: false))
    first.terminal = child.terminal
    progress = Monitor(first)
    try BackgroundThread.start { [progress, pid] in Self.read(progress, of: pid) }
    try BackgroundThread.start { [progress, pid] in Self.reap(pid, progress) }
  }

  deinit {
    kill()
    _ = progress.wait(timeout: .seconds(10)) { $0.exit != nil }
  }

  /// What has come from standard output so far.
  package var output: String {
    progress.read { String(decoding: $0.output, as: UTF8.self) }
  }

  /// What has come from standard error, or from the terminal, so far.
  package var error: String {
    progress.read { String(decoding: $0.error, as: UTF8.self) }
  }

  /// Whether the process has not ended yet.
  package var isRunning: Bool {
    progress.read { $0.exit == nil }
  }

  /// Sends a signal to the process, if it still runs.
  package func signal(_ number: Int32) {
    progress.read { if $0.exit == nil { _ = Glibc.kill(pid, number) } }
  }

  /// Sends a signal to the process group that it leads, if it still runs.
  package func signalGroup(_ number: Int32) {
    progress.read { if $0.exit == nil { _ = Glibc.kill(leadsGroup ? -pid : pid, number) } }
  }

  /// Kills the process, and its group if it leads one.
  package func kill() {
    signalGroup(SIGKILL)
  }

  /// Stops reading standard output and closes it, as a pager does that is left.
  package func closeOutput() {
    progress.change { $0.isOutputUnwanted = true }
    _ = progress.wait(timeout: .seconds(10)) { !$0.channels.contains(where: \.isOutput) }
  }

  /// Stops reading standard error, or the terminal, and closes it: the terminal goes away.
  package func closeError() {
    progress.change { $0.isErrorUnwanted = true }
    _ = progress.wait(timeout: .seconds(10)) { !$0.channels.contains { !$0.isOutput } }
  }

  /// Gives the terminal another size.
  package func resize(columns: UInt16, rows: UInt16) {
    progress.read { if let terminal = $0.terminal { PseudoTerminal.resize(terminal, columns: columns, rows: rows) } }
  }

  /// Types into the terminal.
  package func type(_ text: String) throws {
    try progress.read { if let terminal = $0.terminal { try FileWriter.write(Array(text.utf8), to: terminal) } }
  }

  /// Waits until the text has come from standard output, standard error or the terminal; false after `timeout`, or if
  /// the command ends without it.
  @discardableResult
  package func waitForOutput(containing text: String, timeout: Duration = .seconds(10)) -> Bool {
    var isThere = false
    _ = progress.wait(timeout: timeout) { progress in
      isThere =
        String(decoding: progress.error, as: UTF8.self).contains(text)
        || String(decoding: progress.output, as: UTF8.self).contains(text)
      return isThere || progress.isRead
    }
    return isThere
  }

  /// Waits for the end, and returns how it was; nil after `timeout`.
  package func waitForExit(timeout: Duration = .seconds(60)) -> CommandResult? {
    guard progress.wait(timeout: timeout, until: { $0.exit != nil }) else { return nil }
    _ = progress.wait(timeout: .seconds(10)) { $0.isRead }
    return progress.read { progress in
      guard let exit = progress.exit else { return nil }
      let signal = exit.status & 0x7f
      return CommandResult(
        termination: signal == 0 ? .exited((exit.status >> 8) & 0xff) : .signalled(signal),
        outputBytes: progress.output, errorBytes: progress.error,
        peakMemory: progress.peakMemory > 0 ? progress.peakMemory : exit.usage.peakMemory,
        isPeakMeasured: progress.peakMemory > 0, userTime: exit.usage.user, systemTime: exit.usage.system,
        elapsed: exit.time - started)
    }
  }

  /// Waits for the end; the command is killed after `timeout`, and that is an error.
  package func result(timeout: Duration = .seconds(60)) throws -> CommandResult {
    if let result = waitForExit(timeout: timeout) { return result }
    kill()
    throw CommandTimeout(description: "still running after \(timeout): \(name)\n\(error)")
  }

  private static func reap(_ pid: Int32, _ progress: Monitor<Progress>) {
    // The process stays a zombie, and its number its own, until no signal can be on its way.
    var information = siginfo_t()
    while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    let now = ContinuousClock.now
    progress.change { progress in
      var status: Int32 = 0
      var usage = rusage()
      wait4(pid, &status, 0, &usage)
      progress.exit = Exit(status: status, usage: Usage(usage), time: now)
    }
  }

  private static func read(_ progress: Monitor<Progress>, of pid: Int32) {
    while true {
      look(at: pid, progress)
      let channels = progress.read { $0.channels }
      guard !channels.isEmpty else { break }
      var entries = channels.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      // Short, so that `closeOutput` is noticed and a pipe held by a grandchild does not keep this thread.
      let ready = poll(&entries, nfds_t(entries.count), 20)
      let isOver = ready == 0 && progress.read { $0.isOver }
      for (channel, entry) in zip(channels, entries) {
        let isUnwanted = progress.read { channel.isOutput ? $0.isOutputUnwanted : $0.isErrorUnwanted }
        if isOver || isUnwanted || (entry.revents != 0 && !readOnce(channel, progress)) { end(channel, progress) }
      }
    }
    progress.change { $0.isRead = true }
  }

  /// The kernel's own high-water mark: what getrusage(2) tells begins with the memory of the tests, whose image the
  /// command was until it was executed.
  private static func look(at pid: Int32, _ progress: Monitor<Progress>) {
    // Until it is executed that is what it would tell, too.
    guard let program = image(of: "\(pid)"), program != image(of: "self") else { return }
    guard let status = try? OpenFile(path: "/proc/\(pid)/status"),
      let text = try? status.withPiece(at: 0, upTo: 8192, { String(decoding: $0, as: UTF8.self) }),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let peak = Int(line.filter(\.isNumber))
    else { return }
    progress.change { $0.peakMemory = max($0.peakMemory, peak) }
  }

  /// The program that a process runs; nil where there is none any more.
  private static func image(of process: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink("/proc/\(process)/exe", start, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  /// Reads what is there; false at the end. A terminal ends with EIO.
  private static func readOnce(_ channel: Channel, _ progress: Monitor<Progress>) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
      let count = Glibc.read(channel.descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return count < 0 && errno == EINTR }
      progress.change { progress in
        if channel.isOutput {
          progress.output.append(contentsOf: buffer[..<count])
        } else {
          progress.error.append(contentsOf: buffer[..<count])
        }
      }
      return true
    }
  }

  private static func end(_ channel: Channel, _ progress: Monitor<Progress>) {
    progress.change { progress in
      progress.channels.removeAll { $0.descriptor == channel.descriptor }
      if progress.terminal == channel.descriptor { progress.terminal = nil }
      close(channel.descriptor)
    }
  }
}
