/// The last line of a reply of an FTP server (RFC 959, section 4.2).
package struct FTPReply: Hashable, Sendable {
  /// Three digits, the first from 1 to 5.
  package let code: Int
  /// As received: to be sanitised before it is shown.
  package let text: String

  /// Reads a line with or without its end. Nil for one that another line of the same reply follows, `123-`, and for
  /// what begins no reply.
  package init?(_ line: some Collection<UInt8>) {
    let bytes = Array(line.prefix { $0 != 0x0D && $0 != 0x0A })
    guard bytes.count >= 3, bytes[..<3].allSatisfy({ (0x30...0x39).contains($0) }), (0x31...0x35).contains(bytes[0]),
      bytes.count == 3 || bytes[3] == UInt8(ascii: " ")
    else { return nil }
    code = bytes[..<3].reduce(0) { $0 * 10 + Int($1 - 0x30) }
    text = String(decoding: bytes.dropFirst(4), as: UTF8.self)
  }

  /// The file's bytes come now (125 and 150; 126 is said by some old servers).
  package var beginsData: Bool { [125, 126, 150].contains(code) }

  /// Of SIZE and MDTM (213) what follows is a number, of MDTM perhaps with a fraction (RFC 3659, sections 2.3 and 4.1).
  package var isSound: Bool {
    guard code == 213 else { return true }
    let number = text.utf8.prefix { $0 != UInt8(ascii: ".") && $0 != 0x20 }
    return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) } && Int64(String(number) ?? "") != nil
  }

  /// As a status.
  package var status: HTTPStatus { HTTPStatus(reply: code) }
}
