internal import Glibc
internal import TestSupport

extension TortureCase {
  /// Moves the case's folder to `parent`, with an account of what happened beside the files, and returns its path.
  func keep(in parent: String, because reason: String) throws -> String {
    let path = "\(parent)/torture-\(plan.seed)"
    try folder.write("\(reason)\n\(report)", to: "account.txt")
    let result = try CommandRunner("cp", ["-a", "--sparse=always", folder.path, path]).run()
    guard result.exitCode == 0 else { throw SystemCallFailure("cp to \(path): \(result.error)", code: EIO) }
    return path
  }
}
