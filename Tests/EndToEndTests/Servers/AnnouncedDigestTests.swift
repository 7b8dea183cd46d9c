import FaultCatalogue
import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// Digests that servers announce by themselves (D08, H24).
@Suite(.waiting) struct AnnouncedDigestTests {
  private static let zeros = String(repeating: "0", count: 64)

  /// What is announced with every GET of a healthy file; HEAD says nothing.
  private static func trial(
    _ content: Content = .ten, honoursRange: Bool = true, _ fields: @escaping @Sendable () throws -> HTTPFields
  ) throws -> Trial {
    let announced = try fields()
    return try Trial(content) { request in
      .file(content) {
        $0.honoursRange = honoursRange
        if request.method == "GET" { $0.headers = announced }
      }
    }
  }

  /// A server that announces the digest of each part that it sends as that of the whole.
  private static func trialOfParts(stallAfter: Int64? = nil) throws -> Trial {
    try Trial(.ten) { request in
      guard let range = request.askedBytes(of: Content.ten.length) else { return .file(.ten) }
      let part = (try? Content.ten.bytes(in: range)).map { Content.bytes($0) }
      let value = part.flatMap { try? structured($0) }
      return .file(.ten) {
        if let value { $0.headers = ["Repr-Digest": value] }
        $0.stallAfter = stallAfter
      }
    }
  }

  private static func structured(_ content: Content) throws -> String {
    "sha-256=:\(try Base64Digest.of(content, "sha256")):"
  }

  @Test(
    .row("D08"),
    arguments: [
      ("Repr-Digest", "sha256"), ("Digest", "sha256"), ("x-goog-hash", "md5"), ("x-ms-blob-content-md5", "md5"),
      ("X-Checksum-Sha1", "sha1"), ("X-Checksum-Sha512", "sha512"), ("X-Linked-ETag", "sha256"),
    ])
  func isVerifiedWithoutBeingAsked(field: String, algorithm: String) throws {
    let value = try Base64Digest.field(field, algorithm, .ten)
    let trial = try Self.trial { [field: value] }
    try trial.expect(trial.run(), exit: 0, .file, says: "), \(algorithm) verified")
    trial.folder.remove(trial.placed("file.bin"))
    try trial.expect(trial.run("--no-server-digest"), exit: 0, .file, says: "), not verified")
  }

  /// Those of the body count where it is the whole file.
  @Test(.row("D08"), arguments: ["Content-MD5", "Content-Digest", "x-amz-checksum-sha256"])
  func ofTheWholeBody(field: String) throws {
    let algorithm = field == "Content-MD5" ? "md5" : "sha256"
    let value = try Base64Digest.field(field, algorithm, .ten)
    let whole = try Self.trial(honoursRange: false) { [field: value] }
    try whole.expect(whole.run(), exit: 0, .file, says: "), \(algorithm) verified")
    // What is of another body is none of the file's.
    let wrong = try Base64Digest.field(field, algorithm, .other)
    let parts = try Trial(.ten) { request in
      .file(.ten) { if request.firstByte > 0 { $0.headers = [field: wrong] } }
    }
    try parts.expect(parts.run(), exit: 0, .file, says: "), not verified")
  }

  @Test(.row("D08"), arguments: ["Repr-Digest", "X-Checksum-Sha1", "x-goog-hash"])
  func isWrong(field: String) throws {
    let algorithm = ["Repr-Digest": "sha256", "x-goog-hash": "md5"][field] ?? "sha1"
    let value = try Base64Digest.field(field, algorithm, .other)
    let trial = try Self.trial { [field: value] }
    let (right, wrong) = try (DigestTests.digest(algorithm, of: .ten), DigestTests.digest(algorithm, of: .other))
    let words = "\(algorithm) of file.bin does not match what the server announced: expected \(wrong), got \(right)"
    try trial.expect(trial.run(), exit: 5, .part, says: words, "--no-server-digest", "--restart")
    // The same again, and by `resume`: the server still says so.
    for command in [[trial.server.url()], ["resume", "file.bin.part"]] {
      let before = trial.server.settledLog().methods.count
      try trial.expect(trial.swoop(command).run(), exit: 5, .part, says: words)
      #expect(trial.server.settledLog().methods.dropFirst(before) == ["GET"])
    }
    let requests = trial.server.log.entries.count
    try trial.expect(trial.run("--no-server-digest"), exit: 0, .file, says: "not verified")
    #expect(trial.server.log.entries.count == requests, "the network was asked")
  }

  /// A digest from elsewhere outdoes what the server says, be it given at once or after the mismatch.
  @Test(.row("D08"), arguments: [false, true]) func whoHasOneKnowsBetter(afterwards: Bool) throws {
    let value = try Self.structured(.other)
    let trial = try Self.trial { ["Repr-Digest": value] }
    if afterwards { try trial.expect(trial.run(), exit: 5, .part) }
    let right = try DigestTests.digest("sha256", of: .ten)
    try trial.expect(trial.run("--sha256", right), exit: 0, .file, says: "), sha256 verified")
  }

