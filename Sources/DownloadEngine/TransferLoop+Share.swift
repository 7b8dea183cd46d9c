import DownloadCore

/// Downloads side by side.
extension TransferLoop {
  /// Takes no more connections than the downloads beside this one leave, and gives those back that are too many.
  func heedShare() {
    guard let share = pool.share() else { return }
    for slot in scheduler.cap(share) {
      guard let transfer = pool.transfers[slot] else { continue }
      pool.cutOff(transfer)
      onEvent(pool.trace(slot, TraceText.end(transfer) + ", for another file"))
    }
  }
}
