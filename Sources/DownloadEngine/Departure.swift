import DownloadCore

/// What is saved when a download ends before the file is complete.
struct Departure {
  let pool: TransferPool
  let session: PartSession

  /// Pieces that transfers had open are in the ledger already.
  func save(after error: DownloadError) throws(DownloadError) {
    if session.part.isNew, session.ledger.done == 0 { return try session.discard() }
    guard session.checkpoints.failure == nil else { return try session.saveDurable() }
    if case .interrupted = error.failure { return try session.saveAtOnce() }
    try session.saveInBackground()
    do throws(DownloadError) {
      while !session.checkpoints.isIdle { _ = try pool.wait(atMost: 0.1) }
      try session.checkpoints.check()
      if let error = session.checkpoints.unsaved { throw error }
    } catch {
      if session.checkpoints.failure != nil {
        try session.saveDurable()
        throw error
      }
      guard case .interrupted = error.failure else { throw error }
      try session.saveAtOnce()
    }
  }
}
