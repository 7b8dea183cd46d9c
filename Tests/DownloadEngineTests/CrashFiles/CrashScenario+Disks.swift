import DownloadCore
import Glibc
import TestSupport

@testable import DownloadEngine

/// What earlier runs have left.
extension CrashScenario {
  /// A part that holds some ranges of a content, and its manifest, both durable.
  static func part(
    of content: Content, _ ranges: [Range<Int64>], url: RemoteURL, named version: Bool = true
  ) throws -> MemoryDisk {
    let files = CrashFileSystem()
    do {
      let folder = try Folder.open(".", in: files)
      guard let part = try PartFile.open(in: folder, name: fileName, creating: true) else { return files.disk }
      let session = PartSession(
        part: part, manifestFile: ManifestFile(folder: folder, name: fileName),
        manifest: Manifest(url: url.withoutSecrets), isTrusted: true, wakeup: Wakeup())
      let validator = Validator(
        etag: version ? content.etag : nil, lastModified: version ? FileReply(content).lastModified : nil,
        length: content.length)
      try session.begin(Resource(url: url, validator: validator))
      try session.prepare(length: content.length, reserving: true)
      for range in ranges { try write(content, range, to: session.writer) }
      try part.sync()
      try session.manifestFile.save(
        try session.snapshot(), ticket: session.manifestFile.ticket(), synced: true)
    }
    return files.disk
  }

  private static func write(_ content: Content, _ range: Range<Int64>, to writer: PartWriter) throws {
    var piece = PartWriter.OpenPiece()
    let bytes = try content.bytes(in: range)
    var failure: DownloadError?
    bytes.withUnsafeBytes { buffer in
      do throws(DownloadError) { try writer.write(buffer, at: range.lowerBound, &piece) } catch { failure = error }
    }
    if let failure { throw failure }
    writer.commit(&piece)
  }

  /// A file, durable.
  static func file(_ content: Content, _ name: String) throws -> MemoryDisk {
    var disk = MemoryDisk()
    let root = FileDescriptor.workingFolder
    let file = try disk.open(name, in: root, O_RDWR | O_CREAT | O_EXCL, mode: 0o644)
    try content.bytes(in: 0..<content.length).withUnsafeBytes { bytes in
      guard try disk.write(file, bytes, at: 0) == bytes.count else { throw Errno.noSpace }
    }
    try disk.sync(file, dataOnly: false)
    let folder = try disk.open(".", in: root, O_RDONLY, mode: 0)
    try disk.sync(folder, dataOnly: false)
    disk.closeAll()
    return disk
  }

  /// After another start of the machine: nothing on it is trusted unseen.
  static func restarted(_ disk: MemoryDisk) -> MemoryDisk { disk.afterCrash(Damage(number: 5, seed: 1)) }

  /// A byte of a file is another one, after another start of the machine.
  static func damaged(_ disk: MemoryDisk, _ name: String, at offset: Int64) throws -> MemoryDisk {
    var disk = disk
    let file = try disk.open(name, in: FileDescriptor.workingFolder, O_RDWR, mode: 0)
    var byte: UInt8 = 0
    try withUnsafeMutableBytes(of: &byte) { buffer in _ = try disk.read(file, into: buffer, at: offset) }
    byte = ~byte
    try withUnsafeBytes(of: &byte) { buffer in _ = try disk.write(file, buffer, at: offset) }
    try disk.sync(file, dataOnly: false)
    disk.closeAll()
    return restarted(disk)
  }
}
