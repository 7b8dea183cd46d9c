import DownloadCore

/// The sources of one file over all its requests: the URL and its mirrors, each counted once.
final class SourceList {
  /// The URL's own first, then the mirrors, the best first.
  let all: [Source]
  /// The one that says what the file is.
  private(set) var main: Source

  init(_ request: DownloadRequest) {
    var seen: Set = [request.url.absolute]
    var urls = [request.url]
    let ranked = request.mirrors.enumerated().sorted {
      ($0.element.priority ?? .max, $0.offset) < ($1.element.priority ?? .max, $1.offset)
    }
    for (_, mirror) in ranked where seen.insert(mirror.url.absolute).inserted { urls.append(mirror.url) }
    all = urls.map { Source($0) }
    main = all[0]
    main.standing = .trusted
  }

  var areSeveral: Bool { all.count > 1 }
  /// The URL's own server does not say what the file is: it failed.
  var isMainAMirror: Bool { main !== all[0] }
  var mirrors: [Source] { all.filter { $0 !== main } }
  var live: [Source] { all.filter(\.isLive) }

  /// What it is called.
  func shown(_ source: Source) -> String { (source === all[0] ? "" : "mirror ") + source.url.redacted }

  /// Whether others than this one may be asked.
  func hasOthers(than source: Source) -> Bool { all.contains { $0 !== source && $0.isAtHand } }

  /// Others than the main one are at work.
  var hasTrustedMirror: Bool { all.contains { $0 !== main && $0.standing == .trusted } }

  /// Bytes were written that came from `source`: whoever brought them before, they are its own now.
  func note(_ range: ByteRange, from source: Source) {
    guard areSeveral, !range.isEmpty else { return }
    for other in all where other !== source { other.brought.remove(range) }
    source.brought(range)
  }

  /// Gives the main one up for the next that was not asked yet. False where there is none.
  func passOn(_ why: String) -> Bool {
    guard let next = all.first(where: { $0.standing == .unused }) else { return false }
    main.standing = .dropped(why)
    main = next
    next.standing = .trusted
    return true
  }

  /// The mirrors have shown nothing: the file is another one now, or comes in one piece.
  func resetMirrors() {
    for mirror in mirrors {
      mirror.forget()
      if mirror.isLive { mirror.standing = .unused }
    }
  }

  /// Those that are being compared begin with that again: which blocks were asked for is not known any more.
  func compareAnew() {
    for mirror in mirrors where mirror.standing == .compared {
      mirror.forget()
      mirror.standing = .unused
    }
  }

  /// Those that were dropped for other bytes than the main source's may be asked again.
  func reviveDisagreeing() {
    for mirror in mirrors where mirror.disagrees {
      mirror.forget()
      mirror.standing = .unused
    }
  }

  /// Those that have brought something of these bytes; what no mirror has brought is the main one's.
  func sources(ofBytesIn range: ByteRange) -> [Source] {
    var rest = ByteRangeSet(range)
    var found: [Source] = []
    for mirror in mirrors {
      let parts = mirror.brought.ranges.filter { $0.overlaps(range) }
      if !parts.isEmpty { found.append(mirror) }
      for part in parts { rest.remove(part) }
    }
    return rest.isEmpty ? found : [main] + found
  }

  /// What a source has brought of all that is wanted, which is complete.
  func brought(by source: Source, of wanted: ByteRange) -> [ByteRange] {
    guard source === main else { return source.brought.ranges }
    var rest = ByteRangeSet(wanted)
    for mirror in mirrors { for range in mirror.brought.ranges { rest.remove(range) } }
    return rest.ranges
  }

  /// `resumed` bytes of the file were here before. Empty where there is one source.
  func report(ofLength length: Int64, resumed: Int64) -> [SourceReport] {
    guard areSeveral else { return [] }
    let mirrored = mirrors.reduce(Int64(0)) { $0 + $1.brought.count }
    return all.map { report(of: $0, $0 === main ? max(0, length - resumed - mirrored) : $0.brought.count) }
  }

  /// What each brought before the download failed.
  func reportOfFailure() -> [SourceReport] { all.map { report(of: $0, $0.brought.count) } }

  private func report(of source: Source, _ bytes: Int64) -> SourceReport {
    let state: SourceReport.State =
      switch source.standing {
      case .dropped(let why): .dropped(why)
      default: source.complaint.map { .dropped($0) } ?? (bytes > 0 ? .used : .unused)
      }
    return SourceReport(url: source.url.redacted, bytes: bytes, state: state)
  }

  /// Nothing is here any more, whoever brought it.
  func forgetBrought() { for source in all { source.brought = ByteRangeSet() } }
}
