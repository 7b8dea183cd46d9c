internal import Glibc
internal import TestSupport

/// What holds after each run, whatever the server did.
extension TortureCase {
  /// In KiB.
  private static let mostMemory = 48 << 10

  func check(_ step: Step, _ result: CommandResult, _ before: FolderState, since requests: Int) throws {
    let after = try look()
    try checkEnd(step, result, before)
    try checkFile(step, result, before, after)
    if result.termination == .signalled(SIGKILL) { wasKilled = true }
    try checkNames(after)
    try checkWords(step, result)
    let isSmall = result.peakMemory < Self.mostMemory || !result.isPeakMeasured
    try BrokenPromise.unless(isSmall, "\(result.peakMemory) KiB of memory")
    guard !isTampered else { return }
    try checkClaims(after)
    guard plan.isHonest, !step.restarts, !mayMismatch else { return }
    try checkNothingIsLost(before, after)
    try checkNothingIsAskedAgain(before, since: requests)
  }

  private func checkEnd(_ step: Step, _ result: CommandResult, _ before: FolderState) throws {
    if case .signalled(let signal) = result.termination {
      return try BrokenPromise.unless(step.deadly.contains(signal), "ended by signal \(signal)")
    }
    var legal: Set<Int32> = plan.codes.union([0])
    // Where the part alone is gone, it begins again.
    if step.resumes, before.manifest == nil { legal = [11] }
    if mayMismatch { legal.insert(5) }
    if plan.isTaken, !plan.forces { legal.insert(10) }
    try BrokenPromise.unless(legal.contains(result.exitCode), "exit code \(result.exitCode), legal: \(legal.sorted())")
  }

  /// The name is there if and only if the run ended well, and what it names is one version, whole.
  private func checkFile(_ step: Step, _ result: CommandResult, _ before: FolderState, _ after: FolderState) throws {
    let name = plan.target.name
    let isOurs = try holdsOurs()
    if case .exited(let code) = result.termination {
      try BrokenPromise.unless(isOurs == (code == 0), "exit code \(code), file: \(isOurs)")
    }
    if plan.isTaken { try BrokenPromise.unless(after.names.contains(name), "the other file is gone") }
    guard isOurs else { return }
    let digest = isTampered ? nil : demanded(step, before)
    try checkContent(of: name, demanding: digest)
    if plan.isTaken { try BrokenPromise.unless(plan.forces, "the other file was replaced") }
    if result.exitCode == 0 { try BrokenPromise.unless(after.names == [name], "left beside it: \(after.names)") }
  }

  private func checkContent(of name: String, demanding digest: String?) throws {
    for (index, version) in plan.file.versions.enumerated() where try folder.holds(version, in: placed(name)) {
      guard let digest, digests[index] != digest else { return }
    }
    throw BrokenPromise("\(name) is no version\(digest.map { " with the digest \($0)" } ?? "")")
  }

  /// What a kill leaves of a save stays until a run saves again, or ends well.
  private func checkNames(_ after: FolderState) throws {
    let name = plan.target.name
    var ours: Set = [name, name + ".part", name + ".part.json"]
    if wasKilled || isTampered { ours.insert(name + ".part.json.new") }
    try BrokenPromise.unless(ours.isSuperset(of: after.names), "names: \(after.names)")
    try BrokenPromise.unless(folder.names() == ["place"], "outside: \(try folder.names())")
    guard let sub = plan.target.folder else { return }
    try BrokenPromise.unless([[], [sub]].contains(folder.names(in: "place")), "\(try folder.names(in: "place"))")
  }

  private func checkWords(_ step: Step, _ result: CommandResult) throws {
    let text = result.error + result.output
    let isClean = !text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) || $0.value == 0x202E }
    try BrokenPromise.unless(isClean, "control bytes: \(text)")
    if step.onTerminal {
      let ours = !["\u{1B}[2J", "\u{1B}]0;pwn", "\u{1B}c"].contains { text.contains($0) }
      return try BrokenPromise.unless(ours, "control bytes of the server's: \(text)")
    }
    let isPlain = (result.errorBytes + result.outputBytes).allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) }
    try BrokenPromise.unless(isPlain, "control bytes: \(text)")
    let errors = result.error.split(separator: "\n").count { $0.hasPrefix("swoop: error: ") }
    guard case .exited(let code) = result.termination else { return }
    try BrokenPromise.unless(errors == (code == 0 ? 0 : 1), "\(errors) errors for exit code \(code)")
  }

  /// Every range that is claimed has the bytes of one version, the same for all, and their CRC-32.
  private func checkClaims(_ after: FolderState) throws {
    try BrokenPromise.unless(after.hasManifest == (after.manifest != nil), "the manifest cannot be read")
    guard let manifest = after.manifest, manifest.done > 0 else { return }
    // A kill may have come between the part's last rename and the manifest's end.
    let part = placed(plan.target.name + (after.hasPart ? ".part" : ""))
    let lies = try plan.file.versions(of: manifest, excess: plan.server.excess).map {
      try manifest.firstLie(folder, part, $0)
    }
    try BrokenPromise.unless(lies.contains(nil), "claims: \(lies.compactMap(\.self)) of \(lies.count) versions")
  }

  private func checkNothingIsLost(_ before: FolderState, _ after: FolderState) throws {
    guard try !holdsOurs() else { return }
    let claims = after.claims
    // Segments may be joined, but a run never has to cut one.
    let lost = before.claims.first { claim in
      !claims.contains { $0.lowerBound <= claim.lowerBound && claim.upperBound <= $0.upperBound }
    }
    try BrokenPromise.unless(lost == nil, "\(lost ?? 0..<0) was here and is not")
  }

  func checkNothingIsAskedAgain(_ before: FolderState, since requests: Int) throws {
    for request in server.settledLog().entries.dropFirst(requests).map(\.request) where request.method == "GET" {
      let asked = request.askedBytes(of: before.manifest?.length ?? 0)
      let again = before.claims.first { $0.overlaps(asked) }
      try BrokenPromise.unless(again == nil, "\(request.range ?? "all") was asked for, \(again ?? 0..<0) is here")
    }
  }
}

extension Request {
  /// The bytes of a file that a GET asks for.
  fileprivate func askedBytes(of length: Int64) -> Range<Int64> {
    let last = range.flatMap { Int64($0.drop { $0 != "-" }.dropFirst()) }
    let end = max(firstByte, min(length, (last ?? .max - 1) + 1))
    return firstByte..<end
  }
}
