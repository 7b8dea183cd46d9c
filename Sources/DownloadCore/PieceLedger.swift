/// Which pieces of a file are known to be right, and which are to be compared with their digests next.
///
/// A pure state machine: what is here goes in, what to compare comes out, then the verdicts go in. A verdict about bytes
/// that were thrown away meanwhile counts for nothing.
package struct PieceLedger: Sendable {
  /// A comparison to be made.
  package struct Comparison: Hashable, Sendable {
    /// From 0.
    package let piece: Int
    /// Where it lies.
    package let range: ByteRange
    /// What it must have.
    package let digest: Digest
    /// Tells it from an earlier one of the same piece.
    fileprivate let ticket: Int
  }

  private enum State: Hashable, Sendable {
    case open
    case asked(ticket: Int)
    case right
  }

  private let digests: PieceDigests
  /// Of the file, in bytes.
  private let total: Int64
  private var states: [State]
  private var nextTicket = 0
  /// Bytes of pieces that are being compared.
  package private(set) var pending: Int64 = 0
  /// All before this one are right.
  private var firstOpen = 0
  /// How often each was wrong.
  private var failures: [Int: Int] = [:]

  /// `digests` cover a file of `total` bytes.
  package init(_ digests: PieceDigests, total: Int64) {
    self.digests = digests
    self.total = total
    states = Array(repeating: .open, count: digests.digests.count)
  }

  /// The file is right up to here, in bytes.
  package var rightEnd: Int64 { min(total, Int64(firstOpen) * digests.length) }
  /// So many were wrong, and none right, that the digests must be those of another file.
  package var isHopeless: Bool { rightCount == 0 && failures.count >= Self.mostWrong }
  private static let mostWrong = 8
  /// Pieces that were right when they were compared.
  private var rightCount = 0

  /// Every piece is right.
  package var isComplete: Bool { firstOpen == states.count }

  /// The pieces that are here as a whole and that nobody has been asked to compare yet.
  package mutating func comparisons(of here: ByteRangeSet) -> [Comparison] {
    var found: [Comparison] = []
    for range in here.ranges {
      let first = Int((range.start + digests.length - 1) / digests.length)
      let end = range.end >= total ? states.count : Int(range.end / digests.length)
      guard first < end else { continue }
      for piece in first..<end where states[piece] == .open { found.append(ask(piece)) }
    }
    return found
  }

  private mutating func ask(_ piece: Int) -> Comparison {
    nextTicket += 1
    states[piece] = .asked(ticket: nextTicket)
    let range = digests.range(of: piece, total: total)
    pending += range.count
    return Comparison(piece: piece, range: range, digest: digests.digests[piece], ticket: nextTicket)
  }

  /// How a comparison has ended. True where the piece is wrong, and is now to be fetched again.
  package mutating func judge(_ comparison: Comparison, isRight: Bool) -> Bool {
    guard states[comparison.piece] == .asked(ticket: comparison.ticket) else { return false }
    pending -= comparison.range.count
    states[comparison.piece] = isRight ? .right : .open
    if isRight { advance() } else { failures[comparison.piece, default: 0] += 1 }
    return !isRight
  }

  private mutating func advance() {
    rightCount += 1
    while firstOpen < states.count, states[firstOpen] == .right { firstOpen += 1 }
  }

  /// How often a piece was wrong.
  package func failures(of piece: Int) -> Int { failures[piece] ?? 0 }

  /// The bytes of a range are gone: what is known of the pieces there means nothing any more.
  package mutating func forget(_ range: ByteRange) {
    guard !range.isEmpty, range.start < total else { return }
    let last = Int((min(range.end, total) - 1) / digests.length)
    for piece in Int(range.start / digests.length)...last {
      if case .asked = states[piece] { pending -= digests.range(of: piece, total: total).count }
      states[piece] = .open
    }
    firstOpen = min(firstOpen, Int(range.start / digests.length))
  }
}
