import DownloadCore
import Testing

/// The remainder of CRC-32 (ISO 3309), moved on by one bit.
private func shifted(_ word: UInt32) -> UInt32 { word & 1 == 1 ? (word >> 1) ^ 0xEDB8_8320 : word >> 1 }

/// CRC-32, a bit at a time.
func slowCRC32(_ bytes: some Sequence<UInt8>) -> UInt32 {
  var word = UInt32.max
  for byte in bytes {
    word ^= UInt32(byte)
    for _ in 0..<8 { word = shifted(word) }
  }
  return ~word
}

/// The CRC-32 of two pieces, from theirs: that of the first, moved on by as many zeros as the second has bytes.
@Sendable func slowCombine(_ first: UInt32, _ second: UInt32, _ count: Int64) -> UInt32 {
  var word = first
  for _ in 0..<count * 8 { word = shifted(word) }
  return word ^ second
}

@Suite struct SegmentLedgerTests {
  /// The smallest block.
  private static let unit: Int64 = 1 << 20
  private static let bytes = (0..<80).map { UInt8(truncatingIfNeeded: $0 * 151 + $0 / 32) }

  @Test func theTestsOwnChecksumIsRight() {
    #expect(slowCRC32("123456789".utf8) == 0xCBF4_3926)
    let combined = slowCombine(slowCRC32("1234".utf8), slowCRC32("56789".utf8), 5)
    #expect(combined == 0xCBF4_3926)
  }

  @Test(
    arguments: [
      (0, 1 << 20), (1, 1 << 20), (1 << 30, 1 << 20), (1 << 30 + 1, 1 << 21), (5_000_000_000, 8 << 20),
      (1 << 40, 1 << 30), (1 << 40 + 1, 1 << 31), (1 << 60, 1 << 50), (.max, 1 << 53), (nil, 1 << 62),
    ] as [(Int64?, Int64)])
  func cutsAFileIntoAtMost1024Blocks(_ length: Int64?, _ blockSize: Int64) {
    #expect(SegmentLedger.blockSize(forLength: length) == blockSize)
    guard let length, length > 0 else { return }
    #expect((length - 1) / blockSize + 1 <= 1024)
  }

  @Test func theLastBlockEndsWhereNumbersDo() {
    for length in [Int64.max, nil] {
      let ledger = SegmentLedger(length: length, combine: slowCombine)
      #expect(ledger.blockEnd(after: .max - 1) == .max)
    }
  }

  /// Offsets within one block and across its border, in bytes; the file is two blocks of 1 MiB and some more.
  @Test(arguments: 0..<30)
  func keepsWhatWasAdded(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let base = Self.unit - 40
    var ledger = SegmentLedger(length: 3 * Self.unit, combine: slowCombine)
    var flags = Array(repeating: false, count: 80)
    for _ in 0..<60 {
      let start = Int64.random(in: 0..<80, using: &random)
      let end = min(80, start + .random(in: 1...9, using: &random))
      if random.next() % 4 == 0 {
        let asked = ByteRange(base + start, base + end)
        let whole = ledger.segments.map(\.range).filter { $0.overlaps(asked) }
        #expect(ledger.remove(overlapping: asked) == whole)
        for range in whole { for offset in range.start..<range.end { flags[Int(offset - base)] = false } }
      } else if !flags[Int(start)..<Int(end)].contains(true), !(start < 40 && end > 40) {
        ledger.add(Segment(ByteRange(base + start, base + end), crc32: checksum(start, end)))
        for offset in start..<end { flags[Int(offset)] = true }
      }
      compare(ledger, flags, base: base)
    }
  }

  private func checksum(_ start: Int64, _ end: Int64) -> UInt32 { slowCRC32(Self.bytes[Int(start)..<Int(end)]) }

