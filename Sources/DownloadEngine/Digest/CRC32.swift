import Czlib
import DownloadCore

/// zlib's CRC-32.
enum CRC32 {
  static func update(_ crc: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    guard let base = bytes.baseAddress else { return crc }
    return UInt32(crc32_z(UInt(crc), base.assumingMemoryBound(to: UInt8.self), bytes.count))
  }

  /// The CRC-32 of two touching ranges, from those of each and the second one's length in bytes.
  static func combine(_ first: UInt32, _ second: UInt32, _ secondLength: Int64) -> UInt32 {
    UInt32(crc32_combine(UInt(first), UInt(second), Int(secondLength)))
  }

  static var libraryVersion: String { String(cString: zlibVersion()) }
}
