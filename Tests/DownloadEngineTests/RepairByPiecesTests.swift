import DownloadCore
import DownloadEngine
import Glibc
import TestSupport
import Testing

/// A file without a manifest is repaired by the digests of its pieces.
@Suite(.serialized) struct RepairByPiecesTests {
  private static let piece: Int64 = 300_000
  private let content = Content.pattern(length: 4_000_001)

  private func digest(_ range: Range<Int64>) throws -> Digest {
    let folder = try TemporaryFolder()
    try folder.write(.bytes(content.bytes(in: range)), to: "piece")
    let result = try CommandRunner("sha256sum", [folder.path("piece")]).run()
    return try Digest(.sha256, typed: String(result.output.prefix { $0 != " " }))
  }

  private func request(_ server: ScriptedServer, in folder: TemporaryFolder) throws -> DownloadRequest {
    var request = DownloadRequest(url: try URLParser.parse(typed: server.url("/file.bin")))
    request.target.folder = folder.path
    request.target.name = "file.bin"
    request.digests = [try digest(0..<content.length)]
    request.knownLength = content.length
    let starts = stride(from: 0, to: content.length, by: Int(Self.piece))
    let digests = try starts.map { try digest($0..<min(content.length, $0 + Self.piece)) }
    request.pieces = PieceDigests(length: Self.piece, digests: digests)
    return request
  }

  private func repair(_ request: DownloadRequest) throws -> Repair.Outcome {
    try Repair(request, signals: SignalSource()) { _ in }.run()
  }

  @Test func onlyTheDamagedPieceIsFetched() throws {
    let folder = try TemporaryFolder()
    let server = try ScriptedServer(.file(content))
    var bytes = try content.bytes(in: 0..<content.length)
    bytes[1_000_000] ^= 1
    try folder.write(.bytes(bytes), to: "file.bin")
    let request = try request(server, in: folder)
    guard case .repaired(let report) = try repair(request) else {
      Issue.record("nothing was repaired")
      return
    }
    #expect(report.bytes - report.resumed == Self.piece && report.verified == [.sha256])
    #expect(try folder.bytes("file.bin") == content.bytes(in: 0..<content.length))
    for range in server.settledLog().entries.compactMap({ $0.request.range }) where range != "bytes=0-0" {
      let start = Int64(range.dropFirst(6).prefix { $0 != "-" }) ?? 0
      #expect((900_000..<1_200_000).contains(start), "\(range)")
    }
    guard case .right = try repair(request) else {
      Issue.record("it was repaired twice")
      return
    }
  }

  @Test func anotherLengthAtTheServer() throws {
    let folder = try TemporaryFolder()
    let server = try ScriptedServer(.file(.pattern(length: content.length + 1)))
    try folder.write(.bytes(content.bytes(in: 0..<1_000_000)), to: "file.bin")
    let request = try request(server, in: folder)
    do throws(DownloadError) {
      _ = try Repair(request, signals: SignalSource()) { _ in }.run()
      Issue.record("nothing was refused")
    } catch {
      #expect(error.failure == .remoteChanged)
    }
    #expect(try folder.bytes("file.bin") == content.bytes(in: 0..<1_000_000) && folder.names() == ["file.bin"])
  }
}
