internal import DownloadCore

/// Where `-o` and `-d` put the file. What exists on the disk is told by a closure, so that this decides and never looks.
enum OutputName {
  /// What a path leads to, links followed.
  enum Kind: Hashable, Sendable {
    case nothing
    case file
    case folder
    /// A device, FIFO or socket.
    case stream
  }

  /// Checks what needs no look at the disk.
  static func checked(_ text: String) throws(DownloadError) -> String {
    guard !text.isEmpty else { throw .usage("--output needs a file's name") }
    return standardOutputs.contains(text) ? Sink.standardOutput.path : text
  }

  /// Its names.
  private static let standardOutputs: Set = [
    Sink.standardOutput.path, "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1",
  ]

  /// The folder and the name, which is nil where server or URL choose it.
  static func target(
    output: String?, directory: String?, kind: (String) -> Kind
  ) throws(DownloadError) -> DownloadRequest.Target {
    if let directory { try checkIsNoURL(directory, "--directory", kind) }
    if let output { try checkIsNoURL(output, "--output", kind) }
    var target = DownloadRequest.Target()
    target.folder = directory ?? "."
    guard let output else { return target }
    guard output != Sink.standardOutput.path else {
      target.sink = .standardOutput
      return target
    }
    guard directory == nil || !output.hasPrefix("/") else {
      throw .usage("--output with an absolute name cannot be below --directory")
    }
    let path = join(directory, output)
    switch kind(path) {
    case .stream: target.sink = .path(path)
    case .folder: target.folder = path
    case .nothing, .file: try split(path, into: &target)
    }
    return target
  }

  /// The same of an entry of a list: a path below the folder, of which the list cannot lead out.
  static func target(
    ofEntry output: String?, directory: String?, kind: (String) -> Kind
  ) throws(DownloadError) -> DownloadRequest.Target {
    guard let output else { return try target(output: nil, directory: directory, kind: kind) }
    guard output != "-", !output.hasPrefix("/"), !output.split(separator: "/").contains("..") else {
      throw .usage("output is a path below the folder of --directory, without '..'")
    }
    let found = kind(join(directory, output))
    guard found != .stream else { throw .usage("output is a device or FIFO") }
    var target = try target(output: output, directory: directory, kind: { _ in found })
    target.isFolderTypedAsName = found == .folder && !output.hasSuffix("/")
    return target
  }

  /// A value that was forgotten has its place taken by a URL, whose secrets are not repeated.
  private static func checkIsNoURL(_ text: String, _ option: String, _ kind: (String) -> Kind) throws(DownloadError) {
    guard text.contains("://"), kind(text) == .nothing else { return }
    throw .usage("\(option) needs a name, and '\(Redactor.address(text))' is a URL")
  }

  private static func split(_ path: String, into target: inout DownloadRequest.Target) throws(DownloadError) {
    let slash = path.lastIndex(of: "/")
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    if !name.isEmpty, let problem = FileName.typedNameProblem(String(name)) { throw .usage("--output: \(problem)") }
    target.folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    target.name = name.isEmpty ? nil : String(name)
  }

  private static func join(_ directory: String?, _ name: String) -> String {
    guard let directory else { return name }
    return directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
  }
}
