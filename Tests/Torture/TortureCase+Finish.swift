internal import TestSupport

/// The end of a case: the server is healthy, and a run must succeed.
extension TortureCase {
  func finish() throws {
    if try holdsOurs() { return try checkIsComplete() }
    let before = try look()
    let isCurrent = try isOfTheLast(before)
    let isOther = before.isComplete && !isCurrent
    if plan.isTaken { try checkIsInTheWay() }
    let requests = requestsSoFar()
    let options = (plan.isTaken ? ["--force"] : []) + (mayMismatch ? rightDigest : [])
    var result = try run(words(options))
    if result.exitCode == 5, isOther || (isTampered && mayMismatch) {
      // All of an older version is here: it does not have the digest of the last one, and is nobody else's to remove.
      result = try run(words(options + ["--restart"]))
    }
    try BrokenPromise.unless(result.exitCode == 0, "exit code \(result.exitCode) of a healthy server")
    try BrokenPromise.unless(look().names == [plan.target.name], "left: \(try look().names)")
    let isLast = try folder.holds(plan.file.last, in: placed(plan.target.name))
    let isOlder = try isOther && plan.file.versions.contains { try folder.holds($0, in: placed(plan.target.name)) }
    try BrokenPromise.unless(isLast || isOlder, "the file is not what a healthy server has")
    guard !isTampered, isCurrent else { return }
    try checkNothingIsFetchedAgain(before, since: requests)
  }

  private var rightDigest: [String] { digests.last.map { ["--\(plan.algorithm)", $0] } ?? [] }

  /// Whether what is claimed is of the version that the server has now.
  private func isOfTheLast(_ state: FolderState) throws -> Bool {
    guard state.hasPart, let manifest = state.manifest, manifest.done > 0, manifest.length == plan.file.last.length
    else { return false }
    guard
      plan.file.versions(of: manifest, excess: plan.server.excess).contains(where: { $0.etag == plan.file.last.etag })
    else { return false }
    return try manifest.firstLie(folder, placed(plan.target.name + ".part"), plan.file.last) == nil
  }

  /// A file that an earlier run has finished stays as it is, and is not fetched again if it is the server's.
  private func checkIsComplete() throws {
    let name = placed(plan.target.name)
    // Two versions may be the same but for their dates.
    let isOlder = try plan.file.versions.dropLast().contains { try folder.holds($0, in: name) }
    let isLast = try folder.holds(plan.file.last, in: name) && !isOlder
    let digest = try folder.bytes(name)
    // A run that was killed between the file's name and its end has left the manifest.
    let result = try run(words([]))
    let legal: Set<Int32> = isLast ? [0] : [0, 10]
    try BrokenPromise.unless(legal.contains(result.exitCode), "exit code \(result.exitCode) where the file is complete")
    try BrokenPromise.unless(folder.bytes(name) == digest, "a complete file was changed")
  }

  private func checkIsInTheWay() throws {
    let result = try run(words([]))
    try BrokenPromise.unless(result.exitCode == 10, "exit code \(result.exitCode) where another file has the name")
    try BrokenPromise.unless(folder.holds(foreign, in: placed(plan.target.name)), "the other file was changed")
  }

  /// Without a name of the version a sample of what is here is compared.
  private func checkNothingIsFetchedAgain(_ before: FolderState, since requests: Int) throws {
    guard plan.file.naming != .nothing else { return }
    try checkNothingIsAskedAgain(before, since: requests)
  }
}