  private func compare(_ ledger: SegmentLedger, _ flags: [Bool], base: Int64) {
    var expected: [Segment] = []
    for index in flags.indices where flags[index] {
      if index > 0, flags[index - 1], index != 40 {
        expected[expected.count - 1].range.end += 1
      } else {
        expected.append(Segment(ByteRange(base + Int64(index), base + Int64(index) + 1), crc32: 0))
      }
    }
    for index in expected.indices {
      let range = expected[index].range
      expected[index].crc32 = checksum(range.start - base, range.end - base)
    }
    #expect(ledger.segments == expected)
    #expect(ledger.done == Int64(flags.count { $0 }))
    #expect(ledger.covered.count == ledger.done)
    for index in flags.indices {
      let end = flags[index...].firstIndex(of: false) ?? flags.count
      #expect(ledger.contiguousEnd(from: base + Int64(index)) == base + Int64(end))
    }
  }

  @Test func contiguousBytesRunAcrossBlocks() {
    var ledger = SegmentLedger(length: 4 * Self.unit, combine: { $0 ^ $1 ^ UInt32($2) })
    for block in [0, 1, 3] as [Int64] {
      ledger.add(Segment(ByteRange(block * Self.unit, (block + 1) * Self.unit), crc32: 1))
    }
    #expect(ledger.segments.count == 3 && ledger.covered.ranges.count == 2)
    #expect(ledger.contiguousEnd(from: 0) == 2 * Self.unit)
    #expect(ledger.contiguousEnd(from: 2 * Self.unit) == 2 * Self.unit)
    #expect(ledger.contiguousEnd(from: 3 * Self.unit) == 4 * Self.unit)
    #expect(ledger.contiguousEnd(from: 4 * Self.unit) == 4 * Self.unit)
    #expect(ledger.remove(overlapping: ByteRange(0, 0)).isEmpty)
    #expect(ledger.remove(overlapping: ByteRange(5, Self.unit + 1)).map(\.start) == [0, Self.unit])
    #expect(ledger.done == Self.unit && ledger.segments.count == 1)
  }

  /// A block may hold a hundred thousand pieces: adding must not take time by the square of that.
  @Test(.timeLimit(.minutes(1))) func manyPiecesInOneBlockAreQuick() {
    var ledger = SegmentLedger(length: Self.unit, combine: slowCombine)
    for index in 0..<50_000 as Range<Int64> { ledger.add(Segment(ByteRange(index * 8, index * 8 + 4), crc32: 0)) }
    #expect(ledger.done == 200_000 && ledger.segments.count == 50_000)
    #expect(ledger.contiguousEnd(from: 8 * 40_000) == 8 * 40_000 + 4)
  }
}

/// Bytes that were written over.
@Suite struct OverwrittenSegmentTests {
  @Test func whatWasWrittenOverIsForgotten() {
    var ledger = SegmentLedger(length: 1 << 20, combine: { first, second, _ in first &+ second })
    ledger.add(Segment(ByteRange(0, 100), crc32: 1))
    ledger.add(Segment(ByteRange(200, 300), crc32: 2))
    ledger.add(Segment(ByteRange(50, 250), crc32: 3))
    #expect(ledger.segments == [Segment(ByteRange(50, 250), crc32: 3)])
    #expect(ledger.done == 200)
    ledger.add(Segment(ByteRange(0, 50), crc32: 4))
    #expect(ledger.segments == [Segment(ByteRange(0, 250), crc32: 7)] && ledger.done == 250)
  }
}

/// Segments that cross blocks' borders, as a manifest may have them that was made by other hands.
@Suite struct LongSegmentTests {
  private var ledger = SegmentLedger(length: 10 << 20, combine: { first, second, _ in first &+ second })
  private let long = Segment(ByteRange(100, 5_000_000), crc32: 9)

  @Test mutating func areKept() {
    ledger.add(Segment(ByteRange(0, 100), crc32: 1))
    ledger.add(long)
    ledger.add(Segment(ByteRange(5_000_000, 5_000_100), crc32: 2))
    #expect(ledger.segments.map(\.range.start) == [0, 100, 5_000_000])
    #expect(ledger.done == 5_000_100 && ledger.contiguousEnd(from: 0) == 5_000_100)
    #expect(ledger.contiguousEnd(from: 3_000_000) == 5_000_100)
    #expect(ledger.covered.ranges == [ByteRange(0, 5_000_100)])
  }

