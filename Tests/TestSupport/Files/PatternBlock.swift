/// One period of pseudo-random bytes, and as much again of its beginning as the longest piece has.
// Unchecked because a pointer is not Sendable; the bytes are written in `init` alone.
final class PatternBlock: @unchecked Sendable {
  /// The smallest prime above 1 MiB.
  private static let period = 1_048_583
  /// The longest piece, in bytes.
  private static let longestPiece = 256 << 10
  private let storage: UnsafeMutableRawBufferPointer

  init(seed: UInt64) {
    storage = .allocate(byteCount: Self.period + Self.longestPiece, alignment: 16)
    var generator = SplitMix64(state: seed)
    let words = storage.bindMemory(to: UInt64.self)
    for index in 0...Self.period / 8 { words[index] = generator.next() }
    UnsafeMutableRawBufferPointer(rebasing: storage[Self.period...]).copyMemory(
      from: UnsafeRawBufferPointer(rebasing: storage[..<Self.longestPiece]))
  }

  deinit {
    storage.deallocate()
  }

  /// At most `count` bytes at `offset` of the endless pattern.
  func piece(at offset: Int64, upTo count: Int) -> UnsafeRawBufferPointer {
    let start = Int(offset % Int64(Self.period))
    return UnsafeRawBufferPointer(rebasing: storage[start..<start + min(count, Self.longestPiece)])
  }
}

/// Vigna's SplitMix64: a generator that gives the same numbers for the same seed everywhere.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(state: UInt64) {
    self.state = state
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
