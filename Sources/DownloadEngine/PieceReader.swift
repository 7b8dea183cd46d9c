import DownloadCore

/// Reads segments of an open file, piece by piece, with one buffer.
struct PieceReader: ~Copyable {
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)

  deinit { buffer.deallocate() }

  /// Calls `use` with bytes and their offset in the file at the server, which is `base` more than here; with fewer, or
  /// none, where the file ends before the range does. Throws what `use` throws, and `local`.
  func read(
    _ range: ByteRange, base: Int64, of file: borrowing FileDescriptor, _ shown: String,
    _ use: (UnsafeRawBufferPointer, Int64) throws(DownloadError) -> Void
  ) throws(DownloadError) {
    var offset = range.start
    while offset < range.end {
      let wanted = Int(min(Int64(buffer.count), range.end - offset))
      let count: Int
      do throws(Errno) {
        count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset - base)
      } catch {
        throw .local("read", shown, error)
      }
      try use(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset)
      guard count == wanted else { return }
      offset += Int64(count)
    }
  }
}
