internal import DownloadCore

extension Arguments {
  /// The members of the object about a failure that is about all that was asked for: those that the verb's success has,
  /// null or empty as far as they are not known.
  func members(of error: DownloadError) -> [JSONMember] {
    switch verb {
    case .fetch, .resume: JobRecord().members(error, seconds: 0)
    case .verify: Self.verifyMembers(path: onlyOperand, fetched: repairURL == nil ? nil : 0, error)
    case .status: StatusVerb.members(path: onlyOperand, nil, error)
    case .plan: PlanVerb.members(url: plannedURL, error)
    case .join: JoinVerb.members(path: joinedPath, error)
    }
  }

  /// Those of `verify`; `fetched`: nil without `--repair`.
  static func verifyMembers(path: String?, fetched: Int64?, _ error: DownloadError) -> [JSONMember] {
    [JSONMember("path", .text(path)), JSONMember("digests", .object([])), JSONMember("verified", .array([]))]
      + (fetched.map { [JSONMember("fetched", .integer($0))] } ?? []) + JobRecord.ending(error)
  }

  private var onlyOperand: String? { operands.count == 1 ? operands[0] : nil }

  /// The file that `join` was to make. A single word is that file where it is no part by itself.
  private var joinedPath: String? {
    guard output == nil else { return output }
    return onlyOperand.flatMap { word in
      let isPart = word.hasSuffix(".part.json") || FileLook.kind(word + ".part.json") == .file
      return isPart ? nil : word
    }
  }

  /// As `plan` prints it; nil where it was not understood.
  private var plannedURL: String? {
    guard let url = try? requests().first?.url else { return nil }
    return url.withoutSecrets
  }
}
