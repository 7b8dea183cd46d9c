/// Parts of a file that together are all of it, once: what can be joined.
package struct PartCover: Sendable {
  /// A part that is here, and what is known of it.
  package struct Part: Sendable {
    /// Its path as shown.
    package let shown: String
    /// What it goes by among the parts: its path, or where one file holds several, that of its manifest.
    package let name: String
    /// Checked, and with a length.
    package let manifest: Manifest
    /// Of the file that holds it, in bytes.
    package let size: Int64
    /// Its place in the order in which the parts were named.
    package let index: Int

    /// Takes what is known as it is. `name`: nil where it goes by its path.
    package init(shown: String, name: String? = nil, manifest: Manifest, size: Int64, index: Int) {
      self.shown = shown
      self.name = name ?? shown
      self.manifest = manifest
      self.size = size
      self.index = index
    }

    /// Which bytes of the file it is.
    package var range: ByteRange { manifest.wanted ?? ByteRange(0, 0) }

    /// What of that its manifest does not claim.
    fileprivate var missing: [ByteRange] {
      var claimed = ByteRangeSet()
      for segment in manifest.segments { claimed.insert(ByteRange(segment.start, segment.end)) }
      return claimed.gaps(in: range).ranges
    }
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
      throw .incompletePart(part.name, missing: part.missing, isInPlace: manifest.offset != nil)
    }
    guard manifest.offset == nil else {
      guard manifest.base == 0 else {
        throw .cannotJoin(
          part.name, "\(part.range) of it are at offset \(manifest.offset ?? 0), which is not their place in the file")
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
      throw .cannotJoin(part.name, "it is a part of another file than \(first.name): of \(url)")
    }
    let (one, other) = (first.manifest.validator, part.manifest.validator)
    switch one.matches(other) {
    case .same: return
    case .unknown:
      guard !(one.isEmpty && other.isEmpty && one.length == other.length) else { return }
      throw .cannotJoin(part.name, "whether it is of the same version as \(first.name) cannot be told")
    case .changed(let how):
      throw .cannotJoin(part.name, "it is of another version than \(first.name): \(how); fetch it again")
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
  /// Where one part is named twice, or both go by one name, their bytes tell them apart.
  fileprivate func shown(beside other: Self) -> String { name == other.name ? "\(name) (\(range))" : name }
}
