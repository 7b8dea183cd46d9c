internal import DownloadCore
internal import DownloadEngine

/// A metalink that was read, and the jobs that its files are.
struct MetalinkSource {
  let metalink: Metalink
  /// Its path or address, as it may be shown.
  let shown: String
  /// Where it came from; nil: it is a file that is here.
  let url: RemoteURL?
  /// What was given for the origin of `url`.
  let http: HTTPOptions?
  /// Nobody can have changed it on its way to us.
  let isAuthenticated: Bool

  /// Reads one that is here. Throws `usage` where it cannot be used.
  init(file path: String) throws(DownloadError) {
    shown = path.printable
    url = nil
    http = nil
    isAuthenticated = true
    let bytes = try FileLook.bytes(of: path, for: "--metalink", most: Metalink.mostBytes)
    do throws(MetalinkProblem) {
      metalink = try MetalinkParser.parse(bytes)
    } catch {
      throw .metalink(shown, error, isRemote: false)
    }
  }

  /// Takes one that was fetched by `job`, whose digests it has.
  init(_ metalink: Metalink, by job: DownloadRequest) {
    self.metalink = metalink
    url = job.url
    http = job.http
    shown = job.url.redacted
    isAuthenticated = job.url.scheme == "https" || job.digests.contains(where: \.algorithm.resistsAttacks)
  }

  /// A job for each file. One that cannot be fetched fails alone; what was typed for one file and there are several throws
  /// `usage`.
  func jobs(_ arguments: Arguments) throws(DownloadError) -> [QueuedDownload] {
    let count = metalink.files.count
    guard count == 1 || arguments.mirrors.isEmpty else {
      throw .usage("--mirror is another address of one file, and the metalink \(shown) has \(count)")
    }
    guard count == 1 || arguments.output == nil else {
      throw .usage("--output names one file, and the metalink \(shown) has \(count); use --directory")
    }
    guard count == 1 || arguments.digests.isEmpty else {
      throw .usage("a digest is that of one file, and the metalink \(shown) has \(count)")
    }
    guard count == 1 || arguments.mirrors.isEmpty else {
      throw .usage("--mirror is another address of one file, and the metalink \(shown) has \(count)")
    }
    let target = try OutputName.target(
      output: arguments.output, directory: arguments.directory, kind: FileLook.kind)
    var places: Set<DownloadRequest.Target> = []
    return metalink.files.map { file in
      do throws(DownloadError) {
        return try job(file, target, arguments, &places)
      } catch {
        return QueuedDownload(request: .failure(error))
      }
    }
  }

  private func job(
    _ file: Metalink.File, _ base: DownloadRequest.Target, _ arguments: Arguments,
    _ places: inout Set<DownloadRequest.Target>
  ) throws(DownloadError) -> QueuedDownload {
    let target = try target(file, base)
    guard places.insert(target).inserted else { throw refusal(file, "another file there has the same name") }
    let (request, others) = try request(file, target, arguments)
    var job = QueuedDownload(request: .success(request))
    job.notes = Self.notes(file, request, others, in: shown)
    return job
  }

  /// What a file that is here must be: that of its path, as far as it is given, or of its name, or the only one.
  func request(for target: DownloadRequest.Target, _ arguments: Arguments) throws(DownloadError) -> DownloadRequest {
    let path = "/\(target.folder)/\(target.name ?? "")"
    let named = metalink.files.filter { path.hasSuffix("/" + $0.name) }.max { $0.name.count < $1.name.count }
    let alike = metalink.files.filter { "/\($0.name)".hasSuffix("/" + (target.name ?? "")) }
    guard let file = named ?? (alike.count == 1 ? alike[0] : metalink.files.count == 1 ? metalink.files[0] : nil) else {
      throw .metalinkFile(shown, target.name ?? "", "it is not one of the files there", isRemote: url != nil)
    }
    return try request(file, target, arguments).request
  }

  /// The request, and the addresses that are not used.
  private func request(
    _ file: Metalink.File, _ target: DownloadRequest.Target, _ arguments: Arguments
  ) throws(DownloadError) -> (request: DownloadRequest, others: [String]) {
    let (mirrors, others) = file.mirrors(from: url)
    guard let first = mirrors.first else { throw refusal(file, "it has no http or https address") }
    var request = try arguments.configured(DownloadRequest(url: first.url), target: target)
    request.http = self.http(request.http, for: first.url)
    request.mirrors += mirrors.dropFirst()
    try request.demand(file, of: shown, isAuthenticated: isAuthenticated)
    return (request, others)
  }

  /// What the user gave for the origin of the URL that was typed goes nowhere else.
  private func http(_ general: HTTPOptions, for source: RemoteURL) -> HTTPOptions {
    guard let http, url?.origin == source.origin else { return general.forAnyOrigin }
    return http
  }

  private func refusal(_ file: Metalink.File, _ why: String) -> DownloadError {
    .metalinkFile(shown, file.name, why, isRemote: url != nil)
  }
}

/// Where the files go, and what there is to say of them.
extension MetalinkSource {
  /// The metalink's name for it, below the folder that was typed; or the name that was typed.
  private func target(
    _ file: Metalink.File, _ base: DownloadRequest.Target
  ) throws(DownloadError) -> DownloadRequest.Target {
    guard base.name == nil else { return base }
    let path: RelativePath
    do throws(RelativePath.Problem) {
      path = try RelativePath(file.name)
    } catch {
      throw refusal(file, "its name cannot be used: \(error.clause)")
    }
    var target = base
    target.name = path.name
    target.folder = ([base.folder] + path.folders).joined(separator: "/")
    if base.folder == ".", !path.folders.isEmpty { target.folder = path.folders.joined(separator: "/") }
    return target
  }

  /// What a dry run is to tell of a file, and else who is curious; and what of it is not used.
  static func notes(
    _ file: Metalink.File, _ request: DownloadRequest, _ others: [String], in shown: String
  ) -> [DownloadEvent] {
    let lines =
      others.map { "not used: \(Sanitiser.line(Redactor.address($0))): http and https only" }
      + file.unknownAlgorithms.sorted().map { "not used: \(Sanitiser.line($0)), an unknown algorithm" }
    let notes = lines.map { DownloadEvent.trace("\(shown): \($0)") }
    let summary = summary(file, request, in: shown)
    return notes + [request.isDryRun ? .message(summary) : .trace(summary)]
  }

  /// `x.meta4: a.iso: 1.2 GiB (1288490188 bytes), sha256, 4916 pieces of 256 KiB (sha1), 2 sources: URL URL`
  private static func summary(_ file: Metalink.File, _ request: DownloadRequest, in shown: String) -> String {
    let sources = [request.url] + request.mirrors.map(\.url)
    let size = file.size.map { "\(ByteCount($0)) (\($0) bytes)" } ?? "of unknown size"
    let pieces = request.pieces.map {
      "\($0.digests.count == 1 ? "1 piece" : "\($0.digests.count) pieces") of \(ByteCount($0.length)) (\($0.algorithm.rawValue))"
    }
    let facts = [size, file.proof?.algorithm.rawValue, pieces].compactMap(\.self).joined(separator: ", ")
    let count = sources.count == 1 ? "1 source" : "\(sources.count) sources"
    return "\(shown): \(Sanitiser.line(file.name)): \(facts), \(count): "
      + sources.map(\.redacted).joined(separator: " ")
  }
}