  /// The strongest beside what was demanded, not all of them.
  @Test(.row("D08")) func theStrongestOfSeveral() throws {
    let fields: HTTPFields = [
      "X-Checksum-Md5": try Base64Digest.field("X-Checksum-Md5", "md5", .ten),
      "X-Checksum-Sha512": try Base64Digest.field("X-Checksum-Sha512", "sha512", .ten),
      "Digest": try Base64Digest.field("Digest", "sha256", .ten),
    ]
    let trial = try Self.trial { fields }
    try trial.expect(trial.run(), exit: 0, .file, says: "), sha512 verified")
    trial.folder.remove(trial.placed("file.bin"))
    let md5 = try DigestTests.digest("md5", of: .ten)
    try trial.expect(trial.run("--md5", md5), exit: 0, .file, says: "), md5 and sha512 verified")
  }

  /// H24: whichever answer comes first, both are named.
  @Test(.row("H24"), arguments: [true, false]) func twoThatDisagree(honoursRange: Bool) throws {
    let (right, wrong) = try (DigestTests.digest("sha256", of: .ten), DigestTests.digest("sha256", of: .other))
    let value = try Self.structured(.ten)
    let trial = try Self.trial(honoursRange: honoursRange) { ["Repr-Digest": value, "X-Checksum-Sha256": wrong] }
    try trial.expect(trial.run(), exit: 5, .partOrNothing, says: right, wrong, "Repr-Digest", "X-Checksum-Sha256")
    try trial.expectCleanRerun()
  }

  @Test(.row("H24")) func twoThatDisagreeAreNoMatterToWhoHasOne() throws {
    let (right, wrong) = try (DigestTests.digest("sha256", of: .ten), DigestTests.digest("sha256", of: .other))
    let value = try Self.structured(.ten)
    let trial = try Self.trial { ["Repr-Digest": value, "X-Checksum-Sha256": wrong] }
    try trial.expect(trial.run("--sha256", right), exit: 0, .file, says: "), sha256 verified")
    trial.folder.remove(trial.placed("file.bin"))
    try trial.expect(trial.run("--no-server-digest"), exit: 0, .file, says: "), not verified")
  }

  @Test(
    .row("H24"),
    arguments: [
      ("Repr-Digest", "sha-256=:no base64:"), ("Digest", "SHA-256"), ("Digest", "crc32c=n03x6A=="),
      ("Content-MD5", "\u{1B}[2J"), ("X-Checksum-Sha256", "12"),
      ("X-Linked-ETag", "\"5d41402abc4b2a76b9719d911017c592\""),
    ])
  func whatIsMalformedOrUnknownIsIgnored(field: String, value: String) throws {
    let trial = try Self.trial { [field: value] }
    try trial.expect(trial.run(), exit: 0, .file, says: "), not verified")
  }

  /// A coding nobody asked for: what is saved is not what the digest may be of.
  @Test(.row("H24")) func nothingOfACoding() throws {
    let value = try Self.structured(.other)
    let trial = try Self.trial(honoursRange: false) { ["Repr-Digest": value, "Content-Encoding": "gzip"] }
    try trial.expect(trial.run(), exit: 0, .file, says: "not verified")
  }

  /// HEAD is a hint: what it alone announces is no reason to fail, as with servers that take the digest of no body.
  @Test(.row("D08")) func whatHeadAloneAnnouncesDoesNotCount() throws {
    let value = try Self.structured(.text(""))
    let trial = try Trial(.ten) { request in
      .file(.ten) { if request.method == "HEAD" { $0.headers = ["Repr-Digest": value] } }
    }
    try trial.expect(trial.run(), exit: 0, .file, says: "not verified")
  }

  /// A redirect of a store of models says what the file has that it leads to.
  @Test(.row("D08"), arguments: [true, false]) func aRedirectAnnounces(isRight: Bool) throws {
    let hex = try DigestTests.digest("sha256", of: isRight ? .ten : .other)
    let trial = try Trial(.ten) { request in
      request.path == "/file.bin" ? .redirect(to: "/blob", headers: ["X-Linked-ETag": "\"\(hex)\""]) : .file(.ten)
    }
    let result = try trial.run()
    guard isRight else { return try trial.expect(result, exit: 5, .part, says: hex, "what the server announced") }
    try trial.expect(result, exit: 0, .file, says: "), sha256 verified")
  }

  /// What was announced of the old version does not count for the new one.
  @Test(.row("D08"), arguments: [true, false]) func aChangedVersionIsAnnouncedAnew(announcesNew: Bool) throws {
    let (old, new) = try (Self.structured(.ten), Self.structured(.other))
    let trial = try Trial(.other) { request in
      let isOld = request.method == "HEAD" || request.indexOfMethod < 4
      return .file(isOld ? .ten : .other) {
        if isOld { $0.cutAfter = 500_000 }
        if isOld || announcesNew { $0.headers = ["Repr-Digest": isOld ? old : new] }
      }
    }
    let words = announcesNew ? "), sha256 verified" : "), not verified"
    try trial.expect(trial.run(), exit: 0, .file, says: words, "changed on the server")
  }