  @Test mutating func areForgottenAsAWhole() {
    ledger.add(long)
    #expect(ledger.remove(overlapping: ByteRange(4_000_000, 4_000_001)) == [long.range])
    #expect(ledger.done == 0 && ledger.segments.isEmpty)
    ledger.add(long)
    ledger.add(Segment(ByteRange(2 << 20, 3 << 20), crc32: 3))
    #expect(ledger.segments.map(\.range) == [ByteRange(2 << 20, 3 << 20)] && ledger.done == 1 << 20)
  }
}

/// What is claimed where there is room for few segments.
@Suite struct ClaimTests {
  private static let unit: Int64 = 1 << 20

  /// A checksum that tells from which blocks it was combined.
  private static let sum: SegmentLedger.Combine = { first, second, _ in first &+ second }

  private func ledger(_ ranges: [ByteRange]) -> SegmentLedger {
    var ledger = SegmentLedger(length: 1024 * Self.unit, combine: Self.sum)
    for range in ranges { ledger.add(Segment(range, crc32: UInt32(1 + range.start / Self.unit))) }
    return ledger
  }

  private func blocks(_ indices: some Sequence<Int64>) -> [ByteRange] {
    indices.map { ByteRange($0 * Self.unit, ($0 + 1) * Self.unit) }
  }

  @Test func whereThereIsRoomNothingIsJoined() {
    let ledger = ledger(blocks(0..<8))
    #expect(ledger.claims(atMost: 8) == ledger.segments && ledger.claims(atMost: 100) == ledger.segments)
  }

  @Test func blocksAreJoinedNoMoreThanItTakes() {
    let ledger = ledger(blocks(0..<8))
    let pairs = (0..<4).map {
      Segment(ByteRange($0 * 2 * Self.unit, ($0 + 1) * 2 * Self.unit), crc32: UInt32($0 * 4 + 3))
    }
    #expect(ledger.claims(atMost: 7) == pairs && ledger.claims(atMost: 4) == pairs)
    #expect(ledger.claims(atMost: 1) == [Segment(ByteRange(0, 8 * Self.unit), crc32: 36)])
    #expect(ledger.segments.count == 8)
  }

  @Test func whatDoesNotTouchIsNotJoined() {
    let ledger = ledger(blocks([0, 1, 3, 4, 5]))
    #expect(
      ledger.claims(atMost: 2).map(\.range) == [ByteRange(0, 2 * Self.unit), ByteRange(3 * Self.unit, 6 * Self.unit)])
  }

  @Test func theShortestAreLeftOut() {
    let ranges = [5, 90, 40, 70, 10].enumerated().map { ByteRange(Int64($0) * 100, Int64($0) * 100 + $1) }
    #expect(ledger(ranges).claims(atMost: 3).map(\.range) == [ranges[1], ranges[2], ranges[3]])
  }

  /// Whatever the pattern: no more than asked, ascending, disjoint, each byte here and each checksum that of its blocks.
  @Test(arguments: 0..<20) func claimsAreTrue(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let present = (0..<256).filter { _ in random.next() % 16 < seed }
    let ledger = ledger(blocks(present.map { Int64($0) }))
    let runs = ledger.covered.ranges.count
    for most in [1, 3, 17, 100, 256] {
      let claims = ledger.claims(atMost: most)
      #expect(claims.count <= most)
      #expect(zip(claims, claims.dropFirst()).allSatisfy { $0.range.end <= $1.range.start })
      for claim in claims {
        let first = claim.range.start / Self.unit
        let expected = (first..<claim.range.end / Self.unit).reduce(UInt32(0)) { $0 &+ UInt32($1 + 1) }
        #expect(claim.crc32 == expected && ledger.covered.gaps(in: claim.range).isEmpty)
      }
      guard runs <= most else { continue }
      #expect(claims.reduce(0) { $0 + $1.range.count } == ledger.done)
    }
  }
}
