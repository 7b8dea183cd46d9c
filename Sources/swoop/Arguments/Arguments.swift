internal import DownloadCore

/// What was typed, word for word understood; `Arguments+Request.swift` makes the jobs of it.
struct Arguments: Sendable {
  enum Information: Hashable, Sendable {
    case shortHelp
    case fullHelp
    case version
    case document(GeneratedDocument)
  }

  /// A `-H`: a field, a field not to send, or a file with one of these on each line.
  enum HeaderSource: Hashable, Sendable {
    case field(HeaderField)
    case suppression(String)
    case file(String)
  }

  var verb = Verb.fetch
  /// URLs, or for the other verbs files.
  var operands: [String] = []
  /// Help, version or a document, which is then all that is done.
  var information: Information?
  /// Where secrets stand in the words, to be blanked in the process list.
  var secrets: [SecretSpan] = []

  var output: String?
  var directory: String?
  var replacesExisting = false
  var restarts = false
  var usesContentDisposition = true
  var preallocates = true
  var keepsServerTime = true
  var isDryRun = false

  var range: WantedRange?
  var outputOffset: Int64?
  var keepsManifest = false
  /// How many parts `plan` is to make, and the one of which it is to print the range.
  var parts: Int?
  var part: Int?
  /// `--remove-parts` of `join`.
  var removesParts = false
  /// `--repair` of `verify`.
  var repairURL: String?

  var connections = ConnectionLimit.automatic
  var minimumSplit = ByteCount.kibi(64)
  var timeouts = Timeouts()
  var rateLimit: ByteCount?

  /// Further addresses of the file, as typed.
  var mirrors: [String] = []

  var maximumSize: ByteCount?
  /// `--metalink`.
  var usesMetalinks = false

  var digests: [Digest] = []
  /// The path or address of a list of digests.
  var checksumFile: String?
  var checksServerDigest = true

  var headers: [HeaderSource] = []
  /// `headers` is filled from the sources when the jobs are made.
  var http = HTTPOptions()
  var usesNetrc = false
  /// `--url` of `resume`.
  var newURL: String?
  /// The URL is that of a pasted curl line.
  var isPasted = false
  /// Names of the fields of a pasted curl line that are not sent.
  var leftOutOfCurlLine: [String] = []

  /// The config file as typed; nil: the usual one, if it is there.
  var configuration: String?
  var ignoresConfiguration = false
  /// The config file that was read.
  var configurationRead: String?

  var progress = ProgressChoice.automatic
  /// `--json`.
  var printsJSON = false
  var isQuiet = false
  var isVerbose = false
}

extension Arguments {
  /// Adds a digest that the file must have; one algorithm cannot have two values.
  mutating func demand(_ digest: Digest) throws(DownloadError) { try digests.demand(digest) }

  /// Notes which config file is to be read; there is one at most.
  mutating func takeConfiguration(_ path: String) throws(DownloadError) {
    guard configuration == nil else { throw .usage("--config can be given only once") }
    configuration = try Text.fileName(path, of: "--config")
  }

  /// Notes another address of the file.
  mutating func addMirror(_ text: String) throws(DownloadError) {
    guard !text.isEmpty else { throw .usage("--mirror needs a URL") }
    mirrors.append(text)
  }

  /// Notes where the list of digests is; there is one at most.
  mutating func takeChecksumFile(_ text: String) throws(DownloadError) {
    guard !text.isEmpty else { throw .usage("--checksum-file needs a file's name or a URL") }
    guard checksumFile == nil else { throw .usage("--checksum-file can be given only once") }
    checksumFile = text
  }
}

extension [Digest] {
  /// Adds a digest that a file must have; throws where it has another one of the same algorithm already.
  mutating func demand(_ digest: Digest) throws(DownloadError) {
    guard let earlier = first(where: { $0.algorithm == digest.algorithm }) else { return append(digest) }
    guard earlier == digest else { throw .usage("two different \(digest.algorithm.rawValue) digests were given") }
  }
}
