import TestSupport
import Testing

extension StoredManifest {
  /// Every claim is checked: order, bounds, the part's bytes and the checksum.
  func expectHonest(
    _ folder: TemporaryFolder, _ part: String, _ content: Content, _ location: SourceLocation
  ) throws {
    let lie = try firstLie(folder, part, content)
    #expect(lie == nil, "\(lie ?? "")", sourceLocation: location)
  }
}
