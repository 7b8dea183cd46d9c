internal import Glibc

/// A connection to a loopback port that sends text and reads what comes, for tests of the server itself.
package final class RawClient: Sendable {
  private let socket: Socket

  /// Connects.
  package init(port: UInt16, isIPv6: Bool = false) throws {
    socket = Socket(descriptor: try LoopbackAddress(port: port, isIPv6: isIPv6).connect())
  }

  deinit {
    close(socket.descriptor)
  }

  /// Sends a text as it is.
  package func send(_ text: String) throws {
    guard Array(text.utf8).withUnsafeBytes({ socket.send($0) }) else { throw SystemCallFailure("send") }
  }

  /// Sends a request for a path with these fields; the connection is kept unless a field says otherwise.
  package func request(_ method: String = "GET", _ path: String = "/file.bin", _ fields: HTTPFields = [:]) throws {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for field in fields.fields { text += "\(field.name): \(field.value)\r\n" }
    try send(text + "\r\n")
  }

  /// Reads an answer's head, and as many bytes of body as its Content-Length says.
  package func response(hasBody: Bool = true) throws -> RawResponse {
    var head: [UInt8] = []
    while !head.ends(with: "\r\n\r\n") { head += try read(1) }
    let response = RawResponse(head: String(decoding: head, as: UTF8.self), body: [])
    guard hasBody, let length = response.fields["Content-Length"].flatMap({ Int($0) }) else { return response }
    return RawResponse(head: response.head, body: try read(length))
  }

  /// Reads exactly so many bytes. Throws at the end of the connection and at its reset.
  package func read(_ count: Int) throws -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let received = result.withUnsafeMutableBytes { socket.receive(into: .init(rebasing: $0[filled...])) }
      guard let received else { throw SystemCallFailure("recv") }
      guard received > 0 else { throw SystemCallFailure("recv: the end", code: EPIPE) }
      filled += received
    }
    return result
  }

  /// Reads until the connection ends, and says whether it was reset.
  package func readToEnd() -> (bytes: [UInt8], wasReset: Bool) {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      guard let count = buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) else { return (result, true) }
      guard count > 0 else { return (result, false) }
      result += buffer[..<count]
    }
  }
}

/// An answer as it came.
package struct RawResponse: Sendable {
  /// The status line, the fields and the empty line.
  package let head: String
  /// The body.
  package let body: [UInt8]

  /// The status code; 0 if there is none.
  package var status: Int {
    head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// The header fields.
  package var fields: HTTPFields {
    var fields = HTTPFields()
    for line in head.split(separator: "\r\n").dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields.append(String(parts[0]), String(parts[1].drop { $0 == " " })) }
    }
    return fields
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
