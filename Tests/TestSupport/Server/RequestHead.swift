/// The request line and the fields of a request.
struct RequestHead {
  let method: String
  let target: String
  let fields: HTTPFields
  /// Whether the client wants the connection closed after the answer.
  let wantsClose: Bool

  /// Parses a head without its empty line; nil if it is none.
  init?(_ bytes: some Collection<UInt8>) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
    var fields = HTTPFields()
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      fields.append(String(line[..<colon]), String(value))
    }
    method = String(words[0])
    target = String(words[1])
    self.fields = fields
    let connection = fields["Connection"]?.lowercased()
    wantsClose = connection == "close" || (words[2] == "HTTP/1.0" && connection != "keep-alive")
  }
}

/// Collects what a connection receives, and cuts it into request heads.
struct RequestBuffer {
  private static let longestHead = 256 << 10
  private var bytes: [UInt8] = []

  /// Reads until a head is complete; nil at the end of the connection or for what is no request.
  mutating func next(from socket: Socket) -> RequestHead? {
    while true {
      if let end = endOfHead() {
        let head = RequestHead(bytes[..<end])
        bytes.removeFirst(end + 4)
        return head
      }
      guard bytes.count < Self.longestHead, receive(from: socket) else { return nil }
    }
  }

  private mutating func receive(from socket: Socket) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      guard let count = socket.receive(into: buffer), count > 0 else { return false }
      bytes.append(contentsOf: buffer[..<count])
      return true
    }
  }

  private func endOfHead() -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (0...bytes.count - 4).first { index in
      bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10
    }
  }
}
