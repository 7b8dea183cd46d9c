import DownloadCore
import Glibc
import Synchronization
import TestSupport

@testable import DownloadEngine

/// Files in memory that fail as they are told to, count what is done to them, and can lose what was not synced.
final class CrashFileSystem: FileSystem {
  /// What the calls share.
  private struct State: Sendable {
    var disk: MemoryDisk
    let trouble: FileTrouble
    var random: SplitMix64
    var calls = 0
    var callsOfKind: [FileCall: Int] = [:]
    var failed: Failed?
    var isWithoutPower = false
    /// Ranges that were written, by the inodes' numbers.
    var written: [UInt64: [ByteRange]] = [:]
  }

  /// The first call that was made to fail.
  struct Failed: Hashable, Sendable {
    let call: FileCall
    let code: Int32
  }

  private let state: Mutex<State>
  let boot: String?

  init(_ disk: MemoryDisk = MemoryDisk(), _ trouble: FileTrouble = .none, seed: UInt64 = 1) {
    boot = "boot \(disk.boot)"
    state = Mutex(State(disk: disk, trouble: trouble, random: SplitMix64(state: seed)))
  }

  /// How many calls were made.
  var calls: Int { state.withLock { $0.calls } }
  var failed: Failed? { state.withLock { $0.failed } }
  /// Whether what was to go wrong has.
  var hasFailed: Bool { state.withLock { $0.failed != nil || $0.isWithoutPower } }
  /// The files as they are.
  var disk: MemoryDisk { state.withLock { $0.disk } }

  /// The files once nobody has any of them open: a thread that a run has let go of may be late. What is open after that
  /// was forgotten.
  var settledDisk: MemoryDisk {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end, disk.openCount > 0 { sched_yield() }
    return disk
  }

  /// What was written to a file, as its number says.
  func written(to inode: UInt64) -> [ByteRange] { state.withLock { $0.written[inode] ?? [] } }

  private func perform<Result>(
    _ call: FileCall, _ body: (inout MemoryDisk) throws(Errno) -> Result,
    failing: (inout State) -> Void = { _ in }
  ) throws(Errno) -> Result {
    try state.withLock { state throws(Errno) in
      guard !state.isWithoutPower else { throw Errno(EIO) }
      state.calls += 1
      state.callsOfKind[call, default: 0] += 1
      if let error = Self.trouble(call, &state) {
        failing(&state)
        throw error
      }
      let result: Swift.Result<Result, Errno>
      do throws(Errno) { result = .success(try body(&state.disk)) } catch { result = .failure(error) }
      if case .crash(let last) = state.trouble, state.calls >= last { state.isWithoutPower = true }
      return try result.get()
    }
  }

  private static func trouble(_ call: FileCall, _ state: inout State) -> Errno? {
    switch state.trouble {
    case .none, .crash: return nil
    case .interruptions: return state.calls.isMultiple(of: 2) ? .interrupted : nil
    case .failure(let kind, let first, let forEver, let turns):
      let isMeant = kind == call && state.callsOfKind[call] == first
      guard isMeant || (forEver && state.failed != nil) else { return nil }
      let failed = state.failed ?? Failed(call: call, code: turns.next(for: call))
      state.failed = failed
      return Errno(failed.code)
    }
  }

  /// Less than was asked for, but something, where calls are to be short.
  private func shortened(_ count: Int) -> Int {
    state.withLock { state in
      guard case .interruptions = state.trouble, count > 1 else { return count }
      return Int.random(in: max(1, count / 4)...count, using: &state.random)
    }
  }
}

extension CrashFileSystem {
  func open(_ name: String, in folder: Int32, _ flags: Int32, mode: mode_t) throws(Errno) -> Int32 {
    try perform(.open) { disk throws(Errno) in try disk.open(name, in: folder, flags, mode: mode) }
  }

  /// The descriptor is gone, whatever is said of it.
  func close(_ file: Int32) throws(Errno) {
    try perform(.close) { disk throws(Errno) in
      try disk.close(file)
    } failing: { state in
      try? state.disk.close(file)
    }
  }

