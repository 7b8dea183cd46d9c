import DownloadCore
import TestSupport
import Testing

@testable import DownloadEngine

/// What must be true of a disk whenever a run has ended, however it ended: the final name means the right bytes, what is
/// claimed is there, and nothing else lies about.
struct DiskPromises: CustomTestStringConvertible {
  let scenario: CrashScenario
  let disk: MemoryDisk
  private let manifest: Manifest?
  private let part: FileStatus?

  // Not with all of the disk's bytes.
  var testDescription: String { scenario.name }

  /// `disk` as the next run would find it: nothing is open.
  init(_ scenario: CrashScenario, _ disk: MemoryDisk) throws {
    self.scenario = scenario
    self.disk = disk
    let files = CrashFileSystem(disk)
    guard let folder = try Folder.openIfThere(scenario.folder, in: files) else {
      (manifest, part) = (nil, nil)
      return
    }
    part = try folder.status(of: CrashScenario.fileName + PartFile.suffix)
    let found = try ManifestFile(folder: folder, name: CrashScenario.fileName).load()
    manifest = if case .success(let manifest)? = found { manifest } else { nil }
  }

  /// The file's names; `.new` where a run could not even clean up.
  static let names = ["", ".part", ".part.json", ".part.json.new"].map { CrashScenario.fileName + $0 }

  var hasTemporary: Bool { disk.names(in: scenario.folder).contains(Self.names[3]) }

  var strangers: [String] { disk.names(in: scenario.folder).filter { !Self.names.contains($0) } }

  var hasFile: Bool { disk.bytes(scenario.path) != nil }

  var isFinished: Bool { holds(scenario.content) && disk.names(in: scenario.folder) == [CrashScenario.fileName] }

  /// The final name has the right bytes.
  func holds(_ content: Content) -> Bool {
    guard let file = disk.bytes(scenario.path), file.length == content.length else { return false }
    return file.holds(content, in: 0..<content.length)
  }

  /// The final name has the right bytes, or what it had before.
  var finalNameIsRight: Bool {
    let isAsBefore = scenario.before.map(holds) ?? !hasFile
    return isAsBefore || holds(scenario.content)
  }

  /// The inode of the part; 0 where there is none.
  var partNumber: UInt64 { part?.identity.inode ?? 0 }

  /// What the next run would believe without looking: nobody has touched the part since.
  private var isTrusted: Bool {
    guard let manifest, let part else { return false }
    return manifest.part == part.identity && manifest.boot == "boot \(disk.boot)"
      && part.size <= manifest.length ?? 0
  }

  /// The version that the manifest's claims are about.
  private var version: Content? {
    guard let manifest else { return nil }
    return scenario.versions.first {
      manifest.etag == $0.etag || (manifest.etag == nil && manifest.length == $0.length)
    }
  }

  var claims: [Range<Int64>] {
    guard let manifest, let part else { return [] }
    return manifest.segments.filter { $0.end <= part.size }.map { $0.start..<$0.end }
  }

  /// Segments that the next run would believe, and that are wrong: those of a part that nobody has touched must be
  /// there, and those of any other must have the checksum of what belongs there.
  var lies: [Range<Int64>] {
    guard let manifest, part != nil, !claims.isEmpty else { return [] }
    guard let version else { return claims }
    let checksums = Dictionary(manifest.segments.map { ($0.start..<$0.end, $0.checksum) }) { $1 }
    return claims.filter { claim in
      guard checksums[claim] == Self.checksum(of: version, claim) else { return true }
      return isTrusted && !isHere(claim, of: version)
    }
  }

  /// Segments that are claimed, and are there: nothing of them may be fetched again. What is damaged takes its block with
  /// it, which all of these files have only one of.
  var treasure: [Range<Int64>] {
    guard let version, version.etag == scenario.content.etag else { return [] }
    return claims.allSatisfy { isHere($0, of: version) } ? claims : []
  }

  private func isHere(_ range: Range<Int64>, of content: Content) -> Bool {
    disk.bytes(scenario.path + PartFile.suffix)?.holds(content, in: range) ?? false
  }

  private static func checksum(of content: Content, _ range: Range<Int64>) -> UInt32? {
    guard range.upperBound <= content.length, let bytes = try? content.bytes(in: range) else { return nil }
    return bytes.withUnsafeBytes { CRC32.update(0, $0) }
  }
}
