internal import DownloadCore

/// What counts as announced stands in the head, in a field that speaks of the whole file.
enum AnnouncedDigestsProperties {
  /// The first byte chooses whether the body is the whole file; the lines of the head follow.
  static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
    guard let first = bytes.first, let head = ResponseHeadProperties.parse(bytes.dropFirst())?.head else { return }
    let isWhole = first & 1 == 1
    let announced = AnnouncedDigests(head: head, isWhole: isWhole)
    try require(announced.members.isEmpty || !head.isContentEncoded, "announced of a coded body: \(announced)")
    for member in announced.members { try check(member, of: head, isWhole: isWhole) }
    try require(Set(announced.members.map(\.digest)).count == announced.members.count, "twice: \(announced)")
    try checkOrder(announced)
    for member in AnnouncedDigests(redirect: head).members {
      try require(member.field == "X-Linked-ETag", "\(member.field) of a redirect")
    }
  }

  private static func check(
    _ member: AnnouncedDigests.Member, of head: ResponseHead, isWhole: Bool
  ) throws(BrokenProperty) {
    let (digest, field) = (member.digest, member.field)
    try require(digest.hex.utf8.count == digest.algorithm.length * 2, "\(digest) of \(digest.hex.utf8.count) digits")
    try require(AnnouncedDigests.algorithms.contains(digest.algorithm), "\(digest.algorithm)")
    try require(AnnouncedDigests.fields.contains(field.lowercased()), "the field \(field)")
    let isOfTheBody = ["Content-Digest", "Content-MD5"].contains(field)
    try require(isWhole || !isOfTheBody, "\(field) of a part")
    // The last digit may have bits that mean nothing.
    let written = Base64Properties.encode(bytes(of: digest)).prefix { $0 != "=" }.dropLast()
    let isThere = head.values(field).contains { $0.contains(written) || $0.lowercased().contains(digest.hex) }
    try require(isThere, "\(field) does not hold \(digest.hex)")
  }

  private static func checkOrder(_ announced: AnnouncedDigests) throws(BrokenProperty) {
    try require((announced.strongest == nil) == announced.members.isEmpty, "no strongest of \(announced)")
    if let (first, second) = announced.contradiction {
      let isOne = first.digest.algorithm == second.digest.algorithm && first.digest != second.digest
      try require(isOne, "\(first) and \(second) contradict each other")
    }
    guard let strongest = announced.strongest else { return }
    let none = announced.stronger(than: [strongest.digest]) { _ in true }
    try require(none.members.isEmpty, "\(none) beside \(strongest)")
    try require(announced.stronger(than: []) { _ in true } == announced, "not all of \(announced)")
    try require(announced.joined(with: announced) == announced, "\(announced) is more than itself")
  }

  private static func bytes(of digest: Digest) -> [UInt8] {
    let digits = digest.hex.utf8.map { UInt8($0 < 0x3a ? $0 - 0x30 : $0 - 0x57) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
