import DownloadCore
import Synchronization

/// The names that the files of one command have or will have: two URLs may get the same name from their servers, and the
/// second is then not the first one's file, whatever its length and time say. Nor can a file have the name of a folder that
/// another one goes into.
///
/// Of a million names, and of their folders, only hashes of 64 bits are kept. Two names with the same one, which a million
/// names have with a chance of 1 to 37 million, are taken for one: the second file is refused, nothing is overwritten, and
/// the next run, whose hashes are others, fetches it.
package final class TakenNames: Sendable {
  private struct State {
    /// Of files.
    var names: Set<Int> = []
    /// Of what leads to them.
    var folders: Set<Int> = []
    /// Of folders that were typed as a file's name, and are here.
    var typed: Set<Int> = []
  }

  /// Whether a name can be had.
  enum Answer: Hashable, Sendable {
    case free
    case anotherFile
    /// It is on the way to another file.
    case folder
    /// So is, on the way to this one, what was typed as another one's name.
    case fileInTheWay
  }

  private let state = Mutex(State())

  /// None.
  package init() {}

  fileprivate func take(_ path: HashedPath) -> Answer {
    state.withLock { state in
      var folders = path.folders[...]
      if path.folderIsTyped, let typed = folders.popLast() {
        guard !state.folders.contains(typed) else { return .folder }
        state.typed.insert(typed)
      }
      guard !state.folders.contains(path.name) else { return .folder }
      guard state.names.isDisjoint(with: path.folders), state.typed.isDisjoint(with: folders) else {
        return .fileInTheWay
      }
      guard state.names.insert(path.name).inserted else { return .anotherFile }
      state.folders.formUnion(folders)
      return .free
    }
  }
}

/// The names that one file has taken.
final class NameClaim: Sendable {
  private let names: TakenNames
  private let own = Mutex<Set<Int>>([])

  init(in names: TakenNames) { self.names = names }

  /// Takes a name in the folder of a target, as typed.
  func take(_ name: String, in target: DownloadRequest.Target) -> TakenNames.Answer {
    let path = HashedPath(name, in: target)
    return own.withLock { own in
      guard !own.contains(path.name) else { return .free }
      let answer = names.take(path)
      if answer == .free { own.insert(path.name) }
      return answer
    }
  }

  /// Takes a name that the server gives. Throws where it cannot be had.
  func claim(_ name: String, in target: DownloadRequest.Target, shown path: String) throws(DownloadError) {
    switch take(name, in: target) {
    case .free: return
    case .folder: throw .folderExists(path)
    case .anotherFile, .fileInTheWay: throw .nameTaken(path)
    }
  }
}

/// `d`, `d/` and `./d` are one folder, and `.` is none.
private struct HashedPath {
  /// Of all folders that lead to the file, the outermost first.
  var folders: [Int] = []
  let name: Int
  let folderIsTyped: Bool

  init(_ name: String, in target: DownloadRequest.Target) {
    var hasher = Hasher()
    hasher.combine(target.folder.hasPrefix("/"))
    for part in target.folder.split(separator: "/") where part != "." {
      hasher.combine(part)
      folders.append(hasher.finalize())
    }
    hasher.combine(name[...])
    self.name = hasher.finalize()
    folderIsTyped = target.isFolderTypedAsName
  }
}
