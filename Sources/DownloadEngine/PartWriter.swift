import DownloadCore

/// Writes what transfers receive into the part, and keeps the ledger of it.
final class PartWriter {
  private let part: any ByteStore
  private(set) var ledger: SegmentLedger
  /// Bytes of all open pieces.
  private var open: Int64 = 0

  /// A run of bytes that one transfer has written and that the ledger does not have yet; within one block.
  struct OpenPiece {
    fileprivate var range = ByteRange(0, 0)
    fileprivate var crc: UInt32 = 0

    /// Where the piece begins and ends, to chain prefixes.
    var written: ByteRange { range }
  }

  init(part: any ByteStore, ledger: SegmentLedger) {
    self.part = part
    self.ledger = ledger
  }

  /// Bytes that are here, committed or not.
  var done: Int64 { ledger.done + open }

  /// Writes at an offset, and cuts the piece at the blocks' borders. Throws `local`; what was written before that counts.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ piece: inout OpenPiece) throws(DownloadError) {
    try part.write(bytes, at: offset)
    var done = 0
    while done < bytes.count {
      let position = offset + Int64(done)
      if piece.range.end != position || piece.range.isEmpty { commit(&piece, next: position) }
      let room = ledger.blockEnd(after: position) - position
      let count = Int(min(Int64(bytes.count - done), room))
      piece.crc = CRC32.update(piece.crc, UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]))
      piece.range.end += Int64(count)
      open += Int64(count)
      done += count
      if Int64(count) == room { commit(&piece, next: piece.range.end) }
    }
  }

  /// Puts a piece into the ledger; the next one begins at its end.
  func commit(_ piece: inout OpenPiece) { commit(&piece, next: piece.range.end) }

  private func commit(_ piece: inout OpenPiece, next: Int64) {
    ledger.add(Segment(piece.range, crc32: piece.crc))
    open -= piece.range.count
    piece = OpenPiece(range: ByteRange(next, next))
  }

  /// Takes over what is in the part already.
  func claim(_ segment: Segment) { ledger.add(segment) }

  /// Forgets what overlaps a range; returns the ranges that are missing now.
  func forget(_ range: ByteRange) -> [ByteRange] { ledger.remove(overlapping: range) }

  /// Forgets a range and nothing else, of what is in the ledger: what is left on both sides of it is read back, and counts
  /// as long as the whole still has its checksum. Returns the ranges that are missing now.
  func forget(exactly range: ByteRange) throws(DownloadError) -> [ByteRange] {
    let cut = ledger.segments.filter { $0.range.overlaps(range) }
    var missing = ledger.remove(overlapping: range)
    for segment in cut where segment.range.start < range.start || segment.range.end > range.end {
      guard let kept = try rest(of: segment, without: range) else { continue }
      missing.removeAll { $0 == segment.range }
      missing.append(ByteRange(max(segment.range.start, range.start), min(segment.range.end, range.end)))
      for rest in kept { ledger.add(rest) }
    }
    return missing
  }

  /// Nil where the segment is not what was written.
  private func rest(of segment: Segment, without range: ByteRange) throws(DownloadError) -> [Segment]? {
    let start = min(max(range.start, segment.range.start), segment.range.end)
    let end = max(min(range.end, segment.range.end), start)
    let ranges = [ByteRange(segment.range.start, start), ByteRange(start, end), ByteRange(end, segment.range.end)]
    var (pieces, whole): ([Segment], UInt32) = ([], 0)
    for piece in ranges {
      guard let crc = try part.checksum(of: piece) else { return nil }
      whole = CRC32.combine(whole, crc, piece.count)
      pieces.append(Segment(piece, crc32: crc))
    }
    return whole == segment.crc32 ? [pieces[0], pieces[2]].filter { !$0.range.isEmpty } : nil
  }

  /// How far the file is here without a gap, counting what the transfers have written but not committed.
  func contiguousEnd(from offset: Int64, pieces: [ByteRange]) -> Int64 {
    var end = ledger.contiguousEnd(from: offset)
    while let piece = pieces.first(where: { $0.start <= end && end < $0.end }) {
      end = ledger.contiguousEnd(from: piece.end)
    }
    return end
  }
}

extension ByteStore {
  /// The CRC-32 of what is in a range; nil where it ends before that.
  fileprivate func checksum(of range: ByteRange) throws(DownloadError) -> UInt32? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 4096)
    defer { buffer.deallocate() }
    var (crc, offset): (UInt32, Int64) = (0, range.start)
    while offset < range.end {
      let wanted = Int(min(Int64(buffer.count), range.end - offset))
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
      guard count == wanted else { return nil }
      crc = CRC32.update(crc, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
    }
    return crc
  }
}
