/// Why what was read is no metalink that can be used.
package enum MetalinkProblem: Error, Hashable, Sendable {
  /// More than `Metalink.mostBytes`.
  case tooLarge
  /// No XML: the line, from 1, and the parser's words.
  case notXML(line: Int, String)
  /// It has a document type, with which entities could be declared that grow without bound.
  case documentType
  /// Elements within elements, deeper than any metalink's.
  case tooDeep
  /// XML, but of something else; the name of its outermost element.
  case otherDocument(String)
  /// Version 3, which nobody has standardised.
  case version3
  /// It names no file.
  case noFile
  /// More files, or more of what belongs to one, than are read.
  case tooMany(String)
  /// What a file's entry says and what cannot be; the file's name, and one clause.
  case badEntry(String, String)
}

extension MetalinkProblem {
  /// One clause, in which nothing moves a cursor.
  package var clause: String {
    switch self {
    case .tooLarge: "is larger than \(ByteCount(Int64(Metalink.mostBytes)))"
    case .notXML(let line, let why): "is no XML: \(Sanitiser.line(why)) in line \(line)"
    case .documentType: "declares a document type, which no metalink needs: not read"
    case .tooDeep: "has elements nested more than \(MetalinkBuilder.mostDepth) deep"
    case .otherDocument(let name): "is XML, but no Metalink 4: its outermost element is \(Sanitiser.line(name))"
    case .version3: "is a Metalink of version 3, and only version 4 (.meta4, RFC 5854) is read"
    case .noFile: "names no file"
    case .tooMany(let what): "has too many \(what)"
    case .badEntry(let name, let what): "cannot be used: of '\(Sanitiser.line(name))' \(what)"
    }
  }
}
