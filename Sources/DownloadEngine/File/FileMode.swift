import Glibc
import Synchronization

/// The mode of finished files: what umask(2) leaves of 0666.
enum FileMode {
  private static let mask = Mutex<mode_t?>(nil)

  /// Reads the mask, once. The call sets it for a moment: no file may be made by another thread meanwhile.
  static func readMask() {
    mask.withLock {
      guard $0 == nil else { return }
      let old = umask(0o022)
      umask(old)
      $0 = old
    }
  }

  static var finished: mode_t { 0o666 & ~(mask.withLock { $0 } ?? 0o022) }
}
