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
    let beginning = try session.bytes(of: ByteRange(0, count))
    guard beginning.count >= Self.leastCompared else { return false }
    let found = try session.bytes(of: ByteRange(start, start + Int64(beginning.count)))
    return beginning == found && beginning.contains { $0 != beginning[0] }
  }

  /// Whether the file ends before its end, at the same place twice, for who was told where to begin: then it began behind
  /// that, and everything that came so lies elsewhere.
  func endsShortAgain(_ transfer: Transfer, _ code: CurlCode) -> Bool {
    guard transfer.request.url.isFTP, transfer.isPart, transfer.request.wanted.start > 0, code.isShortFile,
      transfer.end == resource.length
    else { return false }
    defer { lastEarlyEnd = transfer.position }
    return lastEarlyEnd == transfer.position
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
}
