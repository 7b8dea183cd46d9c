import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Servers and networks in trouble while the bytes go to standard output: no byte twice, none left out.
@Suite(.waiting) struct SinkFaultTests {
  /// A fault of every answer to a GET, or of each connection's first.
  @Test(
    arguments: [
      "reset", "cut", "slices", "stall", "no HEAD", "no ranges", "no ranges, cut", "ranges ignored", "chunked",
      "unknown length, cut", "too much", "429",
    ], ["64k", "1M", "64M"])
  func isWholeAndInOrder(fault: String, window: String) throws {
    let content = Content.pattern(length: 3_000_001)
    var settings = ScriptedServer.Settings()
    if fault == "429" { settings.limit = .tooManyRequests(beyond: 2) }
    let trial = try Trial(content, settings: settings) { request in
      if fault == "no HEAD", request.method == "HEAD" { return .status(405) }
      return .file(content) { Self.play(fault, request, &$0) }
    }
    let patience = ["--stall-timeout", "0.5", "--give-up-after", "20"]
    let options = patience + ["--min-split", "4k", "--window", window, "-o", "-"]
    let result = try trial.command(options).run()
    try trial.expectSent(result)
  }

  private static func play(_ fault: String, _ request: Request, _ reply: inout FileReply) {
    if fault.hasPrefix("no ranges") { (reply.acceptRanges, reply.honoursRange) = ("none", false) }
    if fault == "ranges ignored" { reply.honoursRange = false }
    if fault == "chunked" || fault.hasPrefix("unknown") {
      (reply.isChunked, reply.honoursRange, reply.headLength) = (true, false, .missing)
    }
    guard request.method == "GET" else { return }
    switch fault {
    case "reset": reply.resetAfter = 200_000
    case "cut": reply.cutAfter = 200_000
    case "slices": reply.sliceLimit = 150_000
    case "stall": if request.indexOfMethod < 4 { reply.stallAfter = 100_000 }
    case "no ranges, cut", "unknown length, cut":
      // Each time it comes farther, and at last to the end, with the last chunk.
      let cut = Int64(request.indexOfMethod + 1) * 700_000
      reply.cutAfter = cut < reply.content.length ? cut : nil
    case "too much": reply.extraBytes = Array(repeating: 7, count: 50_000)
    default: break
    }
  }

  /// The answer that has the front stops, and nobody knows for how long: another connection brings what it has not, long
  /// before it counts as stalled.
  @Test func aSilentFrontIsFetchedAnew() throws {
    let content = Content.pattern(length: 40_000_000)
    let gate = BodyGate(after: 200_000)
    let silent = Monitor<Range<Int64>?>(nil)
    let anew = Monitor(0)
    let trial = try Trial(content) { request in
      var reply = FileReply(content)
      (reply.delay, reply.rate) = (.milliseconds(40), 20_000_000)
      guard request.method == "GET", let range = request.askedBytes(of: content.length) else { return .file(reply) }
      let isFirst = silent.change { silent in
        if let silent, silent.contains(range.lowerBound) {
          anew.change { $0 += 1 }
          gate.open()
        }
        guard silent == nil, range.contains(20_000_000) else { return false }
        silent = range
        return true
      }
      if isFirst { reply.gate = gate }
      return .file(reply)
    }
    let options = ["-n", "4", "--window", "8M", "--stall-timeout", "60", "--give-up-after", "30", "-o", "-"]
    try trial.expectSent(trial.command(options).run())
    #expect(anew.change { $0 } >= 1)
    // What the silent one brings after all is read to its end, so that no further connection is made: one more for HEAD.
    #expect(trial.server.log.connections <= 5)
  }

  /// A server whose file changes, or whose body is cut, when the reader has some of it.
  private struct Turn {
    let trial: Trial
    let reader: FIFOReader
    let command: RunningCommand

    /// The first answer stops after 300,000 bytes until these are read, and ends after 400,000.
    init(_ options: [String], script: @escaping @Sendable (Request, inout FileReply) -> Void) throws {
      let content = Content.pattern(length: 3_000_000)
      let gate = BodyGate(after: 300_000)
      trial = try Trial(content) { request in
        let isLater = request.method == "GET" && request.indexOfMethod > 0
        var other = FileReply(isLater ? .pattern(length: 3_000_000, seed: 2) : content)
        script(request, &other)
        guard request.method == "GET", request.indexOfMethod == 0 else { return .file(other) }
        other.gate = gate
        other.cutAfter = 400_000
        return .file(other)
      }
      reader = try trial.fifo()
      command = try trial.sending(options + ["-n", "1", "--stall-timeout", "60", "--give-up-after", "3"], to: reader)
        .start()
      try trial.expectBytes(reader.read(1000))
      gate.open()
    }

    func expect(exit code: Int32, says words: String..., location: SourceLocation = #_sourceLocation) throws {
      let rest = try reader.read(4_000_000)
      let result = try command.result()
      #expect(result.exitCode == code, "\(result.error)", sourceLocation: location)
      for text in words { #expect(result.error.contains(text), "\(result.error)", sourceLocation: location) }
      #expect(rest.count < 3_000_000 - 1000, sourceLocation: location)
      try trial.expectBytes(trial.content.bytes(in: 0..<1000) + rest, location)
      try trial.expectNothingLeft(result, errors: 1, location)
    }
  }

