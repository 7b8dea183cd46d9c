import DownloadCore

/// Where the bytes of a file are while it is fetched, each at its own offset.
protocol ByteStore: Sendable {
  /// As it is shown to people.
  var shownName: String { get }
  /// Writes all of it. Throws `local`.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DownloadError)
  /// Reads up to the buffer's length; less where there is less. Throws `local`.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DownloadError) -> Int
}

extension PartFile: ByteStore {}
