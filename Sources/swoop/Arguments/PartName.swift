internal import DownloadCore

/// The `NAME.part` of `resume` and `status`, typed with or without `.json` behind it.
struct PartName: Hashable, Sendable {
  /// With `.part`, as typed.
  var path: String
  var folder: String
  /// The finished file's name.
  var name: String

  /// `kind` tells what is on the disk, to name the part where the finished file's name was typed.
  init(typed text: String, kind: (String) -> OutputName.Kind = FileLook.kind) throws(DownloadError) {
    let path = text.hasSuffix(".part.json") ? String(text.dropLast(".json".count)) : text
    let slash = path.lastIndex(of: "/")
    let last = slash.map { path[path.index(after: $0)...] } ?? path[...]
    let shown = Redactor.address(text)
    let isURL = text.contains("://") || (TypedURL.hasLogin(text) && kind(path) == .nothing)
    guard !isURL else { throw .usage("'\(shown)' is a URL, not a partial file") }
    guard last.isEmpty || last.hasSuffix(".part") || kind(text + ".part") != .file else {
      throw .usage("'\(text)' is no partial file; did you mean \(text).part?")
    }
    guard last.hasSuffix(".part"), last.utf8.count > ".part".utf8.count else {
      throw .usage("'\(shown)' is no partial file: it does not end in .part")
    }
    self.path = path
    folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    name = String(last.dropLast(".part".count))
  }
}
