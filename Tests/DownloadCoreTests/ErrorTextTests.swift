import DownloadCore
import Testing

/// The words of each failure: what, where, why, what to do.
@Suite struct ErrorTextTests {
  private static let url = RemoteURL(
    scheme: "https", host: "host", port: 443, path: "/file.iso", query: "sig=S3CR3T",
    userInfo: RemoteURL.UserInfo(user: "me", password: "S3CR3T"))
  private static let shown = "https://host/file.iso?sig=***"
  private static let range = ByteRange(1_048_576, 2_097_152)

  private static let texts: [(DownloadError, Failure, String)] = [
    (.notAURL("http://me:S3CR3T@[x"), .usage, "not a URL: 'http://***@[x'"),
    (.notAURL("http://me:S3CR3T@\u{301}[x?\u{301}t=S3CR3T"), .usage, "not a URL: 'http://***@\u{301}[x?***'"),
    (.notAURL("http://h:0/", "bad host or port"), .usage, "not a URL: 'http://h:0/': bad host or port"),
    (.scheme("ftp", allowed: "http and https"), .usage, "cannot fetch ftp:// URLs here: http and https only"),
    (
      .folder(RemoteURL(scheme: "ftp", host: "h", port: 21, path: "/f/")), .usage,
      "ftp://h/f/ names a folder: only files are fetched"
    ),
    (
      .untypedScheme(part: "f.part", scheme: "ftp"), .manifestUnusable,
      "f.part comes from a ftp:// URL, which a manifest may not name: go on with 'swoop resume f.part --url URL'"
    ),
    (
      .refused(url, .notLoggedIn), .refused,
      "could not fetch \(shown): the server answered 530, it wants a login (-u)"
    ),
    (
      .refused(url, .notLoggedIn, hasLogin: true), .refused,
      "could not fetch \(shown): the server answered 530, it refuses this login"
    ),
    (.noSuchDigest(.sm3), .usage, "this machine's OpenSSL does not offer sm3"),
    (.checksumFile("SUMS", .tooLarge), .usage, "--checksum-file: SUMS is larger than 1 MiB"),
    (.checksumFile("SUMS", .noDigests), .usage, "--checksum-file: SUMS holds no digest of a file"),
    (.checksumFile(shown, .noLine("f")), .usage, "--checksum-file: \(shown) has no line for f"),
    (
      .checksumFile("SUMS", .contradiction("f", .sha1)), .usage,
      "--checksum-file: SUMS has two different sha1 digests of f"
    ),
    (
      .checksumFile("SUMS", .bareDigest), .usage,
      "--checksum-file: SUMS holds one digest without a name, and there are several files"
    ),
    (
      .gaveUp(url, "connection refused", tries: 1), .network,
      "could not fetch \(shown): connection refused after 1 try; run the same command again to try once more"
    ),
    (
      .gaveUp(url, range: range, "connection reset", failure: .network, tries: 6), .network,
      "could not fetch bytes 1048576-2097151 of \(shown): connection reset after 6 tries; run the same command again "
        + "to resume"
    ),
    (
      .gaveUp(url, range: ByteRange(0, unknownEnd), "x", failure: .refused, tries: 2), .refused,
      "could not fetch bytes from 0 of \(shown): x after 2 tries; run the same command again to resume"
    ),
    (
      .headTooLarge(url), .refused, "could not fetch \(shown): response headers too large (more than 64 KiB)"
    ),
    (
      .cannotUnderstand(url, "a malformed status line"), .refused,
      "could not fetch \(shown): the server's answer cannot be understood: a malformed status line"
    ),
    (
      .nameless(url, part: "a.part", "its length was 10, is 9"), .remoteChanged,
      "could not fetch \(shown): the server names no version of it, and its length was 10, is 9; a.part is kept: run "
        + "the same command again later, or with --restart to begin again"
    ),
    (
      .partTaken("a.part"), .local,
      "a.part was removed or replaced while it was being written: what is there now is left alone; run the same command "
        + "again"
    ),
    (
      .aboveMaximum(url, length: 3 << 20, most: .kibi(1024)), .local,
      "\(shown) is 3.0 MiB (3145728 bytes), and --max-size allows 1.0 MiB (1048576 bytes): not fetched; give a larger "
        + "--max-size to fetch it"
    ),
    (
      .aboveMaximum(url, length: nil, most: .kibi(1)), .local,
      "\(shown) tells no length, and has sent more than --max-size allows, 1.0 KiB (1024 bytes): stopped; give a larger "
        + "--max-size to fetch it"
    ),
    (
      .announcedMismatch("a", part: "a.part", expected: Digest(.md5, hex: "00"), got: Digest(.md5, hex: "11")),
      .digestMismatch,
      "md5 of a does not match what the server announced: expected 00, got 11; the data on disk is what the server sent "
        + "(every CRC-32 is right), so its file or the digest is wrong; the data is in a.part; run the same command again "
        + "later to ask the server once more, with --no-server-digest to take the data as it is, or with --restart"
    ),
    (.refused(url, HTTPStatus(rawValue: 404)), .refused, "could not fetch \(shown): the server answered 404"),
    (
      .refused(url, HTTPStatus(rawValue: 401)), .refused,
      "could not fetch \(shown): the server answered 401, it wants a login (-u)"
    ),
    (
      .refused(url, range: range, "the server answered 404", status: .notFound, failure: .refused), .refused,
      "could not fetch bytes 1048576-2097151 of \(shown): the server answered 404, the file has vanished from it; what "
        + "was fetched is kept"
    ),
    (
      .remoteChanged(url, "the ETag was x, is y"), .remoteChanged,
      "could not fetch \(shown): the ETag was x, is y; the server's answers do not fit together, try later"
    ),
    (.badRedirect(url, to: "file:///etc/passwd"), .refused, "redirect refused: \(shown) leads to file:///etc/passwd"),
    (.tooManyRedirects(url, most: 10), .refused, "redirect refused: \(shown) leads on more than 10 times"),
    (
      .noSecureConnection(url, "expired", isUntrusted: true), .tls,
      "no secure connection for \(shown): expired; --cacert FILE names certificates to trust"
    ),
    (
      .noSecureConnection(url, "wrong version number", isUntrusted: false), .tls,
      "no secure connection for \(shown): wrong version number; is it an http server?"
    ),
    (
      .gaveUp(url, "the server answered 503", failure: .refused, tries: 3), .refused,
      "could not fetch \(shown): the server answered 503 after 3 tries; run the same command again to try once more"
    ),
    (
      .refused(url, .unauthorized, hasLogin: true), .refused,
      "could not fetch \(shown): the server answered 401, it refuses this login"
    ),
    (
      DownloadError.refused(url, .forbidden).naming(part: "f.part"), .refused,
      "could not fetch \(shown): the server answered 403; if the link, its cookies or its headers have expired, run swoop "
        + "resume f.part --url NEW, with new ones by -b and -H"
    ),
    (
      .nameTaken("f"), .targetExists,
      "f was saved from another URL of this command: not fetched; name this one with -o"
    ),
    (.unforeseen(url, "out of memory"), .unforeseen, "could not fetch \(shown): out of memory"),
    (.tooLarge(url), .local, "\(shown) is too large for any file system"),
    (
      .noRoom("a/f", needed: .kibi(3 << 10), free: .kibi(512)), .local,
      "not enough room for a/f: it needs 3.0 MiB more, and there are 512 KiB"
    ),
    (
      .leftAlone("f.part", "is a symbolic link"), .local, "f.part is a symbolic link: left alone; remove it first"
    ),
    (.locked("f.part"), .locked, "another process is at work on f.part"),
    (
      .targetExists("f"), .targetExists, "f exists and is not this file: left alone; use --force to replace it"
    ),
    (
      .digestMismatch("f", part: "f.part", expected: Digest(.md5, hex: "aa"), got: Digest(.md5, hex: "bb")),
      .digestMismatch,
      "md5 of f does not match: expected aa, got bb; the data on disk is what the server sent (every CRC-32 is right), "
        + "so its file or the digest is wrong; the data is in f.part; run again with the right digest, or with --restart"
    ),
    (
      .digestMismatch(
        "f", part: "f.part", expected: Digest(.md5, hex: "aa"), got: Digest(.md5, hex: "bb"), .repaired(1)),
      .digestMismatch,
      "md5 of f does not match: expected aa, got bb; 1 byte was damaged on disk and fetched again, now the data on disk "
        + "is what the server sent, so its file or the digest is wrong; the data is in f.part; run again with the right "
        + "digest, or with --restart"
    ),
    (
      .digestMismatch(
        "f", part: "f.part", expected: Digest(.md5, hex: "aa"), got: Digest(.md5, hex: "bb"),
        .damaged(fetchedAgain: 9, damagedAgain: 4)), .digestMismatch,
      "md5 of f does not match: expected aa, got bb; the disk is to blame: 9 bytes were damaged on it and fetched again, "
        + "and of the file 4 bytes are damaged now; the data is in f.part; check the disk, then run the same command again"
    ),
    (
      .targetExists("f", mismatch: (Digest(.md5, hex: "aa"), Digest(.md5, hex: "bb"))), .targetExists,
      "f exists and is not this file: its md5 is bb, expected aa: left alone; use --force to replace it"
    ),
    (
      .otherDigest(part: "f.part", url: url, Digest(.md5, hex: "aa")), .manifestUnusable,
      "the fragment of \(shown) names another md5 than f.part must have (aa): left alone; if that one is wrong, give the "
        + "right one with --checksum md5:HEX"
    ),
    (
      .otherURL(part: "f.part", url: "http://other/f"), .manifestUnusable,
      "f.part belongs to http://other/f: left alone; if this is a new address of the same file, run swoop resume f.part "
        + "--url NEW, or use --restart to begin again"
    ),
    (
      .otherFile(part: "f.part", url: url, "its length differs"), .manifestUnusable,
      "\(shown) is not the file of f.part (its length differs): left alone"
    ),
    (
      .otherVersion(manifest: "f.part.json", format: 2), .manifestUnusable,
      "f.part.json was written by another version of swoop (format 2): left alone; use that one, or --restart"
    ),
    (
      .noManifest(of: "f.part"), .manifestUnusable,
      "f.part has no manifest f.part.json beside it, so what of it is complete is not known: fetch the file again"
    ),
    (
      .onlyManifest(of: "f", part: "f.part", manifest: "f.part.json"), .manifestUnusable,
      "neither f.part nor f is here, only the manifest f.part.json: fetch the file again"
    ),
    (.noPart("f.part", finished: nil), .manifestUnusable, "there is no partial file f.part: nothing to resume"),
    (
      .noPart("f.part", finished: "f"), .manifestUnusable,
      "there is no partial file f.part: f is here, and a finished file has no part; swoop verify checks it"
    ),
    (
      .badManifest(part: "f.part", "a CRC-32 that is none"), .manifestUnusable,
      "the manifest of f.part cannot be used: a CRC-32 that is none"
    ),
    (.interrupted(2), .interrupted(2), "interrupted by SIGINT"),
    (.interrupted(3), .interrupted(3), "interrupted by SIGQUIT"),
    (
      DownloadError.interrupted(15).interruption(canResume: true), .interrupted(15),
      "interrupted by SIGTERM; run the same command again to resume"
    ),
    (
      DownloadError.interrupted(2).interruption(canResume: false), .interrupted(2),
      "interrupted by SIGINT; the server gave no length, so the same command begins again"
    ),
  ]

