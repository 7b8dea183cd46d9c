import Cexpat
package import DownloadCore

/// Reads metalinks with expat.
package enum MetalinkParser {
  /// Throws what is wrong with the bytes. No document type is read, so that no entity can be declared; elements are not
  /// nested deeper than `MetalinkBuilder.mostDepth`.
  package static func parse(_ bytes: [UInt8]) throws(MetalinkProblem) -> Metalink {
    guard bytes.count <= Metalink.mostBytes else { throw .tooLarge }
    return try ExpatParser().parse(bytes)
  }
}

/// One expat parser, for one document; the only thing that expat points back at.
private final class ExpatParser {
  private let parser: OpaquePointer
  private var builder = MetalinkBuilder()
  private var problem: MetalinkProblem?

  /// What stands between a name's namespace and the rest of it: no character that either can have.
  private static let separator = UInt8(ascii: "\n")

  init() {
    guard let parser = XML_ParserCreateNS(nil, XML_Char(Self.separator)) else {
      preconditionFailure("expat has no memory left")
    }
    self.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser, { ExpatParser.at($0).begin($1, $2) }, { context, _ in ExpatParser.at(context).end() })
    XML_SetCharacterDataHandler(parser) { ExpatParser.at($0).add($1, count: $2) }
    XML_SetStartDoctypeDeclHandler(parser) { context, _, _, _, _ in ExpatParser.at(context).stop(.documentType) }
  }

  deinit { XML_ParserFree(parser) }

  /// All of it at once: fed in pieces, expat 2.5 reads a long token again with each of them.
  func parse(_ bytes: [UInt8]) throws(MetalinkProblem) -> Metalink {
    let status = bytes.withUnsafeBytes { buffer in
      XML_Parse(parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count), 1)
    }
    if let problem { throw problem }
    guard status == XML_STATUS_OK else {
      let why = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "an unknown error"
      throw .notXML(line: Int(XML_GetCurrentLineNumber(parser)), why)
    }
    return try builder.finish()
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> ExpatParser {
    Unmanaged<ExpatParser>.fromOpaque(context!).takeUnretainedValue()
  }
}

/// What expat meets.
extension ExpatParser {
  private func begin(_ name: UnsafePointer<XML_Char>?, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
    guard let name, let list else { return }
    var attributes = MetalinkBuilder.Attributes()
    var index = 0
    while let key = list[index], let value = list[index + 1] {
      let read = Self.name(key)
      if read.namespace.isEmpty { attributes[read.local] = String(cString: value) }
      index += 2
    }
    attempt { (builder: inout MetalinkBuilder) throws(MetalinkProblem) in
      try builder.begin(Self.name(name), attributes)
    }
  }

  private func add(_ text: UnsafePointer<XML_Char>?, count: Int32) {
    let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
    attempt { (builder: inout MetalinkBuilder) throws(MetalinkProblem) in try builder.add(bytes) }
  }

  private func end() {
    attempt { (builder: inout MetalinkBuilder) throws(MetalinkProblem) in try builder.end() }
  }

  private static func name(_ text: UnsafePointer<XML_Char>) -> MetalinkBuilder.Name {
    let bytes = Array(String(cString: text).utf8)
    guard let end = bytes.lastIndex(of: separator) else {
      return MetalinkBuilder.Name(namespace: "", local: String(decoding: bytes, as: UTF8.self))
    }
    return MetalinkBuilder.Name(
      namespace: String(decoding: bytes[..<end], as: UTF8.self),
      local: String(decoding: bytes[(end + 1)...], as: UTF8.self))
  }

  /// After the first problem nothing counts any more; expat may tell a little more before it stops.
  private func attempt(_ body: (inout MetalinkBuilder) throws(MetalinkProblem) -> Void) {
    guard problem == nil else { return }
    do throws(MetalinkProblem) { try body(&builder) } catch { stop(error) }
  }

  private func stop(_ problem: MetalinkProblem) {
    self.problem = self.problem ?? problem
    XML_StopParser(parser, XML_Bool(XML_FALSE))
  }
}

extension MetalinkParser {
  /// Such as `2.5.0`.
  static var libraryVersion: String {
    let version = XML_ExpatVersionInfo()
    return "\(version.major).\(version.minor).\(version.micro)"
  }
}
