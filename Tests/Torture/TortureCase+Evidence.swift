internal import Glibc
internal import TestSupport

extension TortureCase {
  /// Moves the case's folder to `parent`, with an account of what happened beside the files, and returns its path.
  func keep(in parent: String, because reason: String) throws -> String {
    let path = "\(parent)/torture-\(plan.seed)"
    try folder.write("\(reason)\n\(report)", to: "account.txt")
    for words in [["mkdir", "-p", parent], ["cp", "-a", "--sparse=always", folder.path, path]] {
      let result = try CommandRunner(words[0], Array(words.dropFirst())).run()
      guard result.exitCode == 0 else { throw SystemCallFailure("\(words[0]): \(result.error)", code: EIO) }
    }
    return path
  }
}
