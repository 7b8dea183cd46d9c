internal import DownloadCore
internal import DownloadEngine

/// `swoop verify FILE`: checks a file that is here already, and says so as md5sum does.
enum VerifyVerb {
  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    let file = try file(arguments)
    let computed = try compute(file, arguments)
    let wrong = arguments.digests.filter { !computed.contains($0) }
    for digest in wrong {
      _ = Diagnostics.report(DownloadError(.digestMismatch, mismatch(file, digest, computed)))
    }
    if let line = line(file, isRight: wrong.isEmpty, isQuiet: arguments.isQuiet) { try Results.print(line) }
    return wrong.isEmpty ? nil : .digestMismatch
  }

  /// What standard output is told; nil where `-q` leaves good news out.
  static func line(_ file: String, isRight: Bool, isQuiet: Bool) -> String? {
    isRight && isQuiet ? nil : "\(file.printable): \(isRight ? "OK" : "FAILED")\n"
  }

  /// The file to check; throws where the words make no sense.
  static func file(_ arguments: Arguments) throws(DownloadError) -> String {
    guard let file = arguments.operands.first, !file.isEmpty else { throw .usage("verify needs a file") }
    if let url = arguments.operands.first(where: { $0.contains("://") }) {
      throw .usage("verify checks files that are here, and '\(url)' is a URL")
    }
    guard !arguments.digests.isEmpty else {
      throw .usage("verify needs a digest: --md5, --sha1, --sha256, --sha512 or --checksum")
    }
    guard arguments.operands.count == 1 else {
      throw .usage("a digest is that of one file, and there are several files")
    }
    return file
  }

  private static func compute(_ file: String, _ arguments: Arguments) throws(DownloadError) -> [Digest] {
    let printer = ProgressPrinter(style(arguments), isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose)
    defer { printer.finish() }
    return try FileDigests.compute(of: file, arguments.digests.map(\.algorithm)) { done, total in
      let progress = Progress(activity: .verifying, done: done, total: total, rate: nil, connections: 0)
      printer.receive(.progress(progress))
    }
  }

  /// Lines of progress in a log are for downloads: here they come only where they are asked for.
  private static func style(_ arguments: Arguments) -> ProgressStyle {
    guard Terminal.isThere || arguments.progress != .automatic else { return .none }
    return arguments.progress.style(onTerminal: Terminal.isThere, kind: Terminal.kind)
  }

  static func mismatch(_ file: String, _ expected: Digest, _ computed: [Digest]) -> String {
    let got = computed.first { $0.algorithm == expected.algorithm }?.hex ?? "nothing"
    return "\(expected.algorithm.rawValue) of \(file) does not match: expected \(expected.hex), got \(got)"
  }
}
