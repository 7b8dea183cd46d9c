import DownloadCore

/// What is saved when a download ends before the file is complete.
struct Departure {
  let pool: TransferPool
  let session: PartSession

  /// Pieces that transfers had open are in the ledger already. False where nothing was worth keeping.
  func save(after error: DownloadError) throws(DownloadError) -> Bool {
    // Where the part was removed, nothing is left; the names that it had may be another run's.
    guard try session.part.isNamed() else { return false }
    // Of an empty file the part is all there is, and what a bad disk has made of one may be wanted.
    if session.part.isNew || session.part.place != nil, session.ledger.done == 0, !session.isRefuted {
      try session.discard()
      return false
    }
    if session.checkpoints.failure != nil {
      try session.saveDurable()
    } else if case .interrupted = error.failure {
      try session.saveAtOnce()
    } else {
      try saveDurably()
    }
    return true
  }

  private func saveDurably() throws(DownloadError) {
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
