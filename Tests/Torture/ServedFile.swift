internal import TestSupport

/// The file of a case: its versions, how an answer names them, and when one follows another.
struct ServedFile {
  /// What tells the versions apart.
  enum Naming: String, CaseIterable {
    case strong, strongAndDate, weak, weakAndDate, date, nothing

    var hasTag: Bool { self != .date && self != .nothing }
    var isWeak: Bool { self == .weak || self == .weakAndDate }
    var hasDate: Bool { self == .date || self == .strongAndDate || self == .weakAndDate }
  }

  /// When the next version is there.
  enum Change {
    case never
    case atRequest(Int)
    case afterRun(Int)
    /// Each answer is of another one than the last.
    case always
  }

  /// Where a redirect leads.
  static let elsewhere = "/elsewhere"

  let versions: [Content]
  let naming: Naming
  let change: Change
  private let spacing: Int64

  init(_ chance: inout Chance, seed: UInt64) {
    let length = Self.length(&chance)
    let naming = chance.pick(Naming.allCases)
    self.naming = naming
    spacing = chance.pick([1, 3600])
    change = Self.change(&chance, naming)
    let first = Content.pattern(length: length, seed: seed &* 2)
    guard case .never = change else {
      // One that changes all the time cannot be told from another one where the length does as well.
      var other = chance.odds(60) ? length : Self.length(&chance)
      if case .always = change { other = length }
      versions = [first, Content.pattern(length: other, seed: seed &* 2 &+ 1)]
      return
    }
    versions = [first]
  }

  private static func change(_ chance: inout Chance, _ naming: Naming) -> Change {
    guard chance.odds(25) else { return .never }
    // Without a name of the version nobody can tell the next one in the middle of a run.
    guard naming != .nothing, !chance.odds(50) else { return .afterRun(chance.number(0...2)) }
    return chance.odds(15) ? .always : .atRequest(chance.number(1...12))
  }

  private static func length(_ chance: inout Chance) -> Int64 {
    let edges: [Int64] = [
      0, 1, 2, 1000, 16 << 10, 64 << 10, 128 << 10, 288 << 10, 576 << 10, 1 << 20, 2 << 20, 4 << 20,
    ]
    switch chance.number(0...9) {
    case 0...2: return max(0, chance.pick(edges) + chance.number(-1...1))
    case 3...5: return chance.number(1...2_000_000)
    default: return chance.number(1_000_000...12_000_000)
    }
  }

  /// The version that the server ends with.
  var last: Content { versions[versions.count - 1] }
  /// Of the longest version, in bytes.
  var longest: Int64 { versions.map(\.length).max() ?? 0 }
  var hasChanges: Bool { versions.count > 1 }
  private var isAlternating: Bool { if case .always = change { true } else { false } }
  /// Whether a run may see more than one version.
  var changesInRuns: Bool { if case .afterRun = change { false } else { hasChanges } }

  /// The version that answers a request in a run.
  func index(of request: Request, run: Int) -> Int {
    switch change {
    case .never: 0
    case .atRequest(let first): request.index >= first ? 1 : 0
    case .afterRun(let before): run > before ? 1 : 0
    case .always: request.index % 2
    }
  }

  /// A healthy answer with a version.
  func reply(_ index: Int) -> FileReply {
    var reply = FileReply(versions[index])
    if !naming.hasTag { reply.etag = nil }
    if naming.isWeak { reply.etag = reply.etag.map { "W/" + $0 } }
    reply.lastModified = naming.hasDate ? date(index) : nil
    return reply
  }

  private func date(_ index: Int) -> String { HTTPDate.text(secondsSince1970: 1_735_689_600 + Int64(index) * spacing) }

  /// The versions that a manifest can be of, by what it says of its version; `excess`: what its length may be too much,
  /// nil for any length.
  func versions(of manifest: StoredManifest, excess: Set<Int64>?) -> [Content] {
    versions.indices.filter { index in
      excess?.contains((manifest.length ?? -1) - versions[index].length) != false
        && manifest.etag?.hasSuffix(versions[index].etag) != false
        && (manifest.lastModified == nil || manifest.lastModified == date(index))
    }.map { versions[$0] }
  }

  var description: String {
    "\(versions.map(\.length)) bytes, named by \(naming), change: \(change)"
  }
}
