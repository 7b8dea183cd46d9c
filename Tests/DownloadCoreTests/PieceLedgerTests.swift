import DownloadCore
import Testing

/// Which pieces are compared, and what becomes of the verdicts.
@Suite struct PieceLedgerTests {
  /// Four pieces of 10 bytes, but for the last, which has 5.
  private static func ledger() -> PieceLedger {
    let digests = (0..<4).map { Digest(.md5, hex: String(repeating: "\($0)", count: 32)) }
    return PieceLedger(PieceDigests(length: 10, digests: digests), total: 35)
  }

  private static func set(_ ranges: (Int64, Int64)...) -> ByteRangeSet {
    ranges.reduce(into: ByteRangeSet()) { $0.insert(ByteRange($1.0, $1.1)) }
  }

  @Test func onlyWholePiecesAndEachOnce() {
    var ledger = Self.ledger()
    let first = ledger.comparisons(of: Self.set((0, 19), (25, 35)))
    #expect(first.map(\.piece) == [0, 3] && first.map(\.range) == [ByteRange(0, 10), ByteRange(30, 35)])
    #expect(first[1].digest.hex.hasPrefix("3") && ledger.pending == 15)
    let none = ledger.comparisons(of: Self.set((0, 19), (25, 35)))
    let rest = ledger.comparisons(of: Self.set((0, 35)))
    #expect(none.isEmpty && rest.map(\.piece) == [1, 2])
    #expect(ledger.pending == 35)
  }

  @Test func rightPiecesGrowFromTheFront() {
    var ledger = Self.ledger()
    let all = ledger.comparisons(of: Self.set((0, 35)))
    let second = ledger.judge(all[1], isRight: true)
    #expect(!second && ledger.rightEnd == 0)
    let first = ledger.judge(all[0], isRight: true)
    #expect(!first && ledger.rightEnd == 20)
    for comparison in all.dropFirst(2) { _ = ledger.judge(comparison, isRight: true) }
    #expect(ledger.rightEnd == 35 && ledger.isComplete && ledger.pending == 0)
  }

  @Test func aWrongPieceIsComparedAgain() {
    var ledger = Self.ledger()
    let all = ledger.comparisons(of: Self.set((0, 35)))
    let isWrong = ledger.judge(all[2], isRight: false)
    #expect(isWrong && ledger.failures(of: 2) == 1 && ledger.failures(of: 1) == 0)
    let again = ledger.comparisons(of: Self.set((0, 35)))
    #expect(again.map(\.piece) == [2])
    let isWrongAgain = ledger.judge(again[0], isRight: false)
    #expect(isWrongAgain && ledger.failures(of: 2) == 2)
  }

  /// The verdict is about bytes that are gone.
  @Test func aLateVerdictCountsForNothing() {
    var ledger = Self.ledger()
    let all = ledger.comparisons(of: Self.set((0, 35)))
    ledger.forget(ByteRange(9, 11))
    #expect(ledger.pending == 15)
    let verdicts = [ledger.judge(all[0], isRight: true), ledger.judge(all[1], isRight: false)]
    #expect(verdicts == [false, false] && ledger.rightEnd == 0 && ledger.failures(of: 1) == 0)
    // Nor does it when the bytes have come once more.
    let again = ledger.comparisons(of: Self.set((0, 35)))
    #expect(again.map(\.piece) == [0, 1])
    let late = ledger.judge(all[0], isRight: true)
    #expect(!late && ledger.rightEnd == 0)
    let new = ledger.judge(again[0], isRight: true)
    #expect(!new && ledger.rightEnd == 10)
  }

  @Test func whatIsLostIsOpenAgain() {
    var ledger = Self.ledger()
    for comparison in ledger.comparisons(of: Self.set((0, 35))) { _ = ledger.judge(comparison, isRight: true) }
    ledger.forget(ByteRange(35, 40))
    ledger.forget(ByteRange(20, 20))
    #expect(ledger.isComplete)
    ledger.forget(ByteRange(34, unknownEnd))
    #expect(ledger.rightEnd == 30 && !ledger.isComplete)
    ledger.forget(ByteRange(0, unknownEnd))
    #expect(ledger.rightEnd == 0)
    let all = ledger.comparisons(of: Self.set((0, 35)))
    #expect(all.count == 4)
  }

  @Test func manyWrongAndNoneRightIsHopeless() {
    let digests = (0..<9).map { _ in Digest(.md5, hex: String(repeating: "0", count: 32)) }
    for hasRight in [false, true] {
      var ledger = PieceLedger(PieceDigests(length: 1, digests: digests), total: 9)
      for comparison in ledger.comparisons(of: Self.set((0, 9))) {
        #expect(!ledger.isHopeless || comparison.piece == 8)
        _ = ledger.judge(comparison, isRight: hasRight && comparison.piece == 0)
      }
      #expect(ledger.isHopeless != hasRight)
    }
  }

  @Test(arguments: [
    (0, 1, false), (1, 1, true), (10, 1, true), (11, 1, false), (11, 2, true), (35, 4, true), (30, 4, false),
  ])
  func theNumberOfPieces(total: Int64, count: Int, covers: Bool) {
    let digests = (0..<count).map { _ in Digest(.md5, hex: "") }
    #expect(PieceDigests(length: 10, digests: digests).cover(total) == covers)
  }
}
