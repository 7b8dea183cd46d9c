import DownloadCore
import Glibc

/// A finished file beside which its manifest still lies, and perhaps its part as a second name: what a run leaves that
/// is killed in the middle of its last steps.
struct FinishedFile {
  let manifest: Manifest
  private let folder: Folder
  private let name: String
  private let status: FileStatus

  /// In bytes.
  var length: Int64 { status.size }

  /// Nil where the file of this name is not the one that the manifest beside it describes.
  init?(in folder: Folder, name: String) throws(DownloadError) {
    guard let status = try folder.status(of: name), status.kind == .regular,
      case .success(let manifest)? = try? ManifestFile(folder: folder, name: name).load(),
      manifest.describes(finished: status.identity, length: status.size, modified: status.modifiedSeconds)
    else { return nil }
    if let part = try folder.status(of: name + PartFile.suffix), !part.isSameFile(as: status) { return nil }
    self.manifest = manifest
    self.folder = folder
    self.name = name
    self.status = status
  }

  /// Removes what is left beside the file, but for a manifest that is kept on purpose, or is to be. False: there was
  /// nothing left to do, as the run that made the file has meanwhile done it. Throws `locked` where that run is still
  /// about to.
  @discardableResult
  func settle(keeping: Bool = false) throws(DownloadError) -> Bool {
    guard manifest.finished != true, let held = try lock() else { return false }
    return try finish(held, keeping: keeping)
  }

  /// Nil where the name leads to another file by now, or to none that can be opened.
  private func lock() throws(DownloadError) -> FileDescriptor? {
    do throws(Errno) {
      guard let file = try folder.open(name, O_RDONLY), try file.status().isSameFile(as: status) else { return nil }
      // A file system without locks is no reason to leave things lying about.
      do throws(Errno) { try file.lock(.whole) } catch { if error.code == EWOULDBLOCK { throw error } }
      return file
    } catch {
      if error.code == EWOULDBLOCK { throw .locked(folder.shown(name)) }
      return nil
    }
  }

  private func finish(_ held: borrowing FileDescriptor, keeping: Bool) throws(DownloadError) -> Bool {
    // What was there before the lock was had may have been the run's that had it.
    guard let left = try FinishedFile(in: folder, name: name), left.manifest == manifest else { return false }
    try folder.remove(name + PartFile.suffix)
    let file = ManifestFile(folder: folder, name: name)
    guard keeping else {
      try file.remove()
      return true
    }
    var kept = manifest
    kept.finished = true
    kept.digests = Manifest.write(manifest.digestsToCompare)
    kept.announced = nil
    try file.save(kept, ticket: file.ticket(), synced: true)
    return true
  }
}
