import DownloadCore

/// The folders of many files, each opened, and made where it is missing, once.
struct FolderCache {
  private var folders: [String: Folder] = [:]

  /// So many are open at once; of lists with more each is opened again now and then.
  private static let most = 64

  /// Throws `local` where no file can be made there.
  mutating func folder(_ path: String, in files: any FileSystem) throws(DownloadError) -> Folder {
    if let folder = folders[path] { return folder }
    if folders.count >= Self.most { folders = [:] }
    let folder = try Folder.open(path, in: files)
    folders[path] = folder
    return folder
  }

  /// Removes those that were made and have nothing in them.
  func removeUnused() {
    for folder in folders.values { folder.removeIfUnused() }
  }
}
