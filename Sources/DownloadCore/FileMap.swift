/// How full equal parts of a file are, coarsely: a picture of where in the file bytes are here, and where they came
/// from. Its size does not depend on the file's.
package struct FileMap: Hashable, Sendable {
  /// Bytes of one part of the file.
  package struct Cell: Hashable, Sendable {
    /// All that the part has room for.
    package var size: Double = 0
    /// What of it is here.
    package var present: Double = 0
    /// What of that was here before this run.
    package var inherited: Double = 0

    /// No bytes of a part that has none.
    package init() {}

    /// From 0 to 1, which means complete.
    package var share: Double { size > 0 ? min(1, max(0, present / size)) : 0 }
    /// More of what is here was here before this run than came in it.
    package var isMostlyInherited: Bool { inherited > 0 && inherited * 2 >= present }
  }

  /// The file's length, in bytes; more than 0.
  package let length: Int64
  /// Bytes that are here, for each part of the file in its order.
  private var present: [Int64]
  private var inherited: [Int64]

  /// The most parts that a file is cut into.
  package static let mostCells = 512

  /// Of a file of which nothing is here; nil for an empty one.
  package init?(length: Int64) {
    guard length > 0 else { return nil }
    self.length = length
    present = Array(repeating: 0, count: Int(min(length, Int64(Self.mostCells))))
    inherited = present
  }

  /// Adds bytes that are here now. Ranges that are added must not overlap; what lies behind the file's end is left out.
  package mutating func add(_ range: ByteRange) {
    let end = min(range.end, length)
    var start = range.start
    while start < end {
      let cell = self.cell(of: start)
      let stop = min(end, self.start(of: cell + 1))
      present[cell] += stop - start
      start = stop
    }
  }

  /// Takes all that is here now for what was here before this run.
  package mutating func inheritAll() { inherited = present }

  /// The same file with all of it here.
  package var completed: FileMap {
    var map = self
    for index in map.present.indices { map.present[index] = start(of: index + 1) - start(of: index) }
    return map
  }

  /// The same file with nothing here yet, but what was here before this run remembered.
  package var emptied: FileMap {
    var map = self
    for index in map.present.indices { map.present[index] = 0 }
    return map
  }

  /// The offset of the first byte of a part: as even as whole bytes can be.
  private func start(of cell: Int) -> Int64 {
    let product = UInt64(length).multipliedFullWidth(by: UInt64(cell))
    return Int64(UInt64(present.count).dividingFullWidth((product.high, product.low)).quotient)
  }

  /// The part that holds the byte at an offset: the last that does not start behind it.
  private func cell(of offset: Int64) -> Int {
    var product = UInt64(offset + 1).multipliedFullWidth(by: UInt64(present.count))
    let (low, borrows) = product.low.subtractingReportingOverflow(1)
    product.low = low
    if borrows { product.high -= 1 }
    return Int(UInt64(length).dividingFullWidth((product.high, product.low)).quotient)
  }

  /// The map in so many parts. Inside a part of this map bytes count as spread evenly.
  package func cells(_ count: Int) -> [Cell] {
    guard count > 0 else { return [] }
    let scale = Double(present.count) / Double(count)
    return (0..<count).map { cell(from: Double($0) * scale, to: Double($0 + 1) * scale) }
  }

  private func cell(from start: Double, to end: Double) -> Cell {
    var cell = Cell()
    let last = min(present.count - 1, Int(end.rounded(.up)) - 1)
    for index in min(Int(start), last)...last {
      let overlap = min(end, Double(index + 1)) - max(start, Double(index))
      guard overlap > 1e-9 else { continue }
      cell.size += overlap * Double(self.start(of: index + 1) - self.start(of: index))
      cell.present += overlap * Double(present[index])
      cell.inherited += overlap * Double(min(inherited[index], present[index]))
    }
    return cell
  }
}
