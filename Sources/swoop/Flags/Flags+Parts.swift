internal import DownloadCore

extension Flags {
  static let parts: [Flag] = [
    Flag(
      long: "range", category: .parts, help: "a part of the file: A-B, A- or -N",
      details:
        "In bytes, both ends included as in HTTP; A- is from A to the file's end, -N the last N bytes. The result "
        + "is a file of exactly these bytes, a digest that is given is theirs, and what the server announces of the "
        + "whole file is not compared. A range that is not all in the file is refused (exit code 4).",
      verbs: [.fetch], effect: .value("A-B") { $0.range = try Number.range($1) }),
    Flag(
      long: "output-offset", category: .parts, help: "with --range A-B and -o: into its place in this file",
      details:
        "The bytes are written at offset N of FILE, which is made if missing, never cut, and not touched anywhere "
        + "else; several processes, on several machines, may fill it at the same time. What is done stands in "
        + "FILE.A-B.part.json until swoop join FILE.",
      verbs: [.fetch], effect: .value("N") { $0.outputOffset = try Number.offset($1) }),
    Flag(
      long: "keep-manifest", category: .parts, help: "leave NAME.part.json beside the finished file",
      details: "With a CRC-32 for each block of 1 MiB or more: for swoop join, and for swoop verify --repair. "
        + "Of a file that was complete already, and is not fetched, none is made.",
      words: [
        .join: .init(
          details: "With the CRC-32s of the parts' blocks: for swoop verify --repair. Of a file that was joined "
            + "already none is made.")
      ],
      verbs: [.fetch, .resume, .join], effect: .toggle { $0.keepsManifest = true }),
    Flag(
      long: "parts", category: .parts, help: "with plan: cut the file into N parts",
      details:
        "1 to \(PartPlan.mostParts). They differ by no more than a step of 1 MiB, 64 KiB or a byte, whichever the "
        + "file's length allows, and are the same on every machine as long as the length is.",
      verbs: [.plan], effect: .value("N") { $0.parts = try Number.parts($1) }),
    Flag(
      long: "part", category: .parts, help: "with plan: print the range of this part alone, from 0",
      details: "As A-B, which swoop --range takes.", verbs: [.plan],
      effect: .value("I") { $0.part = try Number.index($1) }),
    Flag(
      long: "remove-parts", category: .parts, help: "with join: remove the parts when the file is complete",
      verbs: [.join], effect: .toggle { $0.removesParts = true }),
    Flag(
      long: "repair", category: .parts, help: "with verify: fetch what is damaged again, from this address",
      details:
        "Which blocks are damaged is told by the manifest that swoop --keep-manifest has left, or by a metalink's pieces, "
        + "where URL is that of one, or X.meta4, one that is here. Nothing is asked where the "
        + "file is as it must be. While it is repaired it is FILE.part, and the same command goes on after an "
        + "interruption.",
      verbs: [.verify], secret: .url, effect: .value("URL") { $0.repairURL = $1 }),
  ]
}
