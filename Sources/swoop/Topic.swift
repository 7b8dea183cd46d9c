/// What the full help and the man page say beyond options, calls and exit codes.
struct Topic: Sendable {
  let title: String
  let text: String

  /// What the command is.
  static let summary =
    "Fetches files over several connections at once, resumes what was cut off, and proves the result."

  static let severalURLs =
    "With several URLs or a list all are tried, three at a time (-j), and the code is that of the first that failed, in "
    + "the order given."

  static let all = [files, streams, parts, sources, pasted, digests]

  static let files = Topic(
    title: "Files",
    text: "While it runs there are NAME.part, the data, and NAME.part.json, what is known of it. NAME itself appears "
      + "when all is complete and verified. The same command again resumes by itself; a complete file is not fetched "
      + "again.")

  static let streams = Topic(
    title: "To standard output, a device or a FIFO",
    text: "swoop -o - URL | tar x: the bytes come in order, at full speed, and no more of them than --window are kept. "
      + "A slow reader slows the connections, and no timeout counts for that. No file is made, so nothing can be "
      + "resumed. Digests are checked on the way: a mismatch is exit code 5, but the reader has the bytes by then, so "
      + "look at the code (set -o pipefail) before you use them. Once a byte was sent, a file that changes on the server "
      + "is exit code 6. A reader that goes away ends it without a message, exit code 141. All messages and results go "
      + "to standard error then, those of --json and --dry-run as well.")

  static let parts = Topic(
    title: "One file over several machines",
    text: "swoop plan URL --parts N prints N ranges, the same on every machine that asks. Each part is fetched by "
      + "--range, into a file of its own (with --keep-manifest) or into its place in one file (with --output-offset), and "
      + "swoop join checks them and makes the whole. The scheduler that is there distributes the work, swoop the bytes. "
      + "Each task asks for its own range, by the index that Slurm or Kubernetes gives it, and one that is started again "
      + "goes on where it was; the examples of the man page show both.")

  static let sources = Topic(
    title: "FTP, FTPS and files",
    text: "URLs may also be ftp://, ftps:// (TLS from the first byte) and file:///PATH, but only where you type them: "
      + "redirects, manifests and pasted lines lead to http and https alone. The login is -u, --netrc or the URL's, "
      + "else anonymous. Size and date name the version. Folders and ;type=a are refused; -H, -b, -e and -A mean "
      + "nothing there. swoop resume needs --url for them.")

  static let pasted = Topic(
    title: "Pasted from a browser",
    text: "\"Copy as cURL (bash)\", with swoop and its own options before it, or in one pair of quotes. The URL, -H, "
      + "-b, -A, -e and -u count, but no Range, If-... or Accept-Encoding; what names a file, a proxy or a body is refused, and -k counts only if it stands "
      + "before curl as well. No shell is run.")

  static let digests = Topic(
    title: "Digests",
    text: "A digest proves that a file is what its publisher meant. md5 and sha1 find damage, but whoever can change "
      + "what plain http carries can make another file with the same md5 or sha1; sha256 and sha512 stop that too, if "
      + "the digest itself came over https. A digest may also stand in the URL's fragment, as pip writes it: "
      + "URL#sha256=HEX.")
}
