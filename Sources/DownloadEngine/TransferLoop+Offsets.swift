import DownloadCore

/// Where the bytes of an FTP server belong: it says yes to an offset (REST), and nothing in its answer proves it.
extension TransferLoop {
  /// So many bytes of a range are compared with the file's beginning, and no fewer than the least.
  private static let mostCompared: Int64 = 1 << 20
  private static let leastCompared: Int64 = 512

  /// Whether what came by an offset is the file's beginning: then the server does not know offsets, whatever it says. A
  /// stretch of one byte alone shows nothing.
  func beganElsewhere(_ transfer: Transfer) throws(DownloadError) -> Bool {
    guard transfer.request.url.isFTP, transfer.isPart, transfer.request.wanted.start > 0 else { return false }
    let start = transfer.request.wanted.start
    let count = min(min(transfer.position - start, start), min(prefixWritten, Self.mostCompared))
    guard count >= Self.leastCompared else { return false }
    let (beginning, found) = (try written(ByteRange(0, count)), try written(ByteRange(start, start + count)))
    return beginning == found && beginning.contains { $0 != beginning[0] }
  }

  /// No byte that came by an offset is where it belongs.
  func beginWithoutOffsets() throws(DownloadError) {
    onEvent(.restarted("the server does not begin where it is told to: beginning again, over one connection"))
    var resource = resource
    resource.offersRanges = false
    try restart(resource, asStream: true)
  }

  private var prefixWritten: Int64 {
    session.writer.contiguousEnd(from: 0, pieces: pool.transfers.values.map(\.uncommitted))
  }

  private func written(_ range: ByteRange) throws(DownloadError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(range.count))
    var result: Result<Int, DownloadError> = .success(0)
    bytes.withUnsafeMutableBytes { buffer in
      result = Result { () throws(DownloadError) in try session.part.read(into: buffer, at: range.start) }
    }
    return Array(bytes.prefix(try result.get()))
  }
}
