import DownloadCore
import Testing

/// What is compared of a mirror.
struct MirrorSampleTests {
  @Test(arguments: [1_048_576, 1_048_577, 5_000_000, 196_609, 1 << 40], [0, 0.3, 0.999999, 1, 2])
  func theEndsAndOneBetween(length: Int64, random: Double) {
    let blocks = MirrorSample.blocks(of: ByteRange(0, length), here: ByteRangeSet(), random: random)
    #expect(blocks.count == 3 && blocks.allSatisfy { $0.count == 65_536 })
    #expect(blocks[0].start == 0 && blocks[1].end == length)
    #expect(!blocks[2].overlaps(blocks[0]) && !blocks[2].overlaps(blocks[1]), "\(blocks)")
  }

  @Test(arguments: [0, 1, 65_536, 196_608]) func aShortFileHasOne(length: Int64) {
    let blocks = MirrorSample.blocks(of: ByteRange(0, length), here: ByteRangeSet(), random: 0.5)
    #expect(blocks == (length == 0 ? [] : [ByteRange(0, min(length, 65_536))]))
  }

  /// Of a part of a file its own.
  @Test func ofAPartItsOwn() {
    let wanted = ByteRange(1_000_000, 3_000_000)
    let blocks = MirrorSample.blocks(of: wanted, here: ByteRangeSet(), random: 0.5)
    #expect(blocks.count == 3 && blocks[0].start == wanted.start && blocks[1].end == wanted.end)
    #expect(blocks.allSatisfy { wanted.start <= $0.start && $0.end <= wanted.end })
  }

  /// Where other bytes are here than those, some of them are compared.
  @Test func whatIsHereIsCompared() {
    let here = ByteRangeSet(ByteRange(3_000_000, 4_000_000))
    let blocks = MirrorSample.blocks(of: ByteRange(0, 10_000_000), here: here, random: 0.9)
    #expect(blocks.count == 4 && blocks[3] == ByteRange(4_000_000 - 65_536, 4_000_000))
    #expect(MirrorSample.compared(blocks[3], in: here) == 65_536 && MirrorSample.compared(blocks[0], in: here) == 0)
    let front = MirrorSample.blocks(of: ByteRange(0, 10_000_000), here: ByteRangeSet(ByteRange(0, 2000)), random: 0.9)
    #expect(front.count == 3)
    #expect(MirrorSample.block(in: ByteRangeSet()) == nil)
    #expect(MirrorSample.block(in: ByteRangeSet(ByteRange(5, 9))) == ByteRange(5, 9))
  }
}
