import DownloadCore
import Glibc
import Synchronization

/// The partial file `NAME.part`, or of a file that is filled in place the part that is ours: open, locked, and the only
/// place where data is written.
///
/// Offsets are those in the file at the server; `move(to:)` says where they lie here.
final class PartFile: Sendable {
  let folder: Folder
  /// The name that the file will have.
  let name: String
  /// The part of the file that is filled in place, of which nothing else is touched; nil: all of it is ours.
  let place: ByteRange?
  /// What an offset is less here than in the file at the server.
  private let base = Atomic<Int64>(0)
  /// Whether this run made it.
  let isNew: Bool
  private let file: FileDescriptor
  /// As it was when it was opened: which file it is does not change while it is open.
  private let opened: FileStatus

  static let suffix = ".part"
  /// What the file is called while it is fetched.
  var partName: String { place == nil ? name + Self.suffix : name }
  var shownName: String { folder.shown(partName) }

  private init(
    folder: Folder, name: String, place: ByteRange?, isNew: Bool, file: consuming FileDescriptor
  ) throws(DownloadError) {
    self.folder = folder
    self.name = name
    self.place = place
    self.isNew = isNew
    do throws(Errno) {
      opened = try file.status()
    } catch {
      throw .local("look at", folder.shown(place == nil ? name + Self.suffix : name), error)
    }
    self.file = file
  }

  /// Opens and locks the part of a file. Nil where there is none and `creating` is false. `place`: the file itself, of
  /// which nothing but these bytes is ours, and locked. `expectingNone`: it is made first, and opened where there is one.
  ///
  /// Throws `locked` where another process holds it, and `local` where it is a link, no regular file, has a second
  /// name, or belongs to neither us nor the folder's owner.
  static func open(
    in folder: Folder, name: String, place: ByteRange? = nil, creating: Bool, expectingNone: Bool = false
  ) throws(DownloadError) -> PartFile? {
    let partName = place == nil ? name + suffix : name
    // Between opening and locking another process may have finished and renamed the file: then it is opened again.
    for _ in 0..<10 {
      let opened =
        try expectingNone
        ? create(in: folder, partName) : openOrCreate(in: folder, partName, isFinal: place != nil, creating: creating)
      guard case .there(let descriptor, let isNew) = opened else {
        if case .gone = opened { continue }
        return nil
      }
      let part = try PartFile(
        folder: folder, name: name, place: place, isNew: isNew, file: FileDescriptor(descriptor, of: folder.system))
      try part.check()
      try part.lock()
      if try part.isNamed() { return part }
    }
    throw .locked("\(folder.shown(partName)), which comes and goes")
  }

  private enum Opened {
    case there(Int32, isNew: Bool)
    case missing
    /// It was there, and was gone when it was to be opened.
    case gone
  }

  private static func create(in folder: Folder, _ partName: String) throws(DownloadError) -> Opened {
    do throws(Errno) {
      guard let made = try folder.openRaw(partName, O_RDWR | O_CREAT | O_EXCL) else { throw Errno.notFound }
      return .there(made, isNew: true)
    } catch {
      guard error == .exists else { throw .local("open", folder.shown(partName), error) }
      return try openOrCreate(in: folder, partName, isFinal: false, creating: true)
    }
  }

  private static func openOrCreate(
    in folder: Folder, _ partName: String, isFinal: Bool, creating: Bool
  ) throws(DownloadError) -> Opened {
    do throws(Errno) {
      if let descriptor = try folder.openRaw(partName, O_RDWR) { return .there(descriptor, isNew: false) }
      guard creating else { return .missing }
      do throws(Errno) {
        // Nothing can be made in a folder that was removed, or in one that the kernel fills itself.
        let mode = isFinal ? FileMode.finished : 0o600
        guard let made = try folder.openRaw(partName, O_RDWR | O_CREAT | O_EXCL, mode: mode) else {
          throw Errno.notFound
        }
        return .there(made, isNew: true)
      } catch {
        guard error == .exists else { throw error }
        // Somebody else was quicker.
        return try folder.openRaw(partName, O_RDWR).map { .there($0, isNew: false) } ?? .gone
      }
    } catch {
      let shown = folder.shown(partName)
      if error == .isLink { throw .leftAlone(shown, "is a symbolic link") }
      throw .local("open", shown, error)
    }
  }

  /// A part that is no plain file of ours is left alone.
  private func check() throws(DownloadError) {
    guard opened.kind == .regular else {
      throw .leftAlone(shownName, "is no regular file")
    }
    guard opened.links <= 1 else {
      throw .leftAlone(shownName, "has a second name (hard link)")
    }
    let isOurs = try attempt("look at") { () throws(Errno) in try opened.isOurs(in: folder.status()) }
    guard isOurs else {
      throw .leftAlone(shownName, "belongs to another user")
    }
  }

