internal import Glibc

/// A terminal that can be looked at: tmux(1) with a server of its own, which is ended when this is let go of.
package final class TmuxTerminal: Sendable {
  private let folder: TemporaryFolder
  private let socket: String

  /// A window with bash in it, whose prompt is `$ `. Throws where tmux does not start.
  package init(columns: Int, rows: Int = 24, in workingFolder: String) throws {
    folder = try TemporaryFolder()
    socket = folder.path("socket")
    let shell = "env PS1='$ ' HISTFILE= bash --norc --noprofile"
    let size = ["-x", String(columns), "-y", String(rows)]
    // Without a status line the window is as large as is said here.
    let options = ["set", "-g", "status", "off", ";", "set", "-g", "default-terminal", "screen-256color", ";"]
    try tmux(options + ["new-session", "-d", "-c", workingFolder] + size + [shell])
    guard wait(until: { $0.text.contains("$") }) else {
      throw CommandTimeout(description: "no prompt: \(text)")
    }
  }

  deinit { _ = try? tmux(["kill-server"]) }

  /// What is to be seen.
  package struct Screen: Sendable {
    /// The rows down to the last that is not empty, without blanks at their ends.
    package let rows: [String]
    /// All rows in one text.
    package var text: String { rows.joined(separator: "\n") }
  }

  /// The window as it is now. `withShades`: the codes of shades and colours too; `withHistory`: also what has scrolled
  /// away.
  package func screen(withShades: Bool = false, withHistory: Bool = false) throws -> Screen {
    let options = (withShades ? ["-e"] : []) + (withHistory ? ["-S", "-"] : [])
    let text = try tmux(["capture-pane", "-p"] + options)
    let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return Screen(rows: Array(rows.reversed().drop { $0.isEmpty }.reversed()))
  }

  /// All that is to be seen now; nothing where tmux is gone.
  package var text: String { (try? screen().text) ?? "" }

  /// Types a line and presses Enter.
  package func type(_ line: String) throws {
    try tmux(["send-keys", "-l", line])
    try press("Enter")
  }

  /// Presses a key as tmux names it, such as `C-c`.
  package func press(_ key: String) throws { try tmux(["send-keys", key]) }

  /// Gives the window another size.
  package func resize(columns: Int, rows: Int = 24) throws {
    try tmux(["resize-window", "-x", String(columns), "-y", String(rows)])
  }

  /// Looks again and again until the window is as wanted; false if it is not before `timeout` has passed.
  package func wait(timeout: Duration = .seconds(30), until predicate: (Screen) -> Bool) -> Bool {
    let end = ContinuousClock.now + timeout
    repeat {
      if let screen = try? screen(), predicate(screen) { return true }
      poll(nil, 0, 50)
    } while ContinuousClock.now < end
    return false
  }

  @discardableResult
  private func tmux(_ words: [String]) throws -> String {
    var runner = CommandRunner("tmux", ["-S", socket, "-f", "/dev/null"] + words)
    runner.environment = ["TMUX": nil]
    let result = try runner.run(timeout: .seconds(20))
    guard result.exitCode == 0 else { throw CommandTimeout(description: "tmux \(words): \(result.error)") }
    return result.output
  }
}