  /// A resumed run, and one that finds the part complete, keep to what the first run was told.
  @Test(.row("D08"), arguments: [true, false]) func isKeptForTheNextRun(isRight: Bool) throws {
    let value = try Self.structured(isRight ? .ten : .other)
    let trial = try Trial(.ten) { _ in
      .file(.ten) {
        $0.headers = ["Repr-Digest": value]
        $0.stallAfter = 1_000_000
      }
    }
    try trial.leavePart()
    #expect(try trial.manifest()?.announced == ["sha256": DigestTests.digest("sha256", of: isRight ? .ten : .other)])
    let result = try trial.swoop("resume", "file.bin.part")
    guard isRight else { return try trial.expect(result, exit: 5, .part, says: "what the server announced") }
    try trial.expect(result, exit: 0, .file, says: "), sha256 verified")
  }

  @Test(.row("D08")) func isForgottenByWhoDoesNotWantIt() throws {
    let value = try Self.structured(.other)
    let trial = try Trial(.ten) { _ in
      .file(.ten) {
        $0.headers = ["Repr-Digest": value]
        $0.stallAfter = 1_000_000
      }
    }
    try trial.leavePart()
    try trial.expectResumed("--no-server-digest", keeping: trial.manifest()?.segments ?? [], says: "not verified")
  }

  /// Some servers announce the digest of each part that they send as that of the whole.
  @Test(.row("D08")) func digestsOfPartsAreNotTakenForTheFiles() throws {
    let trial = try Self.trialOfParts()
    let result = try trial.run("--stall-timeout", "10", "--give-up-after", "20")
    try trial.expect(result, exit: 0, .file, says: "digests of the parts", "not verified")
  }

  /// The same when only an earlier run was told: one that fetches the rest, and one that finds all of it here.
  @Test(.row("D08"), arguments: [false, true]) func digestsOfPartsAreNotTakenForTheFilesLater(isComplete: Bool) throws {
    let trial = try Self.trialOfParts(stallAfter: 1_000_000)
    var manifest = try trial.leavePart { $0.announced != nil && $0.announcedPart != nil }
    let part = try #require(manifest.announcedPart)
    let bytes = try Content.ten.bytes(in: part.start..<part.end)
    #expect(
      try bytes.count < 10_000_000 && manifest.announced == ["sha256": DigestTests.digest("sha256", of: .bytes(bytes))])
    if isComplete {
      let (announced, announcedPart) = (manifest.announced, manifest.announcedPart)
      try trial.plant(missing: [], isHole: false)
      manifest = try #require(try trial.manifest())
      (manifest.announced, manifest.announcedPart) = (announced, announcedPart)
      try trial.folder.write(manifest.text, to: trial.placed("file.bin.part.json"), mode: 0o600)
    }
    try trial.expectResumed(keeping: manifest.segments, says: "digests of the parts")
  }

  /// What an earlier run was told is compared all the same where it is the digest of nothing that came with it.
  @Test(.row("D08")) func aWrongDigestStaysWrongLater() throws {
    let value = try Self.structured(.other)
    let trial = try Trial(.ten) { request in
      .file(.ten) {
        $0.headers = request.firstByte == 0 ? ["Repr-Digest": value] : [:]
        $0.stallAfter = 1_000_000
      }
    }
    try trial.leavePart { $0.announced != nil }
    try trial.expect(trial.run(), exit: 5, .part, says: "what the server announced")
  }

  /// Over every answer the nodes behind one address have to agree.
  @Test(.row("H24")) func answersThatDisagree() throws {
    let (first, second) = try (Self.structured(.other), Self.structured(.text("else")))
    let trial = try Trial(.ten) { request in
      .file(.ten) {
        guard request.method == "GET" else { return }
        $0.headers = ["Repr-Digest": request.firstByte > 0 ? first : second]
      }
    }
    let hexes = try [Content.other, .text("else")].map { try DigestTests.digest("sha256", of: $0) }
    try trial.expect(trial.run("--min-split", "1M"), exit: 5, .part, says: hexes[0], hexes[1])
  }
}

/// Digests as fields carry them, computed by the system's own command.
enum Base64Digest {
  static func of(_ content: Content, _ algorithm: String) throws -> String {
    let hex = Array(try DigestTests.digest(algorithm, of: content))
    let bytes = try stride(from: 0, to: hex.count, by: 2).map { place in
      try #require(UInt8(String(hex[place...place + 1]), radix: 16))
    }
    return Data(bytes).base64EncodedString()
  }

  /// The value of a field of this name.
  static func field(_ name: String, _ algorithm: String, _ content: Content) throws -> String {
    let dashed = algorithm.replacing("sha", with: "sha-")
    return switch name {
    case "Repr-Digest", "Content-Digest": "\(dashed)=:\(try of(content, algorithm)):"
    case "Digest", "x-goog-hash": "crc32c=n03x6A==,\(dashed.uppercased())=\(try of(content, algorithm))"
    case let name where name.hasPrefix("X-Checksum"): try DigestTests.digest(algorithm, of: content)
    case "X-Linked-ETag": "\"\(try DigestTests.digest(algorithm, of: content))\""
    default: try of(content, algorithm)
    }
  }
}
