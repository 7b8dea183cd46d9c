import DownloadCore
import Glibc
import TestSupport

@testable import DownloadEngine

/// Plays random calls on a file system, and puts into words what comes of them.
struct FilePlayer {
  /// A call with all that it needs, chosen by chance.
  struct Step: Hashable, Sendable {
    let call: FileCall
    let name: String
    let other: String
    let slot: Int
    let offset: Int64
    let count: Int
    let flag: Bool
    let flags: Int32

    static let calls: [FileCall] = [
      .open, .open, .open, .close, .flush, .read, .write, .write, .truncate, .allocate, .release, .sync, .lock,
      .setMode, .setModified, .makeFolder, .removeFolder, .remove, .rename, .rename, .link, .statusOfName,
    ]
    private static let ways = [
      O_RDONLY, O_WRONLY, O_RDWR, O_RDWR | O_CREAT | O_EXCL, O_WRONLY | O_CREAT | O_EXCL, O_RDONLY | O_DIRECTORY,
    ]

    init(using random: inout SplitMix64) {
      call = Self.calls[Int.random(in: 0..<Self.calls.count, using: &random)]
      name = FilePlayer.names[Int.random(in: 0..<FilePlayer.names.count, using: &random)]
      other = FilePlayer.names[Int.random(in: 0..<FilePlayer.names.count, using: &random)]
      slot = Int.random(in: 0..<FilePlayer.slots, using: &random)
      offset = Int64.random(in: 0..<40_000, using: &random)
      count = Int.random(in: 0..<20_000, using: &random)
      flag = Bool.random(using: &random)
      let follows = Bool.random(using: &random) ? O_NOFOLLOW : 0
      flags = Self.ways[Int.random(in: 0..<Self.ways.count, using: &random)] | follows
    }
  }

  static let names = ["a", "b", "c", "d", "l"]
  static let slots = 5

  private let system: any FileSystem
  private let folder: Int32
  private let path: String
  private var files = [Int32?](repeating: nil, count: Self.slots)

  /// Plays in the folder at `path`.
  init(_ system: any FileSystem, in path: String) throws(Errno) {
    self.system = system
    self.path = path
    folder = try system.open(path, in: FileDescriptor.workingFolder, O_RDONLY | O_DIRECTORY, mode: 0)
  }

  /// What the call gives, or fails with.
  mutating func play(_ step: Step) -> String {
    do throws(Errno) { return try result(of: step) } catch { return "error \(error.code)" }
  }

  private mutating func result(of step: Step) throws(Errno) -> String {
    switch step.call {
    case .open: return try open(step)
    case .close: return try close(step.slot)
    case .makeFolder: try system.makeFolder("\(path)/\(step.name)")
    case .removeFolder: try system.removeFolder("\(path)/\(step.name)")
    case .remove: try system.remove(step.name, in: folder)
    case .rename: try system.rename(step.name, to: step.other, in: folder, replacing: step.flag)
    case .link: try system.link(step.name, as: step.other, in: folder)
    case .statusOfName:
      return Self.text(try system.status(of: step.name, in: folder, followingLinks: step.flag))
    default: return try resultOfFile(step)
    }
    return "done"
  }

  private func resultOfFile(_ step: Step) throws(Errno) -> String {
    guard let file = files[step.slot] else { return "not open" }
    switch step.call {
    case .read: return try read(file, at: step.offset, step.count)
    case .write:
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: step.count | 1), count: step.count)
      return "\(try write(bytes, to: file, at: step.offset))"
    case .truncate: try system.truncate(file, to: step.offset)
    case .allocate:
      try system.allocate(file, ByteRange(step.offset, step.offset + Int64(step.count)), keepingLength: step.flag)
    case .release: try system.release(file, ByteRange(step.offset, step.offset + Int64(step.count)))
    case .flush: try system.flush(file)
    case .sync: try system.sync(file, dataOnly: step.flag)
    case .lock: try system.lock(file, step.flag ? .whole : .openFile)
    case .setMode: try system.setMode(file, step.flag ? 0o600 : 0o644)
    default:
      try system.setModified(file, step.offset)
      return "\(try system.status(of: file).modifiedSeconds)"
    }
    return "done"
  }

  private mutating func open(_ step: Step) throws(Errno) -> String {
    if let old = files[step.slot] {
      files[step.slot] = nil
      try system.close(old)
    }
    files[step.slot] = try system.open(step.name, in: folder, step.flags, mode: 0o600)
    return "opened"
  }

  private mutating func close(_ slot: Int) throws(Errno) -> String {
    guard let file = files[slot] else { return "not open" }
    files[slot] = nil
    try system.close(file)
    return "closed"
  }

  private func write(_ bytes: [UInt8], to file: Int32, at offset: Int64) throws(Errno) -> Int {
    var result: Result<Int, Errno> = .success(0)
    bytes.withUnsafeBytes { buffer in
      do throws(Errno) { result = .success(try system.write(file, buffer, at: offset)) } catch {
        result = .failure(error)
      }
    }
    return try result.get()
  }

  private func read(_ file: Int32, at offset: Int64, _ count: Int) throws(Errno) -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    let got = try system.read(file, into: buffer, at: offset)
    return "\(got) \(CRC32.update(0, UnsafeRawBufferPointer(rebasing: buffer[..<got])))"
  }

  private static func text(_ status: FileStatus) -> String {
    // A folder's length and links are the file system's own affair.
    status.kind == .folder ? "folder" : "\(status.kind) \(status.size) \(status.links)"
  }

  /// All that can be seen: what every name and every open file leads to, and which of these are the same.
  func view() -> [String] {
    let named = Self.names.map { name in try? system.status(of: name, in: folder, followingLinks: false) }
    let opened = files.map { file in file.flatMap { try? system.status(of: $0) } }
    let all = named + opened
    return all.map { status in
      guard let status else { return "nothing" }
      let first = all.firstIndex { $0?.isSameFile(as: status) == true } ?? -1
      return "\(Self.text(status)) as \(first)"
    }
  }

  mutating func closeAll() throws(Errno) {
    for slot in files.indices { _ = try close(slot) }
    try system.close(folder)
  }
}
