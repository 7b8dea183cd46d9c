extension ManPage {
  /// An entry of a list: what it is about, and what there is to say of it.
  struct Entry: Sendable {
    let name: String
    let text: String
    /// The long option that it comes with: as long as that is not built, it means nothing.
    var option: String?
  }

  static let files = [
    Entry(name: "NAME.part", text: "The data of a download that is not complete, readable for its owner alone."),
    Entry(
      name: "NAME.part.json",
      text: "What is known of it: address, length, version, and which ranges are complete, each with its CRC-32. "
        + "There are no passwords, headers or cookies in it."),
    Entry(
      name: "NAME.A-B.part.json",
      text: "The same of the part A-B that --output-offset puts into NAME. It stays when the part is complete, until "
        + "swoop join NAME.", option: "output-offset"),
    Entry(name: "NAME.part.json.new", text: "The same, for the moment of a save."),
    Entry(
      name: "$XDG_CONFIG_HOME/swoop/config",
      text: "Options that always count; below ~/.config where the variable is not set.",
      option: "config"),
    Entry(name: "~/.netrc", text: "Names and passwords for servers.", option: "netrc"),
  ]

  static let environment = [
    Entry(
      name: "http_proxy, https_proxy, all_proxy",
      text: "The proxy for URLs of this scheme, or for all, as curl has it; all but http_proxy may be in capitals. "
        + "-x counts before them.", option: "proxy"),
    Entry(
      name: "no_proxy", text: "Hosts to reach without the proxy, with commas; --no-proxy counts before it.",
      option: "no-proxy"),
    Entry(name: "NO_COLOR", text: "If it is set and not empty, nothing is coloured."),
    Entry(name: "TERM", text: "If it is dumb, progress is plain lines."),
    Entry(name: "COLUMNS", text: "The width to draw on where the terminal does not tell it."),
    Entry(
      name: "XDG_CONFIG_HOME", text: "Where the folder swoop with its file config is; without it ~/.config.",
      option: "config"),
    Entry(name: "NETRC", text: "The file to read instead of ~/.netrc.", option: "netrc"),
  ]

  static let examples = [
    Entry(name: "swoop https://example.org/debian.iso", text: "Fetch into this folder. Again: resume."),
    Entry(
      name: "swoop -n 8 -o new.iso https://example.org/debian.iso", text: "At most 8 connections, and another name."),
    Entry(
      name: "swoop --checksum-file SHA256SUMS https://example.org/debian.iso",
      text: "Check it with the line for debian.iso of a list."),
    Entry(
      name: "swoop resume debian.iso.part --url 'https://example.org/debian.iso?token=NEW'",
      text: "Go on from a new address, where the old one has expired."),
    Entry(name: "swoop verify -c SHA256SUMS", text: "Check every file of a list."),
    Entry(
      name: "swoop verify --repair https://example.org/debian.iso debian.iso",
      text: "Fetch again what is damaged of a file that was fetched with --keep-manifest."),
    Entry(
      name: """
        #SBATCH --array=0-31 --requeue
        url=https://example.org/debian.iso
        range=$(swoop plan "$url" --parts 32 --part "$SLURM_ARRAY_TASK_ID") || exit
        swoop --range "$range" --output-offset "${range%-*}" -o /mnt/shared/debian.iso "$url"
        """,
      text:
        "A task of a Slurm array: each fetches its part into its place in one file. When all have ended: swoop join "
        + "--sha256 HEX /mnt/shared/debian.iso."),
    Entry(
      name: """
        url=https://example.org/debian.iso
        range=$(swoop plan "$url" --parts 32 --part "$JOB_COMPLETION_INDEX") || exit
        swoop --range "$range" --keep-manifest -o "/mnt/shared/debian.$JOB_COMPLETION_INDEX" "$url"
        """,
      text:
        "What a pod of an indexed Job of Kubernetes runs (completionMode: Indexed, completions: 32): each fetches its "
        + "part into a file of its own. When all have ended: swoop join -o /mnt/shared/debian.iso --sha256 HEX "
        + "/mnt/shared/debian.*[0-9]."),
    Entry(
      name: "swoop -q --sha256 \"$sum\" -o image.iso \"$url\" || exit",
      text: "In a script: silent but for errors, and the exit code says what is wrong."),
  ]

  static let seeAlso = ["aria2c", "curl", "sha256sum", "wget"]
}
