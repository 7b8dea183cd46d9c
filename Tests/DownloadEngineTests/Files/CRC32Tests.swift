import TestSupport
import Testing

@testable import DownloadEngine

/// CRC-32 by the library, against the definition: a bit at a time (ISO 3309).
@Suite struct CRC32Tests {
  private static let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 151 + $0 / 32) }

  private static func slow(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var word = UInt32.max
    for byte in bytes {
      word ^= UInt32(byte)
      for _ in 0..<8 { word = word & 1 == 1 ? (word >> 1) ^ 0xEDB8_8320 : word >> 1 }
    }
    return ~word
  }

  private static func crc(_ range: Range<Int>, after start: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { CRC32.update(start, UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  @Test func hasTheCheckValue() {
    let crc = Array("123456789".utf8).withUnsafeBytes { CRC32.update(0, $0) }
    #expect(crc == 0xCBF4_3926)
    #expect(CRC32.update(7, UnsafeRawBufferPointer(start: nil, count: 0)) == 7)
  }

  /// Every length up to what the widest registers take at once, from every place in a word, and longer ones.
  @Test func isRightForEveryLengthAndPlace() {
    for start in 0..<16 {
      for count in Array(0..<100) + [127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 4097, 4984] {
        #expect(Self.crc(start..<start + count) == Self.slow(Self.bytes[start..<start + count]), "\(start) \(count)")
      }
    }
  }

  @Test func goesOnAndCombines() {
    let whole = Self.slow(Self.bytes)
    for cut in Array(0..<300) + Array(4700...5000) {
      #expect(Self.crc(cut..<5000, after: Self.crc(0..<cut)) == whole)
      #expect(CRC32.combine(Self.crc(0..<cut), Self.crc(cut..<5000), Int64(5000 - cut)) == whole)
    }
  }

  /// Lengths of which nobody computes a checksum in a test: it does not matter which two of three are combined first.
  @Test(arguments: [1 << 20, 1 << 32, (1 << 33) + 1, 1 << 50, 1 << 60] as [Int64])
  func combinesAcrossLongPieces(_ length: Int64) {
    let (first, second, third) = (Self.crc(0..<10), Self.crc(10..<900), Self.crc(900..<5000))
    let left = CRC32.combine(CRC32.combine(first, second, length), third, length + 5)
    let right = CRC32.combine(first, CRC32.combine(second, third, length + 5), length + length + 5)
    #expect(left == right && left != CRC32.combine(first, second, length))
  }
}