  @Test(.row("R28"), arguments: [true, false]) func anotherVersionAfterTheFirstByte(hasRanges: Bool) throws {
    let turn = try Turn([]) { _, reply in
      reply.honoursRange = hasRanges
      reply.acceptRanges = hasRanges ? "bytes" : "none"
    }
    try turn.expect(exit: 6, says: "could not fetch", "standard output has the first ")
  }

  /// Nothing tells whether what comes next is of the same bytes.
  @Test(arguments: [true, false]) func aCutBodyWithoutAName(hasLength: Bool) throws {
    let turn = try Turn([]) { _, reply in
      (reply.etag, reply.lastModified, reply.acceptRanges, reply.honoursRange) = (nil, nil, "none", false)
      guard !hasLength else { return }
      (reply.isChunked, reply.headLength) = (true, .missing)
    }
    try turn.expect(exit: 3, says: "standard output has the first ", "no use without the rest")
  }

  /// A weak name is no promise of the same bytes where the length is not known either.
  @Test func aCutBodyWithAWeakName() throws {
    let turn = try Turn([]) { _, reply in
      (reply.etag, reply.lastModified, reply.honoursRange) = ("W/\"a\"", nil, false)
      (reply.isChunked, reply.headLength) = (true, .missing)
    }
    try turn.expect(exit: 3, says: "standard output has the first ")
  }

  /// Until the first byte was sent, all goes on as for files.
  @Test(.row("R28"), .row("R04")) func anotherVersionBeforeTheFirstByte() throws {
    let content = Content.pattern(length: 3_000_000)
    let trial = try Trial(content) { request in
      .file(request.method == "HEAD" ? .pattern(length: 2_000_000, seed: 3) : content)
    }
    try trial.expectSent(trial.run("-o", "-"))
  }

  /// It ends with what is here of it, and says that there is nothing to go on with.
  @Test(.row("T04")) func aServerThatGivesUp() throws {
    let content = Content.pattern(length: 3_000_000)
    let trial = try Trial(content) { request in
      .file(content) { if request.method == "GET" { $0.cutAfter = request.indexOfMethod == 0 ? 200_000 : 0 } }
    }
    let result = try trial.run("-n", "1", "--give-up-after", "1", "-o", "-")
    try trial.expectFailed(result, exit: 3, says: "run the same command again to begin again")
    trial.heal()
    try trial.expectSent(trial.run("-o", "-"))
  }

  /// Refused half-way: nothing is kept, and nothing else is said.
  @Test(.row("T18")) func aFileThatVanishes() throws {
    let content = Content.pattern(length: 3_000_000)
    let trial = try Trial(content) { request in
      guard request.method == "HEAD" || request.indexOfMethod == 0 else { return .status(404) }
      return .file(content) { if request.method == "GET" { $0.cutAfter = 200_000 } }
    }
    let result = try trial.run("-n", "1", "-o", "-")
    try trial.expectFailed(result, exit: 4, says: "vanished")
    #expect(!result.error.contains("kept") && !result.error.contains("resume"), "\(result.error)")
  }

  @Test(.row("T17")) func anErrorPageIsNotSent() throws {
    let trial = try Trial(.ten, .status(404))
    let result = try trial.run("-o", "-")
    try trial.expectFailed(result, exit: 4, says: "404")
    #expect(result.outputBytes.isEmpty)
  }

  /// Faults of all kinds at random: all of the file, or an error and the beginning of it.
  @Test(arguments: 0..<24 as Range<UInt64>) func anyServer(seed: UInt64) throws {
    let content = Content.pattern(length: 2_000_003, seed: seed + 1)
    let trial = try Trial(content) { request in
      var random = SplitMix64(state: seed &* 1_000_003 &+ UInt64(request.index))
      guard request.method == "GET" else { return Bool.random(using: &random) ? .status(405) : .file(content) }
      let some = Int64(Int.random(in: 0..<900_000, using: &random))
      if Int.random(in: 0..<12, using: &random) == 0 { return .status([429, 503, 500].randomElement(using: &random)!) }
      return .file(content) { reply in
        switch Int.random(in: 0..<7, using: &random) {
        case 0: reply.cutAfter = some
        case 1: reply.resetAfter = some
        case 2: reply.sliceLimit = some + 1
        case 3: reply.stallAfter = some
        case 4: reply.honoursRange = false
        case 5: reply.extraBytes = Array(repeating: 9, count: 1000)
        default: break
        }
      }
    }
    let window = ["64k", "300k", "1M", "64M"][Int(seed) % 4]
    let connections = ["1", "3", "8", "auto"][Int(seed / 4) % 4]
    let result = try trial.command(
      ["-n", connections, "--min-split", "4k", "--window", window, "--stall-timeout", "0.3"]
        + ["--give-up-after", "8", "-o", "-"]
    ).run()
    guard result.exitCode != 0 else { return try trial.expectSent(result) }
    try trial.expectFailed(result, exit: result.exitCode)
    #expect([3, 4, 6].contains(result.exitCode), "seed \(seed): \(result.error)")
  }
}
