/// Parts of a file that together are all of it, once: what can be joined.
package struct PartCover: Sendable {
  /// A part that is here, and what is known of it.
  package struct Part: Sendable {
    /// Its path as shown.
    package let shown: String
    /// Checked, and with a length.
    package let manifest: Manifest
    /// Of the file that holds it, in bytes.
    package let size: Int64
    /// Its place in the order in which the parts were named.
    package let index: Int

    /// Takes what is known as it is.
    package init(shown: String, manifest: Manifest, size: Int64, index: Int) {
      self.shown = shown
      self.manifest = manifest
      self.size = size
      self.index = index
    }

    /// Which bytes of the file it is.
    package var range: ByteRange { manifest.wanted ?? ByteRange(0, 0) }
  }

  /// In the order of the file.
  package let parts: [Part]

  /// Throws `manifestUnusable` for parts that do not fit together: one that is not complete, or of another file, version
  /// or length than the first; two that hold the same bytes; bytes that are in none.
  package init(_ parts: [Part]) throws(DownloadError) {
    guard let first = parts.first else { throw DownloadError(.manifestUnusable, "cannot join: there are no parts") }
    for part in parts {
      try Self.check(part)
      try Self.compare(part, with: first)
    }
    self.parts = parts.sorted { $0.range.start < $1.range.start }
    try checkCover()
  }

  /// What the joined file is, without segments.
  package var whole: Manifest {
    var whole = parts[0].manifest
    whole.range = nil
    whole.offset = nil
    whole.finished = nil
    whole.segments = []
    whole.digests = [:]
    whole.digestsUnauthenticated = nil
    whole.announced = nil
    whole.distrust()
    return whole
  }

  private static func check(_ part: Part) throws(DownloadError) {
    let manifest = part.manifest
    guard manifest.finished == true, manifest.isComplete else {
      throw .cannotJoin(part.shown, "it is not complete; fetch it to its end first")
    }
    guard manifest.offset == nil else {
      guard manifest.base == 0 else {
        throw .cannotJoin(
          part.shown, "\(part.range) of it are at offset \(manifest.offset ?? 0), which is not their place in the file")
      }
      guard part.size == manifest.length else {
        throw .cannotJoin(part.shown, "it has \(part.size) bytes, and the whole file \(manifest.length ?? 0)")
      }
      return
    }
    guard part.size == part.range.count else {
      throw .cannotJoin(part.shown, "it has \(part.size) bytes, and its manifest says \(part.range.count)")
    }
  }

  private static func compare(_ part: Part, with first: Part) throws(DownloadError) {
    guard part.manifest.url == first.manifest.url else {
      let url = Redactor.text(Sanitiser.line(part.manifest.url))
      throw .cannotJoin(part.shown, "it is a part of another file than \(first.shown): of \(url)")
    }
    let (one, other) = (first.manifest.validator, part.manifest.validator)
    switch one.matches(other) {
    case .same: return
    case .unknown:
      guard !(one.isEmpty && other.isEmpty && one.length == other.length) else { return }
      throw .cannotJoin(part.shown, "whether it is of the same version as \(first.shown) cannot be told")
    case .changed(let how):
      throw .cannotJoin(part.shown, "it is of another version than \(first.shown): \(how); fetch it again")
    }
  }

  private func checkCover() throws(DownloadError) {
    var (end, last) = (Int64(0), parts[0])
    for part in parts {
      guard part.range.start >= end else {
        let both = ByteRange(part.range.start, min(end, part.range.end))
        throw .overlappingParts(last.shown(beside: part), part.shown(beside: last), both)
      }
      try checkGap(ByteRange(end, part.range.start), part)
      if part.range.end > end { (end, last) = (part.range.end, part) }
    }
    try checkGap(ByteRange(end, max(end, last.manifest.length ?? 0)), last)
  }

  private func checkGap(_ gap: ByteRange, _ part: Part) throws(DownloadError) {
    guard gap.isEmpty else { throw .gapBetweenParts(gap, url: part.manifest.url) }
  }
}

extension PartCover.Part {
  /// Parts of one file that is filled in place go by its name: then their bytes tell them apart.
  fileprivate func shown(beside other: Self) -> String { shown == other.shown ? "\(shown) (\(range))" : shown }
}
