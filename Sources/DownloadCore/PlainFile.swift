/// What is told of a file where no HTTP is spoken: by an FTP server's SIZE and MDTM (RFC 3659), or by the system.
package struct PlainFile: Hashable, Sendable {
  /// In bytes; nil where the server does not tell.
  package var length: Int64?
  /// When it last changed; nil where the server does not tell.
  package var modified: HTTPDate?
  /// What else tells one version from another, without quotes; nil where nothing does.
  package var version: String?

  /// Takes the values as they are.
  package init(length: Int64?, modified: HTTPDate?, version: String? = nil) {
    self.length = length
    self.modified = modified
    self.version = version
  }
}

extension ResponseHead {
  /// The head of an HTTP answer that says the same, so that every answer is judged by the same rules.
  ///
  /// `asked`: the range that begins where the server was told to begin; nil for the whole. `isFirst`: nothing is known
  /// of the file yet, and its beginning may be the beginning of the whole. Where the length is not known, neither is the
  /// end of what comes: then no range is claimed.
  package init(_ file: PlainFile, asked: ByteRange?, isFirst: Bool = false) {
    self.init(status: .ok, fields: [])
    if let modified = file.modified { fields.append(HeaderField("Last-Modified", modified.text)) }
    if let version = file.version { fields.append(HeaderField("ETag", "\"\(version)\"")) }
    guard let length = file.length else { return }
    fields.append(HeaderField("Accept-Ranges", "bytes"))
    let mayBeWhole = isFirst && asked?.end == unknownEnd
    guard let asked, asked.start > 0 || (!mayBeWhole && length > 0) else {
      fields.append(HeaderField("Content-Length", "\(length)"))
      return
    }
    let end = min(asked.end, length)
    guard asked.start < end else {
      status = .rangeNotSatisfiable
      fields.append(HeaderField("Content-Range", "bytes */\(length)"))
      return
    }
    status = .partialContent
    fields.append(HeaderField("Content-Range", "bytes \(asked.start)-\(end - 1)/\(length)"))
    fields.append(HeaderField("Content-Length", "\(end - asked.start)"))
  }
}
