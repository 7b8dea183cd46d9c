import DownloadCore
import Glibc
import TestSupport
import Testing

@testable import DownloadEngine

/// Digests that follow the prefix, and comparisons with what an earlier run claimed.
@Suite struct PrefixDigesterTests {
  private let content = Content.pattern(length: 3_000_000)
  private let temporary: TemporaryFolder
  private let part: PartFile
  private let wakeup = Wakeup()

  init() throws {
    temporary = try TemporaryFolder()
    try temporary.write(content, to: "file.part", mode: 0o600)
    part = try #require(
      try PartFile.open(in: try Folder.open(temporary.path), name: "file", creating: false))
  }

  private func segment(_ start: Int64, _ end: Int64, isRight: Bool = true) throws -> Segment {
    let crc = try content.bytes(in: start..<end).withUnsafeBytes { CRC32.update(0, $0) }
    return Segment(ByteRange(start, end), crc32: isRight ? crc : ~crc)
  }

  private func digester(_ doubted: [Segment] = [], _ algorithms: [DigestAlgorithm] = [.md5]) throws -> PrefixDigester {
    try PrefixDigester(part: part, algorithms: algorithms, doubted: doubted, wakeup: wakeup)
  }

  private func right() throws -> [Digest] {
    let job = DigestBatch.Job(path: temporary.path("file.part"), algorithms: [.md5], mustBeRegular: true)
    return try FileDigests.compute(of: job) { _, _ in }
  }

  private func wait(until isDone: () throws -> Bool) rethrows {
    var entry = pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0)
    while try !isDone() {
      poll(&entry, 1, 100)
      wakeup.clear()
    }
  }

  @Test func followsThePrefix() throws {
    let digester = try digester()
    var chance = SplitMix64(state: 1)
    var prefix: Int64 = 0
    while prefix < content.length {
      prefix = min(content.length, prefix + Int64.random(in: 0...300_000, using: &chance))
      digester.advance(to: prefix)
    }
    digester.advance(to: content.length, end: content.length)
    wait { digester.result != nil }
    #expect(try digester.result == right())
    #expect(digester.progress == content.length)
  }

  @Test func comparesAndHashesInOnePass() throws {
    let doubted = [try segment(0, 1 << 20), try segment(1 << 20, 2_000_000), try segment(2_500_000, 3_000_000)]
    let digester = try digester(doubted)
    digester.advance(to: 3_000_000, end: 3_000_000)
    wait { digester.result != nil }
    #expect(try digester.takeDamaged().isEmpty)
    #expect(!digester.hasDoubts)
    #expect(try digester.result == right())
  }

  /// What was hashed of a damaged segment is taken back: when it has come again, the digest is right.
  @Test func goesBackWhereASegmentIsDamaged() throws {
    try temporary.flipByte(of: "file.part", at: 1_500_000)
    let doubted = [try segment(0, 1 << 20), try segment(1 << 20, 2 << 20)]
    let digester = try digester(doubted)
    digester.advance(to: 2 << 20)
    var damaged: [Segment] = []
    try wait {
      damaged += try digester.takeDamaged()
      return !damaged.isEmpty
    }
    #expect(damaged.map(\.range) == [ByteRange(1 << 20, 2 << 20)])
    try temporary.flipByte(of: "file.part", at: 1_500_000)
    digester.advance(to: content.length, end: content.length)
    wait { digester.result != nil }
    #expect(try digester.result == right())
  }

  @Test func comparesWithoutHashing() throws {
    let digester = try digester([try segment(0, 1000), try segment(5000, 6000, isRight: false)], [])
    wait { !digester.hasDoubts }
    #expect(try digester.takeDamaged().map(\.range) == [ByteRange(5000, 6000)])
    #expect(digester.result == [])
  }

  @Test func findsAPartThatIsTooShort() throws {
    try temporary.truncate("file.part", to: 500)
    let digester = try digester([try segment(0, 1000)], [])
    wait { !digester.hasDoubts }
    #expect(try digester.takeDamaged().count == 1)
  }

  /// Whatever it was at; and what it had found by then is not told any more.
  @Test(.timeLimit(.minutes(1))) func endsWhenItIsLetGoOf() throws {
    for _ in 0..<20 {
      let digester = try digester([try segment(0, 1 << 20, isRight: false), try segment(1 << 20, 2 << 20)])
      digester.advance(to: content.length)
      digester.cancel()
      #expect(try digester.takeDamaged().isEmpty)
    }
  }
}
