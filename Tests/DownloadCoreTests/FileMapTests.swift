import DownloadCore
import Testing

@Suite struct FileMapTests {
  private func shares(_ map: FileMap, _ count: Int) -> [Double] { map.cells(count).map(\.share) }

  @Test func fillsWhereRangesAre() throws {
    var map = try #require(FileMap(length: 5120))
    map.add(ByteRange(0, 640))
    map.add(ByteRange(1280, 1600))
    #expect(shares(map, 8) == [1, 0, 0.5, 0, 0, 0, 0, 0])
  }

  @Test func tellsWhatWasHereBefore() throws {
    var map = try #require(FileMap(length: 1000))
    map.add(ByteRange(0, 500))
    map.inheritAll()
    var next = map.emptied
    #expect(shares(next, 4) == [0, 0, 0, 0])
    #expect(next.cells(4).allSatisfy { !$0.isMostlyInherited })
    next.add(ByteRange(0, 1000))
    #expect(next.cells(4).map(\.isMostlyInherited) == [true, true, false, false])
    // What was damaged and is not here counts no more.
    #expect(map.emptied.cells(4).allSatisfy { $0.inherited == 0 })
  }

  @Test func nothingIsThereOfAnEmptyFile() {
    #expect(FileMap(length: 0) == nil)
    #expect(FileMap(length: 1)?.cells(0).isEmpty == true)
  }

  @Test(arguments: [1, 2, 7, 511, 512, 513, 1_000_003, 1 << 40, .max - 1, .max] as [Int64])
  func everyByteHasItsPlace(length: Int64) throws {
    var random = SeededGenerator(seed: UInt64(length))
    var map = try #require(FileMap(length: length))
    let cuts = ([0, length] + (0..<50).map { _ in Int64.random(in: 0...length, using: &random) }).sorted()
    for (start, end) in zip(cuts, cuts.dropFirst()) { map.add(ByteRange(start, end)) }
    for count in [1, 20, 300, 512, 1000] {
      #expect(map.cells(count).allSatisfy { $0.share > 0.999_999 }, "\(count)")
    }
    #expect(map == map.completed)
  }

  /// Whatever is here: as much in all as in its parts, and no part more than full.
  @Test func partsMakeUpTheWhole() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let length = Int64.random(in: 1...1 << Int64.random(in: 1...50, using: &random), using: &random)
      var map = try #require(FileMap(length: length))
      var (here, end) = (Int64(0), Int64(0))
      while end < length {
        let start = min(length, end + Int64.random(in: 0...max(1, length / 9), using: &random))
        end = min(length, start + Int64.random(in: 0...max(1, length / 9), using: &random) + 1)
        map.add(ByteRange(start, max(start, end)))
        here += max(0, end - start)
      }
      let cells = map.cells(Int.random(in: 1...300, using: &random))
      let sum = cells.reduce(0) { $0 + $1.present }
      #expect(abs(sum - Double(here)) <= Double(length) * 1e-6, "\(length)")
      #expect(cells.allSatisfy { (0...1).contains($0.share) && $0.present <= $0.size * 1.000_001 })
    }
  }

  @Test func whatIsBehindTheEndIsLeftOut() throws {
    var map = try #require(FileMap(length: 10))
    map.add(ByteRange(5, unknownEnd))
    #expect(shares(map, 2) == [0, 1])
    map.add(ByteRange(20, 30))
    #expect(shares(map, 2) == [0, 1])
  }
}
