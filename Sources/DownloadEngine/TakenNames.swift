import DownloadCore
import Synchronization

/// The names that the files of one command have or will have: two URLs may get the same name from their servers, and the
/// second is then not the first one's file, whatever its length and time say.
///
/// Of a million names only hashes of 64 bits are kept. Two names with the same one, which a million names have with a
/// chance of 1 to 37 million, are taken for one: the second file is refused, nothing is overwritten, and the next run, whose
/// hashes are others, fetches it.
package final class TakenNames: Sendable {
  private let hashes = Mutex<Set<Int>>([])

  /// None.
  package init() {}

  fileprivate func take(_ hash: Int) -> Bool { hashes.withLock { $0.insert(hash).inserted } }
}

/// The names that one file has taken.
final class NameClaim: Sendable {
  private let names: TakenNames
  private let own = Mutex<Set<Int>>([])

  init(in names: TakenNames) { self.names = names }

  /// Takes a name in a folder, as typed; false where another file has it.
  func take(_ name: String, in folder: String) -> Bool {
    let hash = Self.hash(name, in: folder)
    return own.withLock { own in
      guard !own.contains(hash) else { return true }
      guard names.take(hash) else { return false }
      own.insert(hash)
      return true
    }
  }

  /// `d`, `d/` and `./d` are one folder, and `.` is none.
  private static func hash(_ name: String, in folder: String) -> Int {
    var hasher = Hasher()
    hasher.combine(folder.hasPrefix("/"))
    for part in folder.split(separator: "/") where part != "." { hasher.combine(part) }
    hasher.combine(name)
    return hasher.finalize()
  }
}
