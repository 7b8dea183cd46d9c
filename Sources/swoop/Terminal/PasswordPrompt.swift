internal import DownloadCore
internal import Glibc

/// Asks for a password on the terminal, unseen. The terminal is put right again whatever ends the question.
struct PasswordPrompt {
  private let terminal: Int32
  private let usual: termios
  private var signals = sigset_t()

  private static let longest = 4096

  /// To be called while the process still has one thread, and before signals are blocked for a download.
  static func ask(for user: String) throws(DownloadError) -> String {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { throw .usage("--user needs NAME:PASSWORD: there is no terminal to ask on") }
    defer { close(terminal) }
    guard let prompt = PasswordPrompt(terminal) else { throw .usage("--user: the terminal cannot hide a password") }
    return try prompt.run("swoop: password for \(user.printable): ")
  }

  private init?(_ terminal: Int32) {
    var usual = termios()
    guard tcgetattr(terminal, &usual) == 0 else { return nil }
    self.terminal = terminal
    self.usual = usual
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
  }

  /// Signals are taken one by one while waiting, so that none finds the terminal without its echo.
  private func run(_ question: String) throws(DownloadError) -> String {
    var blocked = signals
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    hideEcho()
    defer { restoreEcho() }
    _ = Output.write(question, to: terminal)
    while !inputIsReady() {
      if let signal = pendingSignal() { deliver(signal, question, before) }
    }
    let password = readLine()
    _ = Output.write("\n", to: terminal)
    guard let password else { throw .usage("--user: no password was given") }
    return password
  }

  /// Does with a signal what it does otherwise. Where that was not the end (stopped and continued, or ignored), asks on.
  private func deliver(_ signal: Int32, _ question: String, _ mask: sigset_t) {
    var outer = mask
    var inner = signals
    restoreEcho()
    raise(signal)
    pthread_sigmask(SIG_SETMASK, &outer, nil)
    pthread_sigmask(SIG_BLOCK, &inner, nil)
    hideEcho()
    _ = Output.write("\r" + question, to: terminal)
  }

  private func pendingSignal() -> Int32? {
    var set = signals
    var none = timespec()
    let signal = sigtimedwait(&set, nil, &none)
    return signal > 0 ? signal : nil
  }

  private func inputIsReady() -> Bool {
    var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 100) > 0
  }

  private func readLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < Self.longest {
      let count = read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return nil }
      guard byte != UInt8(ascii: "\n") else { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  private func hideEcho() {
    var hidden = usual
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(terminal, TCSAFLUSH, &hidden)
  }

  private func restoreEcho() {
    var original = usual
    tcsetattr(terminal, TCSADRAIN, &original)
  }
}
