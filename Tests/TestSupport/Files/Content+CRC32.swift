extension Content {
  /// The CRC-32 of a range, as eight hexadecimal digits; not by the library that is under test.
  package func crc32(of range: Range<Int64>) throws -> String {
    var crc: UInt32 = ~0
    var offset = range.lowerBound
    while offset < range.upperBound {
      try withPiece(at: offset, upTo: Int(min(range.upperBound - offset, 256 << 10))) { piece in
        crc = Self.crc32(crc, piece)
        offset += Int64(piece.count)
      }
    }
    return Self.digits(of: ~crc)
  }

  /// The same of bytes in memory.
  package static func crc32(of bytes: [UInt8]) -> String { digits(of: ~bytes.withUnsafeBytes { crc32(~0, $0) }) }

  private static func digits(of crc: UInt32) -> String {
    let digits = String(crc, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  private static func crc32(_ start: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var crc = start
      var index = 0
      while index < bytes.count {
        crc = table[Int((crc ^ UInt32(bytes[index])) & 0xFF)] ^ (crc >> 8)
        index += 1
      }
      return crc
    }
  }
}
