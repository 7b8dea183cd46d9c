/// The bytes of a file in memory, in blocks of 4 KiB: what was never written takes no room and reads as zeros.
struct SparseBytes: Hashable, Sendable {
  /// In bytes.
  static let blockLength = 4096

  private(set) var length: Int64 = 0
  /// By their numbers. An empty one has its room and was never written.
  private(set) var blocks: [Int: [UInt8]] = [:]

  /// The blocks that hold some byte of a range.
  static func blocks(of range: Range<Int64>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    let size = Int64(blockLength)
    return Int(range.lowerBound / size)..<Int((range.upperBound - 1) / size) + 1
  }

  /// Writes as much as there is room for, and returns how much that was. `room`: so many more blocks it may take.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, room: Int) -> Int {
    var room = room
    var done = 0
    while done < bytes.count {
      let position = offset + Int64(done)
      let index = Int(position / Int64(Self.blockLength))
      let start = Int(position % Int64(Self.blockLength))
      let count = min(Self.blockLength - start, bytes.count - done)
      if blocks[index] == nil {
        guard room > 0 else { break }
        room -= 1
      }
      change(index, from: start) {
        $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]))
      }
      done += count
    }
    if done > 0 { length = max(length, offset + Int64(done)) }
    return done
  }

  /// Gives `body` the bytes of a block from `start` on.
  private mutating func change(_ index: Int, from start: Int = 0, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    if blocks[index, default: []].isEmpty { blocks[index] = [UInt8](repeating: 0, count: Self.blockLength) }
    blocks[index]?.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Reads up to the buffer's length; less at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
    let wanted = Int(max(0, min(Int64(buffer.count), length - offset)))
    var done = 0
    while done < wanted {
      let position = offset + Int64(done)
      let start = Int(position % Int64(Self.blockLength))
      let count = min(Self.blockLength - start, wanted - done)
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
      let block = blocks[Int(position / Int64(Self.blockLength))] ?? []
      if block.isEmpty {
        target.initializeMemory(as: UInt8.self, repeating: 0)
      } else {
        block.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
      }
      done += count
    }
    return done
  }

  /// Cuts it, with the room behind the end, or lengthens it with zeros.
  mutating func truncate(to new: Int64) {
    defer { length = new }
    let kept = Self.blocks(of: 0..<new).upperBound
    blocks = blocks.filter { $0.key < kept }
    let tail = Int(new % Int64(Self.blockLength))
    guard tail > 0, blocks[kept - 1]?.isEmpty == false else { return }
    change(kept - 1, from: tail) { $0.initializeMemory(as: UInt8.self, repeating: 0) }
  }

  /// Takes room for a range, in order; false where that ran out, with what there was taken.
  mutating func allocate(_ range: Range<Int64>, room: Int, keepingLength: Bool) -> Bool {
    var room = room
    for index in Self.blocks(of: range) where blocks[index] == nil {
      guard room > 0 else { return false }
      room -= 1
      blocks[index] = []
    }
    if !keepingLength { length = max(length, range.upperBound) }
    return true
  }

  /// Gives room back; the bytes are zeros then, and the length stays.
  mutating func release(_ range: Range<Int64>) {
    let size = Int64(Self.blockLength)
    for index in Self.blocks(of: range) where blocks[index] != nil {
      let start = Int64(index) * size
      let part = range.clamped(to: start..<start + size)
      guard part.count < size else {
        blocks[index] = nil
        continue
      }
      let (first, count) = (Int(part.lowerBound - start), part.count)
      change(index, from: first) {
        UnsafeMutableRawBufferPointer(rebasing: $0[..<count]).initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
  }

  /// One block as another file has it, or none; the length stays.
  mutating func take(_ index: Int, from other: SparseBytes) { blocks[index] = other.blocks[index] }

  /// The first bytes of a block as another file has them, the rest as it was.
  mutating func tear(_ index: Int, from other: SparseBytes, at count: Int) {
    let new = other.blocks[index] ?? []
    let start = new.isEmpty ? [UInt8](repeating: 0, count: count) : Array(new[..<count])
    change(index) { target in start.withUnsafeBytes { target.copyMemory(from: $0) } }
  }
}
