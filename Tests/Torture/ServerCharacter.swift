internal import TestSupport

/// What the server of a case is like.
struct ServerCharacter {
  /// How HEAD is answered.
  enum Head: String, CaseIterable {
    case right, refused, silent, lengthless, wrong
  }

  /// What a HEAD that is wrong adds to the length, in bytes.
  private static let excessOfHead: Int64 = 100

  let faults: [Fault]
  /// Faults out of a hundred answers.
  let badness: Int
  let head: Head
  let acceptRanges: String?
  let ifRange: FileReply.IfRange
  let settings: ScriptedServer.Settings
  /// Bytes a second of one answer, the slowest and the fastest; nil for as fast as it can.
  private let rates: ClosedRange<Double>?
  /// Each answer comes up to 150 ms late.
  let delays: Bool
  private let seed: UInt64

  init(_ chance: inout Chance, seed: UInt64, length: Int64) {
    self.seed = seed
    var faults: [Fault] = []
    if !chance.odds(20) {
      for _ in 0..<chance.number(1...4) { faults.append(chance.pick(Fault.allCases)) }
    }
    self.faults = faults
    badness = chance.pick([3, 10, 30, 60, 90, 100])
    head = chance.odds(60) ? .right : chance.pick(Head.allCases)
    acceptRanges = chance.odds(70) ? "bytes" : chance.pick([nil, "none"])
    ifRange = chance.pick([.honoured, .honoured, .dateOnly, .ignored])
    rates = chance.odds(15) ? nil : Self.rates(&chance, length)
    delays = chance.odds(15)
    settings = Self.settings(&chance)
  }

  private static func rates(_ chance: inout Chance, _ length: Int64) -> ClosedRange<Double> {
    // Even the slowest brings what counts as progress, 256 KiB, in less time than any run is patient.
    let most = max(400_000, Double(length) / chance.number(0.2...4))
    return max(400_000, most * chance.pick([1, 0.5, 0.2]))...most
  }

  private static func settings(_ chance: inout Chance) -> ScriptedServer.Settings {
    var settings = ScriptedServer.Settings()
    settings.sendBuffer = chance.odds(70) ? 32 << 10 : nil
    guard chance.odds(8) else { return settings }
    let most = chance.number(2...5)
    settings.limit =
      chance.odds(50) ? .reset(beyond: most) : .tooManyRequests(beyond: most, retryAfter: chance.odds(30) ? 1 : nil)
    return settings
  }

  /// The codes that a run may end with because of the server, beside 0.
  var codes: Set<Int32> {
    var codes = faults.reduce(into: Set<Int32>()) { $0.formUnion($1.codes) }
    if head == .silent { codes.insert(3) }
    if settings.limit != nil { codes.formUnion([3, 4]) }
    return codes
  }

  /// How much more than the file's length the server may have told.
  var excess: Set<Int64>? {
    // The lengths of whole answers are false, too, whatever version they name.
    faults.contains(.wrongLength)
      ? nil : Set([0] + (faults.contains(.wrongTotal) ? [1] : []) + (head == .wrong ? [Self.excessOfHead] : []))
  }

  /// Whether what is here need not be fetched again.
  var isHonest: Bool { faults.allSatisfy(\.isHonest) && head != .wrong && acceptRanges != "none" }

  /// The answer to a request; `file` is how a healthy server would send the version.
  func reply(to request: Request, _ file: FileReply) -> Reply {
    var chance = Chance(seed: seed &* 1_000_003 &+ UInt64(request.index))
    if request.method == "HEAD", let reply = headReply(&chance) { return reply }
    let isBad = !faults.isEmpty && chance.odds(badness)
    let fault = isBad ? chance.pick(faults) : nil
    if let reply = fault?.reply(to: request, file.content, &chance) { return reply }
    var reply = file
    reply.acceptRanges = acceptRanges
    reply.ifRange = ifRange
    if acceptRanges == "none" { reply.honoursRange = false }
    setHeadLength(of: &reply)
    reply.rate = rates.map { chance.number($0) }
    if delays { reply.delay = .milliseconds(chance.number(0...150)) }
    fault?.spoil(&reply, to: request, &chance)
    return .file(reply)
  }

  private func headReply(_ chance: inout Chance) -> Reply? {
    switch head {
    case .refused: .status(chance.pick([403, 405, 501]))
    case .silent: .silence
    default: nil
    }
  }

  private func setHeadLength(of reply: inout FileReply) {
    switch head {
    case .lengthless: reply.headLength = .missing
    case .wrong: reply.headLength = .other(reply.content.length + Self.excessOfHead)
    default: break
    }
  }

  var description: String {
    "faults \(faults.map(\.rawValue)) in \(badness) %, HEAD \(head), Accept-Ranges \(acceptRanges ?? "-"), "
      + "If-Range \(ifRange), limit \(settings.limit.map { "\($0)" } ?? "-")"
  }
}
