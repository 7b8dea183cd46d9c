import Glibc
import TestSupport

@testable import DownloadEngine

/// A file or folder of the file system in memory: as those who use it see it, and as the disk has it.
struct Inode: Sendable {
  enum Kind: Hashable, Sendable {
    case regular, folder
    case link(to: String)
  }

  /// What fdatasync(2) may leave out.
  struct Attributes: Hashable, Sendable {
    var mode: mode_t
    /// In nanoseconds since 1970.
    var modified: Int64
  }

  /// A change of a folder's names that is not on the disk yet.
  enum NameChange: Hashable, Sendable {
    case set(String, Int)
    case clear(String)
    /// rename(2): it happens as one.
    case move(from: String, to: String, Int)
  }

  let kind: Kind
  /// As stat(2) tells it: free again once the file is gone.
  let number: UInt64
  var owner: uid_t = geteuid()
  var links = 0
  /// How many open files lead here.
  var opens = 0
  /// Which open file holds each lock.
  var locks: [LockKind: Int32] = [:]

  private(set) var data = SparseBytes()
  private(set) var stableData = SparseBytes()
  /// Blocks that were changed since the last sync.
  private(set) var dirty: Set<Int> = []
  /// Blocks that a failed sync has dropped: as long as nobody writes them again, the disk will not get them.
  private var lost: Set<Int> = []
  var attributes: Attributes
  private(set) var stableAttributes: Attributes
  private(set) var names: [String: Int] = [:]
  private(set) var stableNames: [String: Int] = [:]
  /// In order.
  private(set) var pending: [NameChange] = []

  init(_ kind: Kind, number: UInt64, _ attributes: Attributes) {
    self.kind = kind
    self.number = number
    self.attributes = attributes
    stableAttributes = attributes
  }

  /// Nobody sees it any more: its room and its number are free.
  var isGone: Bool { links == 0 && opens == 0 }

  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, room: Int) -> Int {
    let count = data.write(bytes, at: offset, room: room)
    dirty.formUnion(SparseBytes.blocks(of: offset..<offset + Int64(count)))
    return count
  }

  mutating func truncate(to length: Int64) {
    let changed = data.blocks.keys.filter { Int64($0 + 1) * Int64(SparseBytes.blockLength) > length }
    data.truncate(to: length)
    dirty.formUnion(changed)
  }

  mutating func allocate(_ range: Range<Int64>, room: Int, keepingLength: Bool) -> Bool {
    let before = Set(data.blocks.keys)
    defer { dirty.formUnion(Set(data.blocks.keys).subtracting(before)) }
    return data.allocate(range, room: room, keepingLength: keepingLength)
  }

  mutating func release(_ range: Range<Int64>) {
    data.release(range)
    dirty.formUnion(SparseBytes.blocks(of: range))
  }

  mutating func change(_ change: NameChange) {
    Self.apply(change, to: &names)
    pending.append(change)
  }

  /// Out of order, too: where the name that a change is about is not there, the rest of it happens.
  private static func apply(_ change: NameChange, to names: inout [String: Int]) {
    switch change {
    case .set(let name, let inode): names[name] = inode
    case .clear(let name): names[name] = nil
    case .move(let old, let new, let inode):
      names[old] = nil
      names[new] = inode
    }
  }

  /// fsync(2), or fdatasync(2).
  mutating func sync(dataOnly: Bool) {
    var new = data
    lost.subtract(dirty)
    for index in lost { new.take(index, from: stableData) }
    stableData = new
    dirty = []
    stableNames = names
    pending = []
    if !dataOnly { stableAttributes = attributes }
  }

  /// As Linux does it: what could not be written counts as clean from now on. Of some of it the memory is needed soon,
  /// and then the disk's old bytes are read again.
  mutating func failSync(using random: inout SplitMix64) {
    for index in dirty.sorted() where Bool.random(using: &random) { data.take(index, from: stableData) }
    lost.formUnion(dirty)
    dirty = []
  }
}

extension Inode {
  /// What is on the disk after the power failed.
  func afterCrash(_ damage: Damage, using random: inout SplitMix64) -> Inode {
    let keepsAttributes = damage.keeps(damage.data, using: &random)
    var survivor = Inode(kind, number: number, keepsAttributes ? attributes : stableAttributes)
    survivor.owner = owner
    survivor.data = dataAfterCrash(damage, using: &random)
    survivor.stableData = survivor.data
    survivor.names = namesAfterCrash(damage, using: &random)
    survivor.stableNames = survivor.names
    return survivor
  }

  private func dataAfterCrash(_ damage: Damage, using random: inout SplitMix64) -> SparseBytes {
    var result = stableData
    result.truncate(to: max(stableData.length, data.length))
    for index in dirty.sorted() {
      switch damage.fate(using: &random) {
      case .kept: result.take(index, from: data)
      case .torn(let count): result.tear(index, from: data, at: count)
      case .lost: break
      }
    }
    result.truncate(to: damage.length(from: stableData.length, to: data.length, using: &random))
    return result
  }

  private func namesAfterCrash(_ damage: Damage, using random: inout SplitMix64) -> [String: Int] {
    var result = stableNames
    for change in pending where damage.keeps(damage.names, using: &random) { Self.apply(change, to: &result) }
    return result
  }
}
