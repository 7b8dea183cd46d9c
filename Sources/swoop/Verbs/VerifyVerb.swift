internal import DownloadCore
internal import DownloadEngine
internal import Glibc

/// `swoop verify FILE...`: checks files that are here already, and says so as md5sum does.
struct VerifyVerb {
  private let digests: [Digest]
  private let printer: ProgressPrinter

  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    try check(arguments)
    let style = arguments.progress.style(onTerminal: Terminal.isThere, kind: Terminal.kind)
    let printer = ProgressPrinter(
      style == .bar ? .bar : .none, isQuiet: arguments.isQuiet, isVerbose: arguments.isVerbose)
    defer { printer.finish() }
    let verb = VerifyVerb(digests: arguments.digests, printer: printer)
    var first: Failure?
    for file in arguments.operands {
      let failure = verb.verify(file)
      first = first ?? failure
    }
    return first
  }

  static func check(_ arguments: Arguments) throws(DownloadError) {
    guard !arguments.operands.isEmpty else { throw .usage("verify needs a file") }
    guard !arguments.digests.isEmpty else {
      throw .usage("verify needs a digest: --md5, --sha1, --sha256, --sha512 or --checksum")
    }
    guard arguments.operands.count == 1 else {
      throw .usage("a digest is that of one file, and there are several files")
    }
    if let url = arguments.operands.first(where: { $0.contains("://") }) {
      throw .usage("verify checks files that are here, and '\(url)' is a URL")
    }
  }

  private func verify(_ file: String) -> Failure? {
    do {
      let computed = try FileDigests.compute(of: file, digests.map(\.algorithm)) { done, total in
        let progress = Progress(activity: .verifying, done: done, total: total, rate: nil, connections: 0)
        printer.receive(.progress(progress))
      }
      let wrong = digests.filter { !computed.contains($0) }
      for digest in wrong { printer.complain(Diagnostics.error(Self.mismatch(file, digest, computed))) }
      printer.settle()
      try Results.print("\(file.printable): \(wrong.isEmpty ? "OK" : "FAILED")\n")
      return wrong.isEmpty ? nil : .digestMismatch
    } catch {
      printer.complain(Diagnostics.error(error.message))
      return error.failure
    }
  }

  static func mismatch(_ file: String, _ expected: Digest, _ computed: [Digest]) -> String {
    let got = computed.first { $0.algorithm == expected.algorithm }?.hex ?? "nothing"
    return "\(expected.algorithm.rawValue) of \(file) does not match: expected \(expected.hex), got \(got)"
  }
}
