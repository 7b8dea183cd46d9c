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

  /// Removes what is left beside the file, but for a manifest that is kept on purpose, or is to be. Throws `locked` where
  /// the run that made it is still about to.
  func settle(keeping: Bool = false) throws(DownloadError) {
    guard manifest.finished != true else { return }
    do throws(Errno) {
      guard let file = try folder.open(name, O_RDONLY) else { return }
      guard try file.status().isSameFile(as: status) else { return }
      try file.lock(.whole)
    } catch {
      guard error.code != EWOULDBLOCK else {
        throw .locked(folder.shown(name))
      }
    }
    try folder.remove(name + PartFile.suffix)
    let file = ManifestFile(folder: folder, name: name)
    guard keeping else { return try file.remove() }
    var kept = manifest
    kept.finished = true
    kept.digests = Manifest.write(manifest.digestsToCompare)
    kept.announced = nil
    try file.save(kept, ticket: file.ticket(), synced: true)
  }
}
