internal import Glibc

/// Writes bytes to descriptors, however short the writes.
enum FileWriter {
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    try bytes.withUnsafeBytes { try write($0, to: descriptor) }
  }

  static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
    var rest = bytes
    while !rest.isEmpty {
      let written = try checked("write") { Glibc.write(descriptor, rest.baseAddress, rest.count) }
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    }
  }
}
