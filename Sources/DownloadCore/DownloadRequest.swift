/// One file to fetch: what was typed, checked and made exact.
package struct DownloadRequest: Sendable {
  /// The URL as typed, normalised.
  package var url: RemoteURL
  /// Where the file goes.
  package var target = Target()
  /// Every one of these must match before the file gets its name.
  package var digests: [Digest] = []
  /// All that is known of the digests came over plain http.
  package var digestsAreUnauthenticated = false
  /// Compare the file with the digest that the server itself announces, too.
  package var checksServerDigest = true
  /// More than this is refused; nil: anything that the disk can hold.
  package var maximumSize: ByteCount?
  /// How many connections the file may have.
  package var connections = ConnectionLimit.automatic
  /// No range smaller than this is planned, or taken over from another connection.
  package var minimumSplit = ByteCount.kibi(64)
  /// Bytes a second over all connections; nil: as many as come.
  package var rateLimit: ByteCount?
  /// What the requests carry, and how they travel.
  package var http = HTTPOptions()
  /// How long to wait without progress.
  package var timeouts = Timeouts()
  /// Replace an existing file, atomically, once the new one is complete.
  package var replacesExisting = false
  /// Throw a partial download away and begin again.
  package var restarts = false
  /// Take the URL's word for the part's file although its manifest names another one (`resume --url`).
  package var acceptsNewURL = false
  /// Reserve the file's room on the disk before a byte is fetched.
  package var preallocates = true
  /// Give the finished file the server's Last-Modified.
  package var keepsServerTime = true
  /// Ask and plan, fetch nothing.
  package var isDryRun = false
  /// Further sources of the same file, the best first.
  package var mirrors: [Mirror] = []
  /// Digests of the file's pieces; nil: none are known.
  package var pieces: PieceDigests?
  /// The length that the file must have, where it is known before any server is asked.
  package var knownLength: Int64?
  /// The part of the file that is wanted; nil: all of it.
  package var range: WantedRange?
  /// Where in an existing file the first byte of `range` goes, in place; nil: into a file of its own.
  package var outputOffset: Int64?
  /// The most bytes that are fetched ahead of what takes them in their order.
  package var window = ByteCount.kibi(64 << 10)
  /// Leave the manifest beside the finished file.
  package var keepsManifest = false
  /// What is here counts more than what the server has now: another version is a failure, and nothing is begun again.
  package var staysWithVersion = false

  /// Everything but the URL at its default.
  package init(url: RemoteURL) { self.url = url }

  /// So many connections a window has room for: with shorter ranges each they would do little but ask for the next one.
  package var connectionsInWindow: Int {
    let each = min(max(1, minimumSplit.bytes), 1 << 40) * 4
    return Int(max(1, min(Int64(ConnectionLimit.most), window.bytes / each)))
  }

  /// Throws `local` for a length that is more than what was allowed, or than any file system holds, and `remoteChanged`
  /// for one that is not what the file is known to have.
  package func checkSize(_ length: Int64?, of url: RemoteURL) throws(DownloadError) {
    guard let length else { return }
    guard length <= Manifest.mostLength else { throw .tooLarge(url) }
    if let knownLength, length != knownLength { throw .otherLength(url, length, expected: knownLength) }
    if let maximumSize, length > maximumSize.bytes { throw .aboveMaximum(url, length: length, most: maximumSize) }
  }

  /// Where the file goes.
  package struct Target: Hashable, Sendable {
    /// The folder, absolute or relative to the working directory; made if missing.
    package var folder = "."
    /// The file's name as typed, a single path part; nil: the server or the URL names it.
    package var name: String?
    /// The folder is one that is here and was typed as a file's name is, in a list.
    package var isFolderTypedAsName = false
    /// Whether Content-Disposition may name the file.
    package var usesContentDisposition = true
    /// What takes the bytes in their order, in place of a file; nil: a file is saved.
    package var sink: Sink?
    /// The working directory, and a name that the server or the URL gives.
    package init() {}
  }
}

