import DownloadCore

/// Compares the end of what is here with the server's bytes, where no validator tells one version from another.
struct Sample {
  let pool: TransferPool
  let session: PartSession
  let resource: Resource

  /// In bytes.
  private static let length: Int64 = 64 << 10
  /// The probe's own transfer may be under way in slot 0.
  private static let slot = ConnectionLimit.most

  /// How the bytes differ; nil where they are the same.
  func compare() throws(DownloadError) -> String? {
    guard let last = session.ledger.covered.ranges.last else { return nil }
    let range = ByteRange(max(last.start, last.end - Self.length), last.end)
    var request = TransferRequest(url: resource.url, range: range, wanted: range)
    request.length = resource.length
    pool.start(request, slot: Self.slot)
    let theirs = try fetch()
    guard let theirs else { return "a sample of it could not be compared" }
    return try theirs == mine(range) ? nil : "a sample of its bytes differs"
  }

  /// The bytes; nil where the server does not give them.
  private func fetch() throws(DownloadError) -> [UInt8]? {
    let deadline = pool.now + pool.job.timeouts.stall
    while pool.now < deadline, let transfer = pool.transfers[Self.slot] {
      _ = try pool.wait(atMost: 0.1)
      if pool.transfers[Self.slot] == nil { return transfer.isComplete ? transfer.body : nil }
    }
    if let transfer = pool.transfers[Self.slot] { pool.stop(transfer) }
    return nil
  }

  private func mine(_ range: ByteRange) throws(DownloadError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(range.count))
    var failure: DownloadError?
    let count = bytes.withUnsafeMutableBytes { buffer -> Int in
      do throws(DownloadError) { return try session.part.read(into: buffer, at: range.start) } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return Array(bytes.prefix(count))
  }
}