  /// Both kinds of lock, so that it holds on network file systems and against tools that know one of them only.
  private func lock() throws(DownloadError) {
    for kind in place.map({ [LockKind.range($0)] }) ?? LockKind.ofAll {
      do throws(Errno) {
        try file.lock(kind)
      } catch {
        switch error.code {
        case EWOULDBLOCK, EACCES:
          throw .locked(place.map { "\($0) of \(shownName)" } ?? shownName)
        case ENOLCK, EOPNOTSUPP, EINVAL, ENOSYS: continue
        default: throw .local("lock", shownName, error)
        }
      }
    }
  }

  /// Whether the name still leads to the open file: what has it otherwise is another run's, or somebody's.
  func isNamed() throws(DownloadError) -> Bool {
    try folder.status(of: partName)?.isSameFile(as: opened) ?? false
  }

  @discardableResult
  private func attempt<Result>(_ action: String, _ body: () throws(Errno) -> Result) throws(DownloadError) -> Result {
    do {
      return try body()
    } catch {
      throw .local(action, shownName, error)
    }
  }
}

extension PartFile {
  func status() throws(DownloadError) -> FileStatus { try attempt("look at") { () throws(Errno) in try file.status() } }

  /// What tells later whether the part was touched since.
  func identity() throws(DownloadError) -> Manifest.PartIdentity { try status().identity }

  /// The byte of this offset in the file at the server is the first one here: of the file, or of the place in it.
  func move(to start: Int64) { base.store(start - (place?.start ?? 0), ordering: .relaxed) }

  /// Where an offset in the file at the server lies here.
  func position(of offset: Int64) -> Int64 { offset - base.load(ordering: .relaxed) }

  private func position(of range: ByteRange) -> ByteRange {
    ByteRange(position(of: range.start), position(of: range.end))
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DownloadError) {
    try attempt("write to") { () throws(Errno) in try file.write(bytes, at: position(of: offset)) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DownloadError) -> Int {
    try attempt("read") { () throws(Errno) in try file.read(into: buffer, at: position(of: offset)) }
  }

  /// Lets the kernel copy from a place in another file; the number of bytes that it has copied.
  func copy(_ count: Int, from source: Int32, at place: Int64, to offset: Int64) throws(Errno) -> Int {
    try retrying { () throws(Errno) in
      try folder.system.copy(count, from: source, at: place, to: file.raw, at: position(of: offset))
    }
  }

  /// Makes the data durable. A failed sync is never tried again: the kernel has forgotten what it could not write.
  func sync() throws(Errno) { try file.sync(dataOnly: true) }

  /// Cuts the file to a length of its own; one that is filled in place is never cut.
  func truncate(to length: Int64) throws(DownloadError) {
    guard place == nil else { return }
    try attempt("cut") { () throws(Errno) in try file.truncate(to: length) }
  }

  /// Where `reserving`, gives the file its full length, with room on the disk for the first part of it. Returns what is
  /// still to be reserved by `reserve`, in the offsets of this file: on a file system that fills the room with zeros that takes time.
  ///
  /// Throws `local` before anything is allocated where there is not enough room.
  @discardableResult
  func prepare(length: Int64, reserving: Bool) throws(DownloadError) -> ByteRange {
    if let place { return try prepare(place, reserving: reserving) }
    let before = try status()
    if before.size > length { try truncate(to: length) }
    let needed = length - before.allocated
    try checkRoom(for: needed)
    let first = ByteRange(0, min(length, Self.reservedAtOnce))
    let isReserved = reserving && needed > 0 ? try reserve(first, orCutTo: before.size) : false
    if try status().size < length {
      // Whether the file system can hold a file of this length shows here, and costs nothing.
      try truncate(to: length)
      if !reserving { try truncate(to: min(before.size, length)) }
    }
    return ByteRange(first.end, isReserved ? length : first.end)
  }

  /// The same of a place in the file: what is there already may have room or not, and what is behind the end has none.
  private func prepare(_ place: ByteRange, reserving: Bool) throws(DownloadError) -> ByteRange {
    try checkRoom(for: place.end - max(place.start, try status().size))
    guard reserving else { return ByteRange(place.end, place.end) }
    let first = ByteRange(place.start, min(place.end, place.start + Self.reservedAtOnce))
    return ByteRange(try reserve(first, orCutTo: nil) ? first.end : place.end, place.end)
  }

  /// Gives the room of ranges that are not here yet back to the disk. A file system that cannot keeps it for later.
  func release(_ ranges: [ByteRange]) {
    guard place == nil else { return }
    for range in ranges { try? file.release(position(of: range)) }
  }

  /// Reserves room for the beginning of a range; returns the rest. Throws `local` where there is none left.
  func reserve(_ range: ByteRange) throws(DownloadError) -> ByteRange {
    guard !range.isEmpty else { return range }
    let piece = ByteRange(range.start, min(range.end, range.start + Self.reservedLater))
    return ByteRange(try reserve(piece, orCutTo: nil) ? piece.end : range.end, range.end)
  }

  private func checkRoom(for needed: Int64) throws(DownloadError) {
    guard needed > 0, let free = file.freeSpace, needed > free else { return }
    throw .noRoom(folder.shown(name), needed: ByteCount(needed), free: ByteCount(free))
  }

  /// In bytes. Where the file system fills the room with zeros, as one in memory does, this takes a tenth of a second.
  private static let reservedAtOnce: Int64 = 256 << 20
  /// In bytes. This takes some milliseconds there: the transfers that wait meanwhile do not notice.
  private static let reservedLater: Int64 = 16 << 20

  /// False where the file system cannot reserve.
  private func reserve(_ piece: ByteRange, orCutTo size: Int64?) throws(DownloadError) -> Bool {
    do throws(Errno) {
      try file.allocate(piece)
      return true
    } catch {
      guard error.code != EOPNOTSUPP, error.code != ENOSYS, error.code != EINVAL else { return false }
      // ext4 keeps what it had allocated before it ran out.
      if let size { try truncate(to: size) }
      throw .local("reserve room for", shownName, error)
    }
  }
}

extension PartFile {
  /// Whether there is a file of the final name, or anything else.
  func targetExists() throws(DownloadError) -> Bool { try folder.status(of: name) != nil }

