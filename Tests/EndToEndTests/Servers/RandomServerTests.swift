import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Servers that do something else with each answer, by seed: whatever happens, nothing wrong is saved or claimed, and a
/// healthy server ends it well.
@Suite(.waiting) struct RandomServerTests {
  /// SWOOP_SEEDS is how many more are tried than usual, for a long look.
  private static var seeds: Range<UInt64> {
    let more = getenv("SWOOP_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 0
    return 1..<25 + more
  }

  @Test(arguments: seeds)
  func anything(seed: UInt64) throws {
    let old = Content.pattern(length: 3_000_001, seed: 1)
    let next = Content.pattern(length: seed % 3 == 0 ? 2_500_003 : 3_000_001, seed: 2)
    let character = Character(seed: seed)
    let trial = try Trial(character.changesAt == nil ? old : next) { request in
      let isNew = character.changesAt.map { request.index >= $0 } ?? false
      return character.reply(to: request, isNew ? next : old)
    }
    let patience = ["--stall-timeout", "0.3", "--give-up-after", "1", "--min-split", "64k"]
    // What one run leaves, the next goes on with.
    for _ in 0..<2 where !trial.names.contains("file.bin") {
      let result = try trial.command(patience + ["-n", character.connections]).run()
      _ = trial.server.settledLog()
      #expect([0, 3, 4, 6].contains(result.exitCode), "seed \(seed): \(result.error)")
      #expect((result.exitCode == 0) == trial.names.contains("file.bin"), "seed \(seed): \(result.error)")
      Trial.expectPlain(result, #_sourceLocation)
      try expectOneVersion(trial, [old, next], seed)
    }
    trial.heal()
    trial.folder.remove(trial.placed("file.bin"))
    let last = try trial.command([]).run()
    #expect(last.exitCode == 0, "seed \(seed): \(last.error)")
    #expect(trial.names == ["file.bin"])
    #expect(try trial.folder.holds(trial.content, in: trial.placed("file.bin")), "seed \(seed)")
  }

  /// Heads with some bytes changed, taken away or put in: no crash, no control byte shown, nothing left but ours.
  @Test(arguments: seeds)
  func mutatedHeads(seed: UInt64) throws {
    let content = Content.text("hello, hello, hello")
    let trial = try Trial(content) { request in
      var random = SplitMix(state: seed &* 7_919 &+ UInt64(request.index))
      var head = Array(
        """
        HTTP/1.1 \(request.range == nil ? "200 OK" : "206 Partial Content")\r
        Date: Wed, 01 Jan 2025 00:00:00 GMT\r
        ETag: "abc"\r
        Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r
        Content-Range: bytes 0-18/19\r
        Content-Disposition: attachment; filename*=UTF-8''file.bin; filename="file.bin"\r
        Content-Length: 19\r
        \r

        """.utf8)
      for _ in 0..<1 + random.below(6) { random.mutate(&head) }
      let body = request.method == "HEAD" ? [] : (try? content.bytes(in: 0..<19)) ?? []
      return .bytes(head + body, then: .close)
    }
    let result = try trial.command(["-v", "--stall-timeout", "0.3", "--give-up-after", "0.5"]).run()
    #expect([0, 3, 4, 6, 7].contains(result.exitCode), "seed \(seed): \(result.error)")
    Trial.expectPlain(result, #_sourceLocation)
    #expect(try trial.names.count <= 2 && trial.folder.names() == [Trial.place])
  }

  /// What is saved is one of the versions, and what is claimed is of one of them.
  private func expectOneVersion(_ trial: Trial, _ versions: [Content], _ seed: UInt64) throws {
    if trial.names.contains("file.bin") {
      let isOne = try versions.contains { try trial.folder.holds($0, in: trial.placed("file.bin")) }
      #expect(isOne, "seed \(seed)")
    }
    guard let manifest = try trial.manifest() else { return }
    guard manifest.done > 0 else { return }
    let version = try #require(
      versions.first { $0.length == manifest.length && manifest.etag?.hasSuffix($0.etag) != false }, "seed \(seed)")
    try manifest.expectHonest(trial.folder, trial.placed("file.bin.part"), version, #_sourceLocation)
  }
}

/// What a server is like: which faults it has, how often, and when its file changes.
private struct Character: Sendable {
  private let seed: UInt64
  /// Faults out of a hundred answers.
  private let badness: Int
  private let faults: [Fault]
  let changesAt: Int?
  let connections: String
  private let answersHead: Bool
  private let hasValidators: Bool

  private enum Fault: CaseIterable {
    case cut, reset, stall, refuse, busy, gone, ignore, slice, shift, noRange, broken, chunked, extra, garbage, silence
    case multipart, unsatisfiable, weak, redirect, closeDelimited, wrongLength, slowHead, drop
  }

  init(seed: UInt64) {
    self.seed = seed
    var random = SplitMix(state: seed)
    badness = [10, 30, 60, 90][random.below(4)]
    var faults: [Fault] = []
    for _ in 0..<1 + random.below(4) { faults.append(Fault.allCases[random.below(Fault.allCases.count)]) }
    self.faults = faults
    changesAt = random.below(3) == 0 ? 2 + random.below(8) : nil
    connections = ["1", "2", "4", "16"][random.below(4)]
    answersHead = random.below(3) > 0
    hasValidators = changesAt != nil || random.below(4) > 0
  }

  func reply(to request: Request, _ content: Content) -> Reply {
    var random = SplitMix(state: seed &* 1_000_003 &+ UInt64(request.index))
    if request.method == "HEAD", !answersHead { return .status(405) }
    guard random.below(100) < badness else { return .file(content) { hide(&$0) } }
    let fault = faults[random.below(faults.count)]
    let some = Int64(random.below(700_000))
    switch fault {
    // A whole body that is cut by its own length is a whole body to anybody.
    case .wrongLength where request.range == nil: return .file(content) { hide(&$0) }
    case .refuse: return .status([500, 502, 408][random.below(3)])
    case .busy: return .status([429, 503][random.below(2)], headers: random.below(2) == 0 ? [:] : ["Retry-After": "0"])
    case .gone: return .status(random.below(8) == 0 ? 404 : 503)
    case .garbage: return .raw("gar\0bage\r\n\r\n", then: .close)
    case .silence: return .silence
    case .drop: return .raw("", then: random.below(2) == 0 ? .close : .reset)
    case .redirect: return request.path == "/file.bin" ? .redirect(to: "/elsewhere") : .file(content)
    case .unsatisfiable: return .status(416, headers: ["Content-Range": "bytes */\(content.length)"])
    case .multipart: return .status(206, headers: ["Content-Type": "multipart/byteranges; boundary=x"], text: "--x--")
    default: break
    }
    return .file(content) { reply in
      Self.spoil(&reply, fault, some, content)
      hide(&reply)
    }
  }

  private func hide(_ reply: inout FileReply) {
    guard !hasValidators else { return }
    reply.etag = nil
    reply.lastModified = nil
  }

  private static func spoil(_ reply: inout FileReply, _ fault: Fault, _ some: Int64, _ content: Content) {
    switch fault {
    case .cut: reply.cutAfter = some
    case .reset: reply.resetAfter = some
    case .stall: reply.stallAfter = some
    case .ignore: reply.honoursRange = false
    case .slice: reply.sliceLimit = max(1, some)
    case .shift: reply.contentRange = { "bytes \($0.lowerBound + 1)-\($0.upperBound)/\($1)" }
    case .noRange: reply.contentRange = { _, _ in nil }
    case .broken: reply.contentRange = { _, _ in "bytes 9-5/10" }
    case .chunked: reply.isChunked = true
    case .extra: reply.extraBytes = Array(repeating: 0x58, count: 1000)
    case .weak: reply.etag = "W/" + content.etag
    case .closeDelimited: reply.isCloseDelimited = true
    case .wrongLength: reply.contentLengths = [String(max(1, some))]
    case .slowHead: reply.headBytesPerSecond = 20
    default: break
    }
  }
}

/// Numbers that follow from a seed (Steele, Lea, Flood: splitmix64).
private struct SplitMix {
  var state: UInt64

  mutating func below(_ bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(bound))
  }

  mutating func mutate(_ bytes: inout [UInt8]) {
    let place = below(bytes.count)
    let bait = Array("\0\r\n\t\u{1B}\u{7F}\"';:,=*%/-+0919 \u{9B}\u{202E}".utf8)
    let byte = bait[below(bait.count)]
    switch below(5) {
    case 0: bytes[place] = byte
    case 1: bytes.remove(at: place)
    case 2: bytes.insert(byte, at: place)
    case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 40)], at: below(bytes.count))
    default: bytes[place] ^= UInt8(1 << below(8))
    }
  }
}
