import DownloadCore

/// A server that has the file, or says so: the one that the URL names, or a mirror of it.
final class Source {
  enum Standing: Hashable {
    /// It was not needed yet.
    case unused
    /// Its samples are fetched and compared.
    case compared
    /// It is asked for ranges.
    case trusted
    /// Nobody asks it for anything while others fetch again what it brought.
    case doubted
    /// Why.
    case dropped(String)
  }

  /// As it was given.
  let url: RemoteURL
  var standing = Standing.unused
  /// Where ranges are asked for: where redirects have led.
  var currentURL: RemoteURL
  /// Of its own version of the file: the ETag and the date of another server say nothing of it.
  var validator: Validator?
  /// Its number in the scheduler of now.
  var index: RangeScheduler.Source?
  /// The blocks that it has sent, for the comparison.
  var samples: [ByteRange: [UInt8]] = [:]
  /// It fetches ranges that count only once it is trusted.
  var isAhead = false
  /// All blocks were compared, and are the same.
  var isProven = false
  /// Its bytes are not those that the first source has.
  var disagrees = false
  /// The requests for blocks that are under way.
  var samplers: [ByteRange: Transfer] = [:]
  /// When one of these was heard of last, and when the last block came, in the pool's seconds.
  var heardAt = 0.0
  var sampledAt = 0.0
  /// When it was first asked for anything, and when bytes of the file last came, in the pool's seconds.
  var askedAt: Double?
  var broughtAt = 0.0
  /// Why it was of no use although nothing ended it.
  var complaint: String?
  /// No request for a block before this time.
  var notBefore = -Double.infinity
  /// From a request to its answer, in seconds.
  var latency: Double?
  /// Pieces that it has brought and that were not the file's.
  var wrongPieces: Set<Int> = []
  /// What of the file that is here it has brought.
  var brought = ByteRangeSet()
  private var troubles = 0
  /// The last one's reason.
  private var trouble = ""
  private var lastTroubleAt = -Double.infinity
  private var sinceTrouble: Int64 = 0

  /// Failures in a row, without progress between them, after which a source is given up where others work.
  private static let mostTroubles = 4
  /// Fewer bytes than this are no progress.
  private static let progress: Int64 = 4 << 10

  init(_ url: RemoteURL) {
    self.url = url
    currentURL = url
  }

  /// It may bring something, now or soon.
  var isLive: Bool { standing == .compared || standing == .trusted }
  /// It may be asked, now or later.
  var isAtHand: Bool { isLive || standing == .unused }

  /// Bytes came from it that were written.
  func brought(_ range: ByteRange) {
    brought.insert(range)
    sinceTrouble += range.count
    if sinceTrouble >= Self.progress { troubles = 0 }
  }

  /// Counts a failure of a request that was begun at `begun`, and why: those that were under way at the last one count
  /// with it. Whether there were too many in a row.
  func noteTrouble(_ why: String, begun: Double, weight: Int = 1, at now: Double) -> Bool {
    guard begun >= lastTroubleAt else { return false }
    trouble = why
    lastTroubleAt = now
    sinceTrouble = 0
    troubles += weight
    return troubles >= Self.mostTroubles
  }

  /// How many there were in a row.
  var troublesInARow: Int { troubles }

  /// Why it fails again and again; nil where it does not: one failure may be an accident.
  var lastingTrouble: String? { troubles > 1 ? trouble : nil }

  /// What it was asked for, and what is known of its version, does not count any more.
  func forget() {
    samples = [:]
    isProven = false
    isAhead = false
    disagrees = false
    samplers = [:]
    validator = nil
    brought = ByteRangeSet()
    wrongPieces = []
    currentURL = url
  }
}