  /// The same where a doubt counts as a yes.
  private var hasTarget: Bool {
    do throws(DownloadError) { return try targetExists() } catch { return true }
  }

  /// Gives the part its mode, its time and its final name, which one that is in its place has. Data must be complete,
  /// verified and synced; `isDurable`: so is all else about the file. True where it has its old name beside that, which is
  /// then to be removed by `discard`.
  ///
  /// Throws `targetExists` where a file of that name has come meanwhile and `replacing` is false, and `local` where the
  /// part's name is another file's by now; the part is then as it was.
  @discardableResult
  func finish(
    mode: mode_t, modified: Int64?, replacing: Bool, isDurable: Bool = false
  ) throws(DownloadError) -> Bool {
    guard place == nil else {
      try makeDurable()
      return false
    }
    setMode(mode)
    if let modified { setTime(modified) }
    do throws(DownloadError) {
      if isDurable { try flush() } else { try makeDurable() }
      return try rename(replacing: replacing)
    } catch {
      setMode(0o600)
      throw error
    }
  }

  private func makeDurable() throws(DownloadError) {
    try attempt("sync") { () throws(Errno) in try file.sync() }
    try flush()
  }

  private func flush() throws(DownloadError) { try attempt("close") { () throws(Errno) in try file.flush() } }

  /// Makes the finished file's name durable.
  func syncName() throws(DownloadError) {
    try attempt("sync the folder of") { () throws(Errno) in try folder.sync() }
  }

  // Mode and time are ornaments. A file system that has none, or another owner's, must not cost a finished file.
  private func setMode(_ mode: mode_t) { try? file.setMode(mode) }

  private func setTime(_ modified: Int64) { try? file.setModified(modified) }

  private func rename(replacing: Bool) throws(DownloadError) -> Bool {
    try checkName()
    do throws(Errno) {
      guard replacing else { return try renameWithoutReplacing() }
      try folder.rename(partName, to: name)
      return false
    } catch {
      if error == .exists { throw folder.inTheWay(name) }
      throw .local("give the finished file its name", folder.shown(name), error)
    }
  }

  private func renameWithoutReplacing() throws(Errno) -> Bool {
    do throws(Errno) {
      try folder.rename(partName, to: name, replacing: false)
      return false
    } catch {
      guard error.code == EINVAL || error.code == ENOSYS else { throw error }
      return try link()
    }
  }

  /// For file systems that cannot rename without replacing; of these, some know no second names either.
  private func link() throws(Errno) -> Bool {
    do throws(Errno) {
      try folder.link(partName, as: name)
      return true
    } catch {
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.code) else { throw error }
      guard !hasTarget else { throw .exists }
      try folder.rename(partName, to: name)
      return false
    }
  }

  /// Whether another file has the part's name.
  func hasSuccessor() throws(DownloadError) -> Bool {
    guard place == nil else { return false }
    guard try folder.status(of: partName) != nil else { return false }
    return try !isNamed()
  }

  /// Throws `local` where the part's name is gone or another file's: a lock holds a file, not its name.
  func checkName() throws(DownloadError) {
    guard try isNamed() else { throw .partTaken(shownName) }
  }

  /// Removes the part's name, if it is the part's still. A file that is filled in place stays: others may be at work on
  /// it.
  func discard() throws(DownloadError) {
    guard place == nil else { return }
    guard try isNamed() else { return }
    try folder.remove(partName)
  }
}