  @Test func saysWhatWhereWhyAndWhatToDo() {
    for (error, failure, text) in Self.texts {
      #expect(error.message == text)
      #expect(error.failure == failure)
    }
  }

  /// One line each, without a secret, and it reads on after a prefix.
  @Test func isOneLineWithoutSecrets() {
    for (error, _, _) in Self.texts {
      #expect(!error.message.contains("S3CR3T") && !error.message.contains(where: \.isNewline))
      #expect(error.message.first?.isUppercase == false && error.message.last != ".")
    }
  }

  /// What mends a damaged part can be run, whatever its address is.
  @Test(arguments: [
    ("http://h/f", "swoop verify --repair http://h/f p"),
    ("ftp://h/f", "swoop --force --range 5-9 --keep-manifest -o p ftp://h/f"),
    ("file:///f", "swoop --force --range 5-9 --keep-manifest -o p file:///f"),
  ])
  func howADamagedPartIsMended(url: String, command: String) {
    var manifest = Manifest(url: url)
    manifest.length = 20
    manifest.range = Manifest.StoredRange(ByteRange(5, 10))
    let part = PartCover.Part(shown: "p", manifest: manifest, size: 5, index: 0)
    let text = DownloadError.damagedPart(part, ByteRange(5, 7)).message
    #expect(text.hasSuffix("is fetched again by: \(command)"), "\(text)")
  }
}
