internal import TestSupport

/// What is in the folder of a case between two runs.
struct FolderState {
  /// Every name where the file goes.
  let names: [String]
  /// What the part's manifest says; nil where there is none that can be read.
  let manifest: StoredManifest?
  let hasPart: Bool
  let hasManifest: Bool

  init(_ folder: TemporaryFolder, _ target: CasePlan.Target) throws {
    let place = target.folder.map { "place/\($0)" } ?? "place"
    names = folder.contains(place) ? try folder.names(in: place) : []
    let name = target.name + ".part.json"
    hasPart = names.contains(target.name + ".part")
    hasManifest = names.contains(name)
    manifest = hasManifest ? try? StoredManifest(folder.bytes("\(place)/\(name)")) : nil
  }

  /// The ranges that are claimed to be here.
  var claims: [Range<Int64>] { manifest?.segments.map(\.range) ?? [] }

  /// Whether all of the file is claimed to be here.
  var isComplete: Bool { manifest.map { $0.length == $0.done } ?? false }
}
