/// What reads bytes that a server or a file sends, or that are typed: each has properties that hold whatever the bytes
/// are.
package enum Decoder: String, CaseIterable, Sendable {
  case manifest
  case contentRange = "content-range"
  case contentDisposition = "content-disposition"
  case fileName = "file-name"
  case fieldValue = "field-value"
  case responseHead = "response-head"
  case announcedDigests = "announced-digests"
  case base64
  case checksumFile = "checksum-file"
  case metalink
  case linkField = "link-field"
  case relativePath = "relative-path"
  case curlCommandLine = "curl-command-line"
  case inputList = "input-list"
  case url
  case secretURL = "secret-url"
  case shownText = "shown-text"

  /// Decodes the bytes and throws the first property that does not hold.
  package func check(_ bytes: [UInt8]) throws(BrokenProperty) {
    switch self {
    case .manifest: try ManifestProperties.check(bytes)
    case .contentRange: try ContentRangeProperties.check(text(bytes))
    case .contentDisposition: try FileNameProperties.checkContentDisposition(text(bytes))
    case .fileName: try FileNameProperties.check(text(bytes))
    case .fieldValue: try FieldValueProperties.check(text(bytes))
    case .responseHead: try ResponseHeadProperties.check(bytes)
    case .announcedDigests: try AnnouncedDigestsProperties.check(bytes)
    case .base64: try Base64Properties.check(text(bytes))
    case .checksumFile: try ChecksumFileProperties.check(bytes)
    case .metalink: try MetalinkProperties.check(bytes)
    case .linkField: try LinkFieldProperties.check(text(bytes))
    case .relativePath: try MetalinkProperties.checkName(text(bytes))
    case .curlCommandLine: try CurlCommandLineProperties.check(text(bytes))
    case .inputList: try InputListProperties.check(bytes)
    case .url: try URLProperties.check(text(bytes))
    case .secretURL: try SecretURLProperties.check(text(bytes))
    case .shownText: try ShownTextProperties.check(text(bytes))
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
