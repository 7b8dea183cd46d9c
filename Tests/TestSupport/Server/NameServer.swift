internal import Glibc

/// A name server (RFC 1035) at 127.0.0.1:53 of a network of the test's own, whose every answer is decided by a script.
package final class NameServer: Sendable {
  /// What is answered to a question.
  package enum Answer: Sendable {
    /// The addresses of the kind that is asked for; none is an answer, too.
    case addresses([String])
    /// NXDOMAIN
    case noSuchName
    /// SERVFAIL: nothing is known for now.
    case failure
    /// Nothing comes back.
    case silence
  }

  private struct State: Sendable {
    var questions = 0
    var isStopping = false
    var isOver = false
  }

  private let state = Monitor(State())

  /// Answers questions for names, `index` of which came before. Called in a `NetworkNamespace`, which has nobody else's
  /// port 53. Throws `SystemCallFailure`.
  package init(script: @escaping @Sendable (_ name: String, _ index: Int) -> Answer) throws {
    let socket = try LoopbackAddress(port: 53).datagramSocket()
    do {
      try BackgroundThread.start { [state] in
        while !state.read(\.isStopping) { Self.answer(socket, state, script) }
        close(socket)
        state.change { $0.isOver = true }
      }
    } catch {
      close(socket)
      throw error
    }
  }

  deinit {
    state.change { $0.isStopping = true }
    _ = state.wait(timeout: .seconds(10)) { $0.isOver }
  }

  /// How many questions have come.
  package var questions: Int { state.read(\.questions) }

  private static func answer(_ socket: Int32, _ state: Monitor<State>, _ script: (String, Int) -> Answer) {
    // Short, so that the end of the server is noticed.
    var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 20) > 0 else { return }
    var buffer = [UInt8](repeating: 0, count: 512)
    var client = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &client) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(socket, &buffer, buffer.count, 0, $0, &length)
      }
    }
    guard count > 0, let question = NameQuestion(Array(buffer[..<count])) else { return }
    let index = state.change { state in
      defer { state.questions += 1 }
      return state.questions
    }
    guard let answer = question.message(for: script(question.name, index)) else { return }
    _ = withUnsafePointer(to: &client) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(socket, answer, answer.count, 0, $0, length) }
    }
  }
}

/// A question to a name server, and the messages that answer it (RFC 1035, section 4).
struct NameQuestion {
  let name: String
  private let identifier: ArraySlice<UInt8>
  private let question: ArraySlice<UInt8>
  private let isForIPv6: Bool

  /// Nil where it is none that can be answered here.
  init?(_ message: [UInt8]) {
    guard message.count > 12 else { return nil }
    var labels: [String] = []
    var position = 12
    while position < message.count, message[position] > 0 {
      let end = position + 1 + Int(message[position])
      guard end < message.count else { return nil }
      labels.append(String(decoding: message[position + 1..<end], as: UTF8.self))
      position = end
    }
    guard position + 5 <= message.count else { return nil }
    name = labels.joined(separator: ".")
    identifier = message[..<2]
    question = message[12..<position + 5]
    isForIPv6 = message[position + 2] == 28
  }

  /// Nil for silence.
  func message(for answer: NameServer.Answer) -> [UInt8]? {
    switch answer {
    case .addresses(let addresses): message(code: 0, addresses.compactMap(bytes))
    case .noSuchName: message(code: 3, [])
    case .failure: message(code: 2, [])
    case .silence: nil
    }
  }

  private func message(code: UInt8, _ addresses: [[UInt8]]) -> [UInt8] {
    // An answer, with recursion; one question; the name of each record is that of the question, it lives for no time.
    let head: [UInt8] = identifier + [0x81, 0x80 | code, 0, 1, 0, UInt8(addresses.count), 0, 0, 0, 0]
    var records: [UInt8] = []
    for address in addresses {
      records += [0xC0, 12, 0, isForIPv6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, UInt8(address.count)] + address
    }
    return head + question + records
  }

  /// The address, if it is of the kind asked for.
  private func bytes(_ address: String) -> [UInt8]? {
    guard address.contains(":") == isForIPv6 else { return nil }
    var bytes = [UInt8](repeating: 0, count: isForIPv6 ? 16 : 4)
    return inet_pton(isForIPv6 ? AF_INET6 : AF_INET, address, &bytes) == 1 ? bytes : nil
  }
}