  func flush(_ file: Int32) throws(Errno) {
    try perform(.flush) { disk throws(Errno) in _ = try disk.status(of: file) }
  }

  func status(of file: Int32) throws(Errno) -> FileStatus {
    try perform(.status) { disk throws(Errno) in try disk.status(of: file) }
  }

  func status(of name: String, in folder: Int32, followingLinks: Bool) throws(Errno) -> FileStatus {
    try perform(.statusOfName) { disk throws(Errno) in
      try disk.status(of: name, in: folder, followingLinks: followingLinks)
    }
  }

  func checkAccess(to folder: Int32) throws(Errno) {
    try perform(.access) { disk throws(Errno) in try disk.checkAccess(to: folder) }
  }

  func freeSpace(around file: Int32) throws(Errno) -> Int64 {
    try perform(.freeSpace) { disk throws(Errno) in try disk.freeSpace(around: file) }
  }

  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<shortened(buffer.count)])
    return try perform(.read) { disk throws(Errno) in try disk.read(file, into: part, at: offset) }
  }

  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
    let part = UnsafeRawBufferPointer(rebasing: bytes[..<shortened(bytes.count)])
    let (count, inode) = try perform(.write) { disk throws(Errno) in
      (try disk.write(file, part, at: offset), try disk.status(of: file).identity.inode)
    }
    state.withLock { $0.written[inode, default: []].append(ByteRange(offset, offset + Int64(count))) }
    return count
  }

  func truncate(_ file: Int32, to length: Int64) throws(Errno) {
    try perform(.truncate) { disk throws(Errno) in try disk.truncate(file, to: length) }
  }

  func allocate(_ file: Int32, _ range: ByteRange, keepingLength: Bool) throws(Errno) {
    try perform(.allocate) { disk throws(Errno) in try disk.allocate(file, range, keepingLength: keepingLength) }
  }

  func release(_ file: Int32, _ range: ByteRange) throws(Errno) {
    try perform(.release) { disk throws(Errno) in try disk.release(file, range) }
  }

  func sync(_ file: Int32, dataOnly: Bool) throws(Errno) {
    try perform(.sync) { disk throws(Errno) in
      try disk.sync(file, dataOnly: dataOnly)
    } failing: { state in
      guard case .failure = state.trouble else { return }
      try? state.disk.failSync(file, using: &state.random)
    }
  }

  func syncAll(around file: Int32) throws(Errno) {
    try perform(.sync) { disk throws(Errno) in try disk.syncAll(around: file) }
  }

  func lock(_ file: Int32, _ kind: LockKind) throws(Errno) {
    try perform(.lock) { disk throws(Errno) in try disk.lock(file, kind) }
  }

  func setMode(_ file: Int32, _ mode: mode_t) throws(Errno) {
    try perform(.setMode) { disk throws(Errno) in try disk.setMode(file, mode) }
  }

  func setModified(_ file: Int32, _ seconds: Int64) throws(Errno) {
    try perform(.setModified) { disk throws(Errno) in try disk.setModified(file, seconds) }
  }

  func makeFolder(_ path: String) throws(Errno) {
    try perform(.makeFolder) { disk throws(Errno) in try disk.makeFolder(path) }
  }

  func removeFolder(_ path: String) throws(Errno) {
    try perform(.removeFolder) { disk throws(Errno) in try disk.removeFolder(path) }
  }

  func remove(_ name: String, in folder: Int32) throws(Errno) {
    try perform(.remove) { disk throws(Errno) in try disk.remove(name, in: folder) }
  }

  func rename(_ name: String, to new: String, in folder: Int32, replacing: Bool) throws(Errno) {
    try perform(.rename) { disk throws(Errno) in
      try disk.rename(name, to: new, in: folder, replacing: replacing)
    }
  }

  func link(_ name: String, as new: String, in folder: Int32) throws(Errno) {
    try perform(.link) { disk throws(Errno) in try disk.link(name, as: new, in: folder) }
  }
}
