/// Every failure, made in one place: one line that says what, where, why, and what to do.
///
/// Paths are as shown to people; texts of a server's are sanitised by whoever passes them, URLs are redacted here.
extension DownloadError {
  // MARK: Usage

  /// `text` is a URL as typed: what stands before an `@` in it is not shown.
  package static func notAURL(_ text: String, _ why: String? = nil) -> DownloadError {
    // A whole command line may have been meant, with secrets behind its first blank.
    let redacted = Redactor.address(text)
    let word = redacted.prefix { !$0.isWhitespace }
    let shown = Sanitiser.line(String(word)) + (word.endIndex < redacted.endIndex ? " ..." : "")
    return DownloadError(.usage, "not a URL: '\(shown)'" + (why.map { ": \($0)" } ?? ""))
  }

  /// A URL whose scheme is none that may be asked there: `allowed`.
  package static func scheme(_ scheme: String, allowed: String) -> DownloadError {
    DownloadError(.usage, "cannot fetch \(Sanitiser.line(scheme)):// URLs here: \(allowed) only")
  }

  /// A URL that names a folder.
  package static func folder(_ url: RemoteURL) -> DownloadError {
    DownloadError(.usage, "\(url.redacted) names a folder: only files are fetched")
  }

  /// The manifest of `part` names a URL of a scheme that only a user may name.
  package static func untypedScheme(part: String, scheme: String) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "\(part) comes from a \(Sanitiser.line(scheme)):// URL, which a manifest may not name: go on with "
        + "'swoop resume \(part) --url URL'")
  }

  /// libcurl does not take the proxy that an option or the environment names.
  package static func badProxy(_ reason: String) -> DownloadError {
    DownloadError(.usage, "the proxy that is set cannot be used: \(reason)")
  }

  /// libcurl cannot read the file that `--netrc` names.
  package static func badNetrc(_ reason: String) -> DownloadError {
    DownloadError(.usage, "the file of --netrc cannot be used: \(reason)")
  }

  /// An algorithm that the installed OpenSSL lacks.
  package static func noSuchDigest(_ algorithm: DigestAlgorithm) -> DownloadError {
    DownloadError(.usage, "this machine's OpenSSL does not offer \(algorithm.rawValue)")
  }

  // MARK: Network and server

  /// The end of the retries before anything came.
  package static func gaveUp(
    _ url: RemoteURL, _ reason: String, failure: Failure = .network, tries: Int
  ) -> DownloadError {
    DownloadError(
      failure,
      "could not fetch \(url.redacted): \(reason) after \(times(tries)); run the same command again to try once more")
  }

  /// The end of the retries for a range. `canResume`: the file has a length, and what is here of it counts.
  package static func gaveUp(
    _ url: RemoteURL, range: ByteRange, _ reason: String, failure: Failure, tries: Int, canResume: Bool = true
  ) -> DownloadError {
    DownloadError(
      failure,
      "could not fetch \(range) of \(url.redacted): \(reason) after \(times(tries)); run the same command again to "
        + (canResume ? "resume" : "begin again"))
  }

  static func times(_ tries: Int) -> String { tries == 1 ? "1 try" : "\(tries) tries" }

  /// All heads of a transfer exceed `ResponseHeadParser.limit`.
  package static func headTooLarge(_ url: RemoteURL) -> DownloadError {
    DownloadError(.refused, "could not fetch \(url.redacted): response headers too large (more than 64 KiB)")
  }

  /// The name that a server gave to the file is that of something that no download of ours has left.
  package static func foreignPart(_ part: String) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "\(Sanitiser.line(part, limit: 4096)) or its manifest is here and is none of ours: left alone; give the file another name "
        + "with -o, or use --restart to replace it")
  }

  /// A head that breaks the rules of HTTP; `what` is one clause.
  package static func cannotUnderstand(_ url: RemoteURL, _ what: String) -> DownloadError {
    DownloadError(.refused, "could not fetch \(url.redacted): the server's answer cannot be understood: \(what)")
  }

  /// `hasLogin`: the request carried one that was typed; `usesNetrc`: one of a netrc file, if that has one.
  package static func refused(
    _ url: RemoteURL, _ status: HTTPStatus, hasLogin: Bool = false, usesNetrc: Bool = false
  ) -> DownloadError {
    let advice =
      switch status {
      case .unauthorized where hasLogin, .notLoggedIn where hasLogin: ", it refuses this login"
      case .unauthorized where usesNetrc, .notLoggedIn where usesNetrc:
        ", it wants another login than the netrc file gives"
      case .unauthorized, .notLoggedIn: ", it wants a login (-u)"
      default: ""
      }
    var error = refused(url, "the server answered \(status)\(advice)")
    error.mayHaveExpired = status.meansExpired
    return error
  }

  /// A refusal that no status explains; `reason` is one clause.
  package static func refused(_ url: RemoteURL, _ reason: String) -> DownloadError {
    DownloadError(.refused, "could not fetch \(url.redacted): \(reason)")
  }

  /// A refusal after something was fetched. `status` nil: it was no status that refused. `isKept`: there is a part.
  package static func refused(
    _ url: RemoteURL, range: ByteRange, _ reason: String, status: HTTPStatus?, failure: Failure, isKept: Bool = true
  ) -> DownloadError {
    let isGone = status == .notFound || status == .gone || status == .noFile
    let fate = (isGone ? ", the file has vanished from it" : "") + (isKept ? "; what was fetched is kept" : "")
    var error = DownloadError(failure, "could not fetch \(range) of \(url.redacted): \(reason)\(fate)")
    error.mayHaveExpired = status?.meansExpired == true && !isGone
    return error
  }

  /// The file is another one now, or its ranges contradict each other; `reason` is one clause.
  package static func remoteChanged(_ url: RemoteURL, _ reason: String) -> DownloadError {
    DownloadError(
      .remoteChanged, "could not fetch \(url.redacted): \(reason); the server's answers do not fit together, try later")
  }

  /// An answer that does not name the version that `part` is of, nor another one, and of which the length alone tells
  /// that it is not the same; `how` is one clause.
  package static func nameless(_ url: RemoteURL, part: String, _ how: String) -> DownloadError {
    DownloadError(
      .remoteChanged,
      "could not fetch \(url.redacted): the server names no version of it, and \(how); \(part) is kept: run the same "
        + "command again later, or with --restart to begin again")
  }

  /// `target` as it may be shown.
  package static func badRedirect(_ url: RemoteURL, to target: String) -> DownloadError {
    DownloadError(.refused, "redirect refused: \(url.redacted) leads to \(target)")
  }

  /// More redirects in a row than `most`.
  package static func tooManyRedirects(_ url: RemoteURL, most: Int) -> DownloadError {
    DownloadError(.refused, "redirect refused: \(url.redacted) leads on more than \(most) times")
  }

  /// `isUntrusted`: it is the certificate that is not trusted.
  package static func noSecureConnection(_ url: RemoteURL, _ reason: String, isUntrusted: Bool) -> DownloadError {
    var advice = isUntrusted ? "; --cacert FILE names certificates to trust" : ""
    if reason.contains("wrong version number") { advice = "; is it an \(url.isFTP ? "ftp" : "http") server?" }
    return DownloadError(.tls, "no secure connection for \(url.redacted): \(reason)\(advice)")
  }

  /// A failure that has no kind of its own; `reason` is one clause.
  package static func unforeseen(_ url: RemoteURL, _ reason: String) -> DownloadError {
    DownloadError(.unforeseen, "could not fetch \(url.redacted): \(reason)")
  }

  // MARK: This machine

  /// libcurl cannot send from what `--interface` names; `reason` is one clause that names it.
  package static func noSuchInterface(_ reason: String) -> DownloadError {
    DownloadError(.local, "--interface: \(reason)")
  }

  /// More than `Manifest.mostLength` bytes.
  package static func tooLarge(_ url: RemoteURL) -> DownloadError {
    DownloadError(.local, "\(url.redacted) is too large for any file system")
  }

  /// More than `--max-size`. `length`: the whole file's in bytes; nil where it is not known.
  package static func aboveMaximum(_ url: RemoteURL, length: Int64?, most: ByteCount) -> DownloadError {
    let bound = "\(most) (\(most.bytes) bytes)"
    let what =
      length.map { "is \(ByteCount($0)) (\($0) bytes), and --max-size allows \(bound): not fetched" }
      ?? "tells no length, and has sent more than --max-size allows, \(bound): stopped"
    return DownloadError(.local, "\(url.redacted) \(what); give a larger --max-size to fetch it")
  }

  /// The disk lacks room; `needed` is what is still to be written, `free` what there is for it.
  package static func noRoom(_ path: String, needed: ByteCount, free: ByteCount) -> DownloadError {
    DownloadError(.local, "not enough room for \(path): it needs \(needed) more, and there are \(free)")
  }

  /// What stands in a name's place is not ours to use.
  package static func leftAlone(_ path: String, _ what: String) -> DownloadError {
    DownloadError(.local, "\(path) \(what): left alone; remove it first")
  }

  /// The part at `path` was removed while a run wrote it, and its name may be another file's.
  package static func partTaken(_ path: String) -> DownloadError {
    DownloadError(
      .local,
      "\(path) was removed or replaced while it was being written: what is there now is left alone; run the same "
        + "command again")
  }

  /// Another process holds the lock of the part or of the file at `path`.
  package static func locked(_ path: String) -> DownloadError {
    DownloadError(.locked, "another process is at work on \(path)")
  }

  /// The name is taken by a file that cannot be shown to be this one. `mismatch`: the digest that it lacks, and the one
  /// that it has.
  package static func targetExists(
    _ path: String, mismatch: (expected: Digest, got: Digest)? = nil
  ) -> DownloadError {
    let why = mismatch.map { ": its \($0.got.algorithm.rawValue) is \($0.got.hex), expected \($0.expected.hex)" } ?? ""
    return DownloadError(
      .targetExists, "\(path) exists and is not this file\(why): left alone; use --force to replace it")
  }

  /// A folder has the name that a file is to get; that is never replaced.
  package static func folderExists(_ path: String) -> DownloadError {
    DownloadError(.targetExists, "\(path) is a folder: the file was not saved; give it another name")
  }

  /// Two files of one command would have the same name.
  package static func sameTarget(_ path: String) -> DownloadError {
    DownloadError(
      .usage, "\(path) is the name of another file of this command as well: not fetched; give this one another name")
  }

  /// A file of a command would have the name of a folder that another one goes into.
  package static func folderOfAnother(_ path: String) -> DownloadError {
    DownloadError(
      .usage, "\(path) is a folder for another file of this command: not fetched; give this one another name")
  }

  /// What would be a folder on the way to a file is the name of another file of the command.
  package static func belowAnother(_ path: String) -> DownloadError {
    DownloadError(
      .usage, "\(path) is below the name of another file of this command: not fetched; give it another folder")
  }

  /// Two answers of one command have the same name.
  package static func nameTaken(_ path: String) -> DownloadError {
    DownloadError(
      .targetExists, "\(path) was saved from another URL of this command: not fetched; name this one with -o")
  }

  // MARK: Digests and manifests

  /// The complete data in `part` has another digest than the one that was demanded.
  package static func digestMismatch(
    _ path: String, part: String, expected: Digest, got: Digest, _ disk: DiskVerdict = .intact
  ) -> DownloadError {
    let advice = disk.blamesDisk ? checkDisk : "run again with the right digest, or with --restart"
    return DownloadError(
      .digestMismatch,
      "\(mismatch(path, expected: expected, got: got)); \(disk.clause); the data is in \(part); \(advice)")
  }

  private static let checkDisk = "check the disk, then run the same command again"

  /// What does not match, as one clause; `path` is the file's.
  package static func mismatch(_ path: String, expected: Digest, got: Digest?, with what: String = "") -> String {
    "\(expected.algorithm.rawValue) of \(path) does not match\(what): expected \(expected.hex), "
      + "got \(got?.hex ?? "nothing")"
  }

  /// A list of digests that is of no use; `source` is its path or its address as it may be shown, `advice` what to do
  /// where it does not have the file's name.
  package static func checksumFile(
    _ source: String, _ problem: ChecksumFile.Problem, advice: String = ""
  ) -> DownloadError {
    let why =
      switch problem {
      case .tooLarge: "is larger than 1 MiB"
      case .noDigests: "holds no digest of a file"
      case .noLine(let name): "has no line for \(name)\(advice)"
      case .contradiction(let name, let algorithm): "has two different \(algorithm.rawValue) digests of \(name)"
      case .bareDigest: "holds one digest without a name, and there are several files"
      }
    return DownloadError(.usage, "--checksum-file: \(source) \(why)")
  }

  /// The complete data in `part` has another digest than the one that the server announced.
  package static func announcedMismatch(
    _ path: String, part: String, expected: Digest, got: Digest, _ disk: DiskVerdict = .intact
  ) -> DownloadError {
    let what = mismatch(path, expected: expected, got: got, with: " what the server announced")
    let advice =
      disk.blamesDisk
      ? checkDisk
      : "run the same command again later to ask the server once more, with --no-server-digest to take the data as it "
        + "is, or with --restart"
    return DownloadError(.digestMismatch, "\(what); \(disk.clause); the data is in \(part); \(advice)")
  }

  /// A server announces two digests with one algorithm.
  package static func contradiction(
    _ url: RemoteURL, _ first: AnnouncedDigests.Member, _ second: AnnouncedDigests.Member
  ) -> DownloadError {
    DownloadError(
      .digestMismatch,
      "\(url.redacted) is announced with two different \(first.digest.algorithm.rawValue) digests: "
        + "\(first.digest.hex) (\(first.field)) and \(second.digest.hex) (\(second.field)); run again with the right one, "
        + "or with --no-server-digest")
  }

  /// The manifest of `part` names another URL; `url` is that one, as it was read.
  package static func otherURL(part: String, url: String) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "\(part) belongs to \(Redactor.text(Sanitiser.line(url))): left alone; if this is a new address of the same file, run swoop resume "
        + "\(part) --url NEW, or use --restart to begin again")
  }

  /// What `url` gives is not what `part` holds; `how` is one clause.
  package static func otherFile(part: String, url: RemoteURL, _ how: String) -> DownloadError {
    DownloadError(.manifestUnusable, "\(url.redacted) is not the file of \(part) (\(how)): left alone")
  }

  /// The manifest has a format that is not `Manifest.currentVersion`.
  package static func otherVersion(manifest: String, format: Int) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "\(manifest) was written by another version of swoop (format \(format)): left alone; use that one, or --restart")
  }

  /// `part` is here without the manifest that a run of ours leaves beside it.
  package static func noManifest(of part: String) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "\(part) has no manifest \(part).json beside it, so what of it is complete is not known: fetch the file again")
  }

  /// There is no partial file `part`. `finished`: the file that has its final name.
  package static func noPart(_ part: String, finished: String?) -> DownloadError {
    let why = finished.map { "\($0) is here, and a finished file has no part; swoop verify checks it" }
    return DownloadError(.manifestUnusable, "there is no partial file \(part): \(why ?? "nothing to resume")")
  }

  /// A manifest is all that is here of a file. `part`: nil where the file is filled in place.
  package static func onlyManifest(of file: String, part: String?, manifest: String) -> DownloadError {
    let what = part.map { "neither \($0) nor \(file) is here" } ?? "\(file) is not here"
    return DownloadError(.manifestUnusable, "\(what), only the manifest \(manifest): fetch the file again")
  }

  /// A new address names another digest than the partial file must have: `kept`.
  package static func otherDigest(part: String, url: RemoteURL, _ kept: Digest) -> DownloadError {
    DownloadError(
      .manifestUnusable,
      "the fragment of \(url.redacted) names another \(kept.algorithm.rawValue) than \(part) must have (\(kept.hex)): "
        + "left alone; if that one is wrong, give the right one with --checksum \(kept.algorithm.rawValue):HEX")
  }

  /// The manifest of `part` is malformed; `what` is one clause.
  package static func badManifest(part: String, _ what: String) -> DownloadError {
    DownloadError(.manifestUnusable, "the manifest of \(part) cannot be used: \(what)")
  }

  // MARK: Signals

  /// By its number on Linux (signal(7)).
  package static func interrupted(_ signal: Int32) -> DownloadError {
    let names: [Int32: String] = [1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 15: "SIGTERM"]
    return DownloadError(.interrupted(signal), "interrupted by \(names[signal] ?? "signal \(signal)")")
  }

  /// An interruption where a part is kept. What is here of a file without a length cannot be gone on with.
  package func interruption(canResume: Bool) -> DownloadError {
    let advice =
      canResume
      ? "run the same command again to resume"
      : "the server gave no length, so the same command begins again"
    return DownloadError(failure, "\(message); \(advice)")
  }

  /// A refusal where a part is kept: a new address helps if it is the old one that has expired.
  package func naming(part: String) -> DownloadError {
    guard mayHaveExpired else { return self }
    return DownloadError(
      failure,
      message + "; if the link, its cookies or its headers have expired, run swoop resume \(part) --url NEW, with new "
        + "ones by -b and -H")
  }
}
