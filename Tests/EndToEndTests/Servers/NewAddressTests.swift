import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// `resume --url NEW`: the new address must be shown to be the same file before anything is added to what is here.
@Suite(.waiting) struct NewAddressTests {
  private static let content = Content.ten
  private static let other = Content.pattern(length: Content.ten.length, seed: 5)

  /// Leaves a part, and goes on with it at a server that replies so.
  private func resume(_ reply: Reply, digest: [String] = []) throws -> (Trial, CommandResult) {
    let trial = try Trial.stalling(Self.content)
    let command = try trial.command(digest).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    _ = try command.result()
    trial.heal()
    let (part, text) = (try trial.folder.bytes(trial.part), try trial.folder.text(trial.stored))
    let moved = try ScriptedServer(reply)
    let result = try trial.swoop(["resume", "--url", moved.url("/new?t=1"), "file.bin.part"]).run()
    if result.exitCode != 0 {
      #expect(try trial.folder.bytes(trial.part) == part && trial.folder.text(trial.stored) == text, "it was touched")
    }
    return (trial, result)
  }

  @Test func theSameFile() throws {
    let (trial, result) = try resume(.file(Self.content))
    try trial.expect(result, exit: 0, .file, says: "), not verified\n")
  }

  @Test func anotherLength() throws {
    let longer = Content.pattern(length: Self.content.length + 1)
    let (trial, result) = try resume(.file(longer) { $0.etag = Self.content.etag })
    try trial.expect(result, exit: 11, .part, says: "is not the file of file.bin.part (its length was 10000001, is")
  }

  /// Each server has ETags of its own: the bytes decide, and the last line says what they do not prove.
  @Test(arguments: [true, false]) func anotherETag(hasDate: Bool) throws {
    let (trial, result) = try resume(
      .file(Self.content) {
        $0.etag = "\"of-another-server\""
        if !hasDate { $0.lastModified = nil }
      })
    try trial.expect(
      result, exit: 0, .file, says: "the ETag was", "of file.bin.part is the same there: going on",
      "), not verified, identity unverified\n")
  }

  @Test func anotherETagAndADigest() throws {
    let right = try DigestTests.digest("sha256", of: Self.content)
    let (trial, result) = try resume(
      .file(Self.content) {
        ($0.etag, $0.lastModified) = ("\"of-another-server\"", "Thu, 02 Jan 2025 00:00:00 GMT")
      }, digest: ["--sha256", right])
    try trial.expect(result, exit: 0, .file, says: "), sha256 verified\n")
  }

  @Test func anotherETagAndAnotherDate() throws {
    let (trial, result) = try resume(
      .file(Self.content) {
        ($0.etag, $0.lastModified) = ("\"of-another-server\"", "Thu, 02 Jan 2025 00:00:00 GMT")
      })
    try trial.expect(result, exit: 11, .part, says: "the Last-Modified was", "with its digest, by --sha256 HEX")
  }

  /// The server is the same: what it says of its own file counts.
  @Test func anotherETagOfTheSameServer() throws {
    let trial = try Trial(Self.content) { request in
      .file(Self.content) {
        if request.target.contains("new") { $0.etag = "\"new\"" } else { $0.stallAfter = 1_000_000 }
      }
    }
    let command = try trial.command([]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    _ = try command.result()
    let result = try trial.swoop("resume", "--url", trial.server.url("/file.bin?new"), "file.bin.part")
    try trial.expect(result, exit: 11, .part, says: "the ETag was")
  }

  /// Whatever it is called.
  @Test(arguments: [Content.ten.etag, "\"of-another-server\"", nil]) func otherBytes(etag: String?) throws {
    let (trial, result) = try resume(
      .file(Self.other) {
        $0.etag = etag
        if etag == nil { $0.lastModified = nil }
      })
    try trial.expect(result, exit: 11, .part, says: "a sample of its bytes differs")
  }

  @Test func noSampleToCompare() throws {
    let (trial, result) = try resume(.file(Self.content) { $0.honoursRange = false })
    try trial.expect(result, exit: 11, .part, says: "a sample of it could not be compared")
  }

  /// The refusal of the old address names the command, and what may have to go along.
  @Test(arguments: [401, 403, 410]) func theRefusalOfTheOldAddress(status: Int) throws {
    let isOver = Monitor(false)
    let trial = try Trial(Self.content) { _ in
      isOver.read { $0 } ? .status(status) : .file(Self.content) { $0.stallAfter = 1_000_000 }
    }
    let command = try trial.command(["-b", "a=S3CR3T"]).start()
    #expect(trial.server.waitUntil { $0.bodyBytesSent >= 3_500_000 })
    command.signal(SIGINT)
    _ = try command.result()
    isOver.change { $0 = true }
    for words in [[trial.server.url()], ["resume", "file.bin.part"], ["-b", "a=S3CR3T", trial.server.url()]] {
      let result = try trial.swoop(words).run()
      let advice = "if the link, its cookies or its headers have expired, run swoop resume file.bin.part --url NEW, wi"
      try trial.expect(result, exit: 4, .part, says: advice)
    }
  }
}
