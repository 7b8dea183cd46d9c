internal import DownloadCore

extension Flags {
  static let output: [Flag] = [
    Flag(
      long: "output", short: "o", category: .output, help: "the file's name; - is standard output",
      details: "It may hold folders, which are made, below -d. An existing folder: the file goes into it. - sends the "
        + "bytes in order to standard output, over several connections and with no copy on the disk; a device or FIFO "
        + "gets them likewise.",
      words: [
        .join: .init(
          help: "the whole file's name (the URL's)",
          details: "It may hold folders, which are made. An existing folder: the file goes into it.")
      ],
      verbs: [.fetch, .join], effect: .value("FILE") { $0.output = try OutputName.checked($1) }),
    Flag(
      long: "directory", short: "d", category: .output, help: "the folder where files go (here)",
      details: "It is made if missing.", verbs: [.fetch],
      effect: .value("DIR") { arguments, text in
        guard !text.isEmpty else { throw DownloadError.usage("--directory needs a folder's name") }
        arguments.directory = text
      }),
    Flag(
      long: "input", short: "i", category: .output, help: "URLs from a file, one a line; - is standard input",
      details: """
        Indented lines below a URL are its options: long-name=value, or long-name alone for a switch. # begins a comment \
        line, an empty line ends an entry. output names a path below -d. A line that makes no sense spoils its entry alone. \
        The first files are fetched before the list has ended.
        """,
      verbs: [.fetch], effect: .value("FILE") { try $0.takeInput($1) }),
    Flag(
      long: "force", category: .output, help: "replace an existing file",
      details: "Atomically, and only once the new one is complete and verified.",
      verbs: [.fetch, .resume, .join],
      effect: .toggle { $0.replacesExisting = true }),
    Flag(
      long: "restart", category: .output, help: "throw a partial download away and begin again",
      effect: .toggle { $0.restarts = true }),
    Flag(
      long: "no-content-disposition", category: .output, help: "name the file after the URL only", verbs: [.fetch],
      effect: .toggle { $0.usesContentDisposition = false }),
    Flag(
      long: "no-preallocate", category: .output, help: "grow the file instead of reserving its room",
      effect: .toggle { $0.preallocates = false }),
    Flag(
      long: "no-mtime", category: .output, help: "do not give the file the server's time",
      verbs: [.fetch, .resume, .verify, .join], needsRepair: true,
      effect: .toggle { $0.keepsServerTime = false }),
    Flag(
      long: "dry-run", category: .output, help: "ask and plan, say what would be done, fetch nothing",
      effect: .toggle { $0.isDryRun = true }),
    Flag(
      long: "url", category: .output, help: "with resume: the new address of the same file",
      details: "For links that have expired. The file's length and version are compared as always.",
      verbs: [.resume], secret: .url,
      effect: .value("URL") { $0.newURL = $1 }),
  ]
}
