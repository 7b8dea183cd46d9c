internal import DownloadCore

extension Flags {
  static let transfer: [Flag] = [
    Flag(
      long: "connections", short: "n", category: .transfer, help: "at most N connections, 1 to 64 (auto)",
      details: "auto begins with a few and adds while that helps, never over 16.",
      verbs: [.fetch, .resume, .verify], needsRepair: true,
      effect: .value("N") { $0.connections = try Number.connections($1) }),
    Flag(
      long: "jobs", short: "j", category: .transfer, help: "files at a time, 1 to 64 (3)",
      details: "All of them together have no more than N connections (-n) to one host.",
      effect: .value("N") { $0.jobs = try Number.jobs($1) }),
    Flag(
      long: "min-split", category: .transfer, help: "no range smaller than this is split off (64k)",
      details: "SIZE is a number, decimals allowed, with k, M, G or T (1024), with or without B or iB.",
      effect: .value("SIZE") { $0.minimumSplit = try Number.size($1, of: "--min-split") }),
    Flag(
      long: "mirror", category: .transfer, help: "another address of the same file; any number of them",
      details:
        "All that work share the file, each as fast as it is. A mirror must have the same length and, where they "
        + "are compared, the same bytes; one that has not, or fails, is named and left out. What is sent to the URL's "
        + "server alone, such as -H, -b and -u, goes to no other. A file under 1 MiB is taken from the first that works.",
      secret: .url, effect: .value("URL") { try $0.addMirror($1) }),
    Flag(
      long: "limit-rate", category: .transfer, help: "bytes a second in all, over every connection",
      details: "Such as 500k or 2.5M: with k, M, G or T (1024), with or without B or iB.", verbs: Flag.network,
      effect: .value("RATE") { $0.rateLimit = try Number.size($1, of: "--limit-rate") }),
    Flag(
      long: "window", category: .transfer, help: "with -o -: at most this much ahead of the reader (64M)",
      details: "It is kept in memory; 64k at least. With less than the path holds the connections wait for each other.",
      verbs: [.fetch], effect: .value("SIZE") { $0.window = try Number.window($1) }),
    Flag(
      long: "connect-timeout", category: .transfer, help: "for a connection to be made (15)",
      verbs: Flag.network,
      effect: .value("SECONDS") { $0.timeouts.connect = try Number.seconds($1, of: "--connect-timeout") }),
    Flag(
      long: "stall-timeout", category: .transfer, help: "no byte for this long: the connection is replaced (10)",
      verbs: Flag.network,
      effect: .value("SECONDS") { $0.timeouts.stall = try Number.seconds($1, of: "--stall-timeout") }),
    Flag(
      long: "give-up-after", category: .transfer, help: "no progress for this long: stop (120; no server there: 15)",
      details: "The part is kept, the exit code is 3, and the same command resumes. " + patience,
      words: [
        .plan: .init(details: "The exit code is 3. " + patience),
        .verify: .init(
          details: "The exit code is 3. With --repair what is here is kept, and the same command goes on. " + patience),
      ],
      verbs: Flag.network,
      effect: .value("SECONDS") { $0.timeouts.giveUp = try Number.seconds($1, of: "--give-up-after") }),
    Flag(
      long: "max-size", category: .transfer, help: "refuse a file that is larger than this",
      details: "Before anything is written where the server tells the length; where it does not, at this many bytes.",
      effect: .value("SIZE") { $0.maximumSize = try Number.size($1, of: "--max-size") }),
    Flag(
      long: "metalink", category: .transfer, help: "take sources, size and digests from metalinks",
      details: "A Metalink 4 (RFC 5854), at a URL or as a file that is here, tells what to fetch; of any other URL "
        + "the server's Link headers tell more (RFC 6249). A file whose name ends in .meta4 needs no option.",
      verbs: [.fetch], effect: .toggle { $0.usesMetalinks = true }),
  ]

  private static let patience =
    "Until the first answer, names that do not resolve and refused connections are tried for 15 s at most, or for this "
    + "long if that is shorter."

  static let digests: [Flag] = [
    digest("md5", .md5), digest("sha1", .sha1), digest("sha256", .sha256), digest("sha512", .sha512),
    Flag(
      long: "checksum", category: .digests, help: "the same in one option, for more algorithms",
      details: "ALGO=HEX too. Algorithms: " + DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ") + ".",
      verbs: [.fetch, .resume, .verify, .join], values: .beginnings(DigestAlgorithm.allCases.map { "\($0.rawValue):" }),
      effect: .value("ALGO:HEX") { try $0.demand(Number.checksum($1)) }),
    Flag(
      long: "checksum-file", category: .digests, help: "a list such as SHA256SUMS, from a file or a URL",
      details: "GNU or BSD style, or one bare digest, at most 1 MiB; - is standard input. The line for exactly the "
        + "file's name counts: that of -o, else the URL's. A signature around the list is not checked. verify -c SUMS "
        + "is the same, and without a FILE it checks all of the list.",
      words: [
        .resume: .init(
          details: "GNU or BSD style, or one bare digest, at most 1 MiB; - is standard input. The line for exactly the "
            + "file's name counts: NAME of NAME.part. A signature around the list is not checked."),
        .verify: .init(
          details: "GNU or BSD style, or one bare digest, at most 1 MiB; - is standard input. Without a FILE all of "
            + "the list is checked; with one, the line of its path counts, else that of its name. A signature around "
            + "the list is not checked."),
      ],
      verbs: [.fetch, .resume, .verify], shortNames: [.verify: "c"], secret: .url,
      effect: .value("FILE|URL") { try $0.takeChecksumFile($1) }),
    Flag(
      long: "no-server-digest", category: .digests, help: "do not check what the server itself announces",
      details: "It is checked when there is one (Repr-Digest, Content-MD5, x-goog-hash and the like), unless an option "
        + "names one that is as strong.",
      effect: .toggle { $0.checksServerDigest = false }),
  ]

  private static func digest(_ name: String, _ algorithm: DigestAlgorithm) -> Flag {
    Flag(
      long: name, category: .digests, help: "the \(name) digest that the file must have",
      details: algorithm == .md5 || algorithm == .sha1 ? "It finds damage, but does not stop an attacker." : "",
      verbs: [.fetch, .resume, .verify, .join],
      effect: .value("HEX") { try $0.demand(Number.digest(algorithm, $1, of: "--\(name)")) })
  }
}