/// What takes a file's bytes in their order, as they come, and keeps or does not keep them.
package enum Sink: Hashable, Sendable {
  /// The process' standard output.
  case standardOutput
  /// A device or FIFO at this path.
  case path(String)

  /// As it is told to programs: `-`, as it is typed, or the path.
  package var path: String {
    switch self {
    case .standardOutput: "-"
    case .path(let path): path
    }
  }

  /// As it is told to people.
  package var shown: String {
    switch self {
    case .standardOutput: "standard output"
    case .path(let path): Sanitiser.line(path, limit: 4096)
    }
  }
}

/// How many connections one file may have.
package enum ConnectionLimit: Hashable, Sendable {
  /// Begins with a few, adds while that helps.
  case automatic
  /// At once as many as this, at most 64.
  case fixed(Int)

  /// The most that may be asked for.
  package static let most = 64
  /// What `automatic` never exceeds.
  package static let automaticMost = 16

  /// The same, and no more than so many.
  package func atMost(_ count: Int) -> ConnectionLimit {
    switch self {
    case .fixed(let wanted): .fixed(min(wanted, count))
    case .automatic: count >= Self.automaticMost ? .automatic : .fixed(count)
    }
  }
}

/// Times without progress, in seconds.
package struct Timeouts: Hashable, Sendable {
  /// For a connection to be made.
  package var connect = 15.0
  /// No byte for this long: the connection is replaced.
  package var stall = 10.0
  /// No progress at all for this long: the download stops.
  package var giveUp = 120.0
  /// The defaults.
  package init() {}

  /// So long an answer that there is nothing without is waited for.
  package var answer: Double { min(stall, giveUp) }
}

/// What goes into every request to the origin.
package struct HTTPOptions: Hashable, Sendable {
  /// `Name: value` lines as typed; sent to the URL's own origin only.
  package var headers: [HeaderField] = []
  /// Names of the fields that libcurl would send by itself and must not: curl's `Name:` without a value.
  package var suppressedHeaders: [String] = []
  /// The value of User-Agent; nil: swoop's own.
  package var userAgent: String?
  /// The value of Referer, for the URL's own origin; nil: none.
  package var referer: String?
  /// The value of the Cookie header.
  package var cookie: String?
  /// The login for the URL's own origin; nil: none.
  package var credentials: RemoteURL.UserInfo?
  /// The path of a netrc file with a login for the URL's own host, which counts where there is no other; nil: none.
  package var netrc: String?
  /// The kind of addresses that names may resolve to; nil: both.
  package var addressFamily: AddressFamily?
  /// The interface, address or host to send from, as curl's `--interface`; nil: what the system chooses.
  package var interface: String?
  /// Addresses of names, as curl's `--resolve`: `[+]HOST:PORT:ADDRESS[,ADDRESS]` or `-HOST:PORT`.
  package var resolutions: [String] = []
  /// The proxy as typed; nil: what the environment names; empty: none.
  package var proxy: String?
  /// Hosts that need no proxy, as curl's `--noproxy`; nil: what the environment names.
  package var noProxy: String?
  /// Do not check certificates.
  package var isInsecure = false
  /// PEM files, as curl's `--cacert`, `--cert`, `--key`.
  package var authorities: String?
  /// The client's certificate.
  package var certificate: String?
  /// The private key of `certificate`.
  package var key: String?
  /// Nothing beyond what every request carries.
  package init() {}
}

/// A kind of Internet addresses.
package enum AddressFamily: Hashable, Sendable {
  /// Four numbers with dots.
  case ipv4
  /// Hexadecimal numbers with colons.
  case ipv6
}

/// One header field of a request or an answer.
package struct HeaderField: Hashable, Sendable {
  /// As typed or received; its case says nothing.
  package var name: String
  /// Without the blanks around it.
  package var value: String
  /// Takes both as they are.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
