internal import DownloadCore
internal import DownloadEngine

/// `swoop join PART...`: the whole file from its parts.
enum JoinVerb {
  static func run(_ arguments: Arguments) throws(DownloadError) -> Failure? {
    let job = try job(arguments)
    Diagnostics.noteConfiguration(of: arguments)
    let outcome = try Sidelines.run(arguments) { sidelines throws(DownloadError) in
      try Join(job, signals: sidelines.signals) { sidelines.printer.receive($0, of: nil) }.run()
    }
    for warning in outcome.warnings { Diagnostics.warn(warning, to: arguments.progress) }
    let ending = Ending(words: .news(words(outcome)), result: members(outcome))
    Diagnostics.tell(ending, of: 0, to: arguments.progress, isQuiet: arguments.isQuiet)
    if arguments.printsJSON { try Results.print(JSONValue.object(members(outcome)).text + "\n") }
    return nil
  }

  /// Throws where the words make no sense.
  static func job(_ arguments: Arguments) throws(DownloadError) -> Join.Job {
    guard !arguments.operands.isEmpty else { throw .usage("join needs parts: files made with --range") }
    if let word = arguments.operands.first(where: { $0.isEmpty || $0.contains("://") }) {
      throw .usage("join takes parts that are here, not '\(Redactor.address(word))'")
    }
    var job = Join.Job(parts: arguments.operands)
    job.target = try OutputName.target(output: arguments.output, directory: nil, kind: FileLook.kind)
    guard job.target.sink == nil else {
      throw .usage("join makes a file; --output needs its name, not standard output, a device or a FIFO")
    }
    job.digests = arguments.digests
    job.replacesExisting = arguments.replacesExisting
    job.keepsManifest = arguments.keepsManifest
    job.keepsServerTime = arguments.keepsServerTime
    job.removesParts = arguments.removesParts
    return job
  }

  private static func crc(_ outcome: Join.Outcome) -> String { Manifest.StoredSegment.digits(of: outcome.crc32) }

  /// `joined 4 parts to file.iso (5.4 GiB), crc32 0123abcd, sha256 verified`, or `file.iso is already complete ...`.
  static func words(_ outcome: Join.Outcome) -> String {
    let names = outcome.digests.map(\.algorithm.rawValue).joined(separator: " and ")
    let parts = "\(outcome.parts) part\(outcome.parts == 1 ? "" : "s")"
    let start = outcome.wasThere ? "\(outcome.path) is already complete" : "joined \(parts) to \(outcome.path)"
    return
      "\(start) (\(ByteCount(outcome.bytes))), crc32 \(crc(outcome)), \(names.isEmpty ? "not verified" : "\(names) verified")"
  }

  static func members(_ outcome: Join.Outcome) -> [JSONMember] {
    [
      JSONMember("path", .string(outcome.path)),
      JSONMember("outcome", .string(outcome.wasThere ? "already complete" : "joined")),
      JSONMember("bytes", .integer(outcome.bytes)), JSONMember("parts", .integer(Int64(outcome.parts))),
      JSONMember("crc32", .string(crc(outcome))), JSONMember("digests", .digests(outcome.digests)),
      JSONMember("verified", .array(outcome.digests.map { .string($0.algorithm.rawValue) })),
    ] + JobRecord.ending(nil)
  }

  /// The members after a failure, of which no file came.
  static func members(path: String?, _ error: DownloadError) -> [JSONMember] {
    [
      JSONMember("path", .text(path)), JSONMember("outcome", .string("failed")), JSONMember("bytes", .null),
      JSONMember("parts", .null), JSONMember("crc32", .null), JSONMember("digests", .object([])),
      JSONMember("verified", .array([])),
    ] + JobRecord.ending(error)
  }
}
