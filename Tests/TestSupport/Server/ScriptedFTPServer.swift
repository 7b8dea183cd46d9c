internal import Cprocess
internal import Glibc

/// An FTP server (RFC 959, 3659) on 127.0.0.1 that serves one content under every path, and does its worst where a
/// script says so.
package final class ScriptedFTPServer: Sendable {
  /// What it does at a command.
  package enum Answer: Sendable {
    /// As a good server does.
    case good
    /// Says just this, a line or several, and goes on.
    case reply(String)
    /// Says nothing, ever.
    case silence
    /// Ends the control connection.
    case hangUp
    /// At RETR: of the file's bytes only so many come before both connections end.
    case cut(after: Int64)
    /// At RETR: the file from 0, whatever REST asked for.
    case fromTheStart
    /// At RETR: from so many bytes behind where REST asked for it.
    case tooLate(Int64)
    /// At RETR: all is sent, and the last word never comes.
    case withoutLastWord
  }

  /// What to answer to a command, `RETR file.bin`, or to a connection, ``; `number`: how often it was asked, from 0.
  package typealias Script = @Sendable (_ command: String, _ number: Int) -> Answer

  struct State: Sendable {
    var commands: [String] = []
    var sockets: Set<Int32> = []
    var threads = 0
    var isStopping = false
  }

  package let port: UInt16
  let content: Content
  let script: Script
  let state = Monitor(State())
  private let listener: Int32

  /// Throws `SystemCallFailure`.
  package init(_ content: Content, script: @escaping Script = { _, _ in .good }) throws {
    self.content = content
    self.script = script
    listener = try LoopbackAddress(port: 0).listen()
    port = try LoopbackAddress.port(of: listener)
    state.change { $0.threads += 1 }
    try BackgroundThread.start { [weak self, listener, state] in
      while !state.read(\.isStopping) {
        let descriptor = swoop_accept(listener)
        guard descriptor >= 0 else { continue }
        guard let self else {
          close(descriptor)
          break
        }
        self.serve(descriptor)
      }
      close(listener)
      state.change { $0.threads -= 1 }
    }
  }

  deinit { stop() }

  package func url(_ path: String = "/file.bin") -> String { "ftp://127.0.0.1:\(port)\(path)" }

  /// Every command so far, of all connections.
  package var commands: [String] { state.read(\.commands) }

  /// Waits until the commands are as wanted; false after `timeout`.
  package func wait(timeout: Duration = .seconds(20), until predicate: ([String]) -> Bool) -> Bool {
    state.wait(timeout: timeout) { predicate($0.commands) }
  }

  private func stop() {
    state.change { state in
      state.isStopping = true
      shutdown(listener, Int32(SHUT_RDWR))
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  private func serve(_ descriptor: Int32) {
    state.change { state in
      state.sockets.insert(descriptor)
      state.threads += 1
    }
    let session = FTPSession(control: Socket(descriptor: descriptor), content: content, script: script, state: state)
    let work: @Sendable () -> Void = { [state] in
      session.run()
      state.change { state in
        state.sockets.remove(descriptor)
        state.threads -= 1
      }
      close(descriptor)
    }
    do { try BackgroundThread.start(work) } catch { work() }
  }
}
