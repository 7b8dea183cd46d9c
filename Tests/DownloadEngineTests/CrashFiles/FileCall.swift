/// The calls of `FileSystem`, each of which can fail.
enum FileCall: String, Hashable, Sendable, CaseIterable {
  case open, close, flush, status, statusOfName, access, freeSpace
  case read, write, truncate, allocate, release, sync, lock, setMode, setModified
  case makeFolder, removeFolder, remove, rename, link
}
