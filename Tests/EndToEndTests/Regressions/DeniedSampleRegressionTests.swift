import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Before what is here is given up, a GET must say that it is of another version: a refusal does not.
@Suite(.waiting) struct DeniedSampleRegressionTests {
  /// What the GETs get in place of the file.
  enum Denial: String, CaseIterable, CustomTestStringConvertible {
    case unauthorized, forbidden, notFound, gone, notAllowed, page, redirectedToAPage, noHTTP

    var testDescription: String { rawValue }

    func reply(to request: Request) -> Reply {
      switch self {
      case .unauthorized: .status(401)
      case .forbidden: .status(403)
      case .notFound: .status(404)
      case .gone: .status(410)
      case .notAllowed: .status(405)
      case .page: .status(200, headers: ["Content-Type": "text/html"], text: "login")
      case .redirectedToAPage:
        request.path == "/login" ? .status(200, text: "login") : .redirect(to: "/login")
      case .noHTTP: .raw("SSH-2.0-OpenSSH_9.2\r\n")
      }
    }
  }

  /// A part of 4 MiB with this name of its version.
  private func leave(_ etag: String?, in trial: Trial) throws {
    try trial.folder.write(.ten, to: trial.part, mode: 0o600)
    var manifest = StoredManifest(url: trial.server.url())
    manifest.length = Content.ten.length
    manifest.etag = etag
    manifest.segments = [.init(start: 0, end: 4 << 20, crc32: try Content.ten.crc32(of: 0..<4 << 20))]
    try trial.folder.write(manifest.text, to: trial.stored, mode: 0o600)
  }

  private func expectKept(_ trial: Trial, _ location: SourceLocation = #_sourceLocation) throws {
    let result = try trial.run()
    #expect(result.exitCode == 4 || result.exitCode == 6, "\(result.error)", sourceLocation: location)
    try trial.expect(result, exit: result.exitCode, .part, location: location)
    #expect(try trial.manifest()?.done == 4 << 20, "\(result.error)", sourceLocation: location)
    trial.heal()
  }

  @Test(arguments: Denial.allCases) func ofAVersionWithoutAName(denial: Denial) throws {
    let nameless = Reply.file(.ten) { ($0.etag, $0.lastModified) = (nil, nil) }
    let trial = try Trial(.ten) { $0.method == "HEAD" ? nameless : denial.reply(to: $0) }
    try leave(nil, in: trial)
    try expectKept(trial)
    try trial.expect(trial.run(), exit: 0, .file, says: "resumed from 4.0 MiB")
  }

  /// HEAD names another version, or another length.
  @Test(arguments: Denial.allCases, [true, false]) func whereHEADSaysOtherwise(denial: Denial, isLength: Bool) throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "HEAD" else { return denial.reply(to: request) }
      return .file(.ten) {
        if isLength { $0.headLength = .other(Content.ten.length + 7) } else { $0.etag = "\"other\"" }
      }
    }
    try leave(Content.ten.etag, in: trial)
    try expectKept(trial)
    try trial.expect(trial.run(), exit: 0, .file, says: "resumed from 4.0 MiB")
  }

  /// One part of another total, which does not say which version that is: it is asked for again.
  @Test(arguments: [1, 4]) func oneOtherTotalWithoutAName(connections: Int) throws {
    let trial = try Trial(.ten) { request in
      guard request.method == "GET", request.indexOfMethod == 1 else { return .file(.ten) }
      return .file(.ten) {
        ($0.etag, $0.lastModified) = (nil, nil)
        $0.contentRange = { range, total in "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total + 1)" }
      }
    }
    try leave(Content.ten.etag, in: trial)
    let result = try trial.run("-n", "\(connections)", "--min-split", "1M")
    try trial.expect(result, exit: 0, .file, says: "resumed from 4.0 MiB")
  }

  /// What an earlier run computed of a part says nothing of the part as it is now, whatever its time says.
  @Test func aDigestThatWasComputedOnceNamesNoFile() throws {
    let trial = try Trial.healthy()
    try trial.expect(trial.run("--md5", String(repeating: "0", count: 32)), exit: 5, .part)
    let path = trial.folder.path(trial.part)
    var before = stat()
    #expect(stat(path, &before) == 0)
    try trial.folder.flipByte(of: trial.part, at: 5_000_000)
    var times = [before.st_atim, before.st_mtim]
    #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
    let right = try DigestTests.digest("md5", of: .ten)
    try trial.expect(trial.run("--md5", right), exit: 0, .file, says: "md5 verified")
  }
}
