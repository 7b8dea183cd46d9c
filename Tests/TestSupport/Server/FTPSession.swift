internal import Cprocess
internal import Glibc

/// One control connection of a scripted FTP server.
struct FTPSession: Sendable {
  let control: Socket
  let content: Content
  let script: ScriptedFTPServer.Script
  let state: Monitor<ScriptedFTPServer.State>

  private struct Progress {
    var rest: Int64 = 0
    /// Where the next data connection is to come.
    var listener: Int32?
  }

  func run() {
    var progress = Progress()
    defer { if let listener = progress.listener { close(listener) } }
    guard answer("", &progress, { "220 hello" }) else { return }
    var pending: [UInt8] = []
    while let line = nextLine(&pending) {
      guard obey(line, &progress) else { return }
    }
  }

  private func nextLine(_ pending: inout [UInt8]) -> String? {
    while true {
      if let end = pending.firstIndex(of: 0x0A) {
        defer { pending.removeFirst(end + 1) }
        return String(decoding: pending[..<end].filter { $0 != 0x0D }, as: UTF8.self)
      }
      let piece = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
        control.receive(into: buffer).map { Array(buffer[..<$0]) } ?? []
      }
      guard !piece.isEmpty else { return nil }
      pending += piece
    }
  }

  /// False at the end of the connection.
  private func obey(_ line: String, _ progress: inout Progress) -> Bool {
    let verb = line.prefix { $0 != " " }
    return answer(line, &progress) {
      switch verb {
      case "USER": "331 password, please"
      case "PASS": "230-welcome\r\n230 in"
      case "PWD": "257 \"/\""
      case "CWD": "250 there"
      case "TYPE": "200 so be it"
      case "SIZE": "213 \(content.length)"
      case "MDTM": "213 20200101000001"
      case "REST": "350 from there"
      case "QUIT": "221 bye"
      default: "502 no such command"
      }
    }
  }

  private func answer(_ line: String, _ progress: inout Progress, _ good: () -> String) -> Bool {
    let number = state.change { state in
      if !line.isEmpty { state.commands.append(line) }
      return state.commands.count { $0 == line } - (line.isEmpty ? 0 : 1)
    }
    let answer = script(line, number)
    switch answer {
    case .reply(let text): return say(text)
    case .silence:
      control.waitForEnd()
      return false
    case .hangUp: return false
    case .good, .cut, .fromTheStart, .tooLate, .withoutLastWord:
      if line.hasPrefix("RETR ") { return retrieve(answer, &progress) }
      if line == "EPSV" { return listen(&progress) }
      if line.hasPrefix("REST ") { progress.rest = Int64(line.dropFirst(5)) ?? 0 }
      return say(good()) && line != "QUIT"
    }
  }

  private func say(_ text: String) -> Bool {
    Array((text + "\r\n").utf8).withUnsafeBytes { control.send($0) }
  }

  private func listen(_ progress: inout Progress) -> Bool {
    if let old = progress.listener { close(old) }
    progress.listener = nil
    guard let listener = try? LoopbackAddress(port: 0).listen(), let port = try? LoopbackAddress.port(of: listener)
    else { return false }
    progress.listener = listener
    return say("229 come in (|||\(port)|)")
  }

  /// Data, and the last word on them.
  private func retrieve(_ answer: ScriptedFTPServer.Answer, _ progress: inout Progress) -> Bool {
    guard let listener = progress.listener else { return say("425 no data connection") }
    let descriptor = swoop_accept(listener)
    guard descriptor >= 0 else { return false }
    state.change { _ = $0.sockets.insert(descriptor) }
    defer {
      state.change { _ = $0.sockets.remove(descriptor) }
      close(descriptor)
    }
    guard say("150 here it comes") else { return false }
    var (start, end) = (progress.rest, content.length)
    progress.rest = 0
    if case .fromTheStart = answer { start = 0 }
    if case .tooLate(let bytes) = answer, start > 0 { start += bytes }
    if case .cut(let after) = answer { end = min(end, start + after) }
    guard send(start..<max(start, end), over: Socket(descriptor: descriptor)) else { return say("426 gone") }
    if case .cut = answer { return false }
    shutdown(descriptor, Int32(SHUT_WR))
    if case .withoutLastWord = answer {
      control.waitForEnd()
      return false
    }
    return say("226 that is all")
  }

  private func send(_ range: Range<Int64>, over data: Socket) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Int(min(range.upperBound - offset, 64 << 10))
      let sent = try? content.withPiece(at: offset, upTo: count) { piece in data.send(piece) ? piece.count : 0 }
      guard let sent, sent > 0 else { return false }
      offset += Int64(sent)
    }
    return true
  }
}
