/// Whether what is on the disk is what came over the network: the CRC-32 of each segment tells. It is what a digest
/// that does not match is blamed on.
package enum DiskVerdict: Hashable, Sendable {
  /// Every segment has the CRC-32 that it had when it came.
  case intact
  /// So many bytes had another one, and were fetched again: now it is what the server sent.
  case repaired(Int64)
  /// So many bytes were fetched again, and of the file then so many had another CRC-32.
  case damaged(fetchedAgain: Int64, damagedAgain: Int64)

  /// The disk does not keep what it is given.
  package var blamesDisk: Bool {
    if case .damaged = self { true } else { false }
  }

  /// One clause for a message.
  package var clause: String {
    switch self {
    case .intact:
      "the data on disk is what the server sent (every CRC-32 is right), so its file or the digest is wrong"
    case .repaired(let count):
      "\(Self.bytes(count)) \(Self.were(count)) damaged on disk and fetched again, now the data on disk is what the server sent, "
        + "so its file or the digest is wrong"
    case .damaged(let first, let again):
      "the disk is to blame: \(Self.bytes(first)) \(Self.were(first)) damaged on it and fetched again, and of the file "
        + "\(Self.bytes(again)) \(again == 1 ? "is" : "are") damaged now"
    }
  }

  private static func were(_ count: Int64) -> String { count == 1 ? "was" : "were" }

  private static func bytes(_ count: Int64) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}
