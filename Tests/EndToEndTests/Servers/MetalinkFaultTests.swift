import FaultCatalogue
import Glibc
import TestSupport
import Testing

/// Metalinks that are broken, lie, or want to do harm.
@Suite(.waiting) struct MetalinkFaultTests {
  private static let content = MetalinkTests.content
  private static let root = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">"

  /// What cannot be understood: exit 2 where it is here, 4 where a server sent it, and nobody is asked for anything else.
  @Test(
    .row("H22"),
    arguments: [
      ("", "is no XML"), ("<metalink", "is no XML: unclosed token in line 1"),
      ("<html></html>", "outermost element is html"),
      (root + "</metalink>", "names no file"), (root + "<file name=\"a\">", "is no XML"),
      ("<metalink version=\"3.0\" xmlns=\"http://www.metalinker.org/\"/>", "version 3"),
      ("<!DOCTYPE m [<!ENTITY a \"b\"><!ENTITY c \"&a;&a;\">]><m>&c;</m>", "declares a document type"),
      ("<!DOCTYPE m SYSTEM \"file:///etc/passwd\"><m/>", "declares a document type"),
      (root + "<file name=\"a\"><size>1e9</size></file></metalink>", "the size is none: '1e9'"),
      (root + "<file name=\"a\"><hash type=\"sha-256\">12</hash></file></metalink>", "the sha256 digest is none: '12'"),
      (root + String(repeating: "<x>", count: 100), "nested more than"),
      (root + "<file name=\"\u{202E}&#x9B;31m\"><size>x</size></file></metalink>", "the size is none"),
    ]) func useless(text: String, says: String) throws
  {
    let trial = try Trial(Self.content) { _ in .status(200, headers: MetalinkTests.type, text: text) }
    try trial.expect(trial.runMetalink(text), exit: 2, .nothing, says: says)
    #expect(trial.server.log.entries.isEmpty)
    for path in ["/list.meta4", "/by-its-type"] {
      let result = try trial.run("--metalink", url: trial.server.url(path))
      try trial.expect(result, exit: 4, .nothing, says: says)
    }
    #expect(trial.askedPaths == ["/list.meta4", "/by-its-type"])
  }

  /// The name that version 3 has: what it is, its text tells. One that is not here is no host.
  @Test(arguments: [
    ("<metalink version=\"3.0\" xmlns=\"http://www.metalinker.org/\"/>", "of version 3, and only version 4"),
    (root + "</metalink>", "names no file"), (nil, "no such file: 'old.metalink'"),
  ]) func theEndingOfVersion3(text: String?, says: String) throws {
    let place = try TemporaryFolder()
    if let text { try place.write(text, to: "old.metalink") }
    let result = try CommandRunner.swoop("old.metalink", in: place).run()
    #expect(result.exitCode == 2 && result.error.contains(says), "\(result.error)")
    #expect(try place.names() == (text == nil ? [] : ["old.metalink"]))
  }

  @Test(
    .row("H22"),
    arguments: [
      (Reply.status(404), 4, "404"), (.silence, 3, "no answer"),
      (.redirect(to: "file:///etc/passwd"), 4, "redirect refused"),
      (.raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n<a", then: .hang), 3, "no byte for"),
      (.raw("HTTP/1.1 200 OK\r\nContent-Length: 16777217\r\n\r\n", then: .hang), 4, "larger than 16 MiB"),
      (.endless("HTTP/1.1 200 OK\r\n\r\n", repeating: "<!-- nothing -->"), 4, "larger than 16 MiB"),
    ]) func thatCannotBeHad(reply: Reply, code: Int32, says: String) throws
  {
    let trial = try Trial(Self.content, reply)
    let result = try trial.command(["--metalink"], url: trial.server.url("/list.meta4")).run()
    #expect(result.exitCode == code && result.error.contains(says), "\(result.error)")
    #expect(trial.names.isEmpty && result.error.count(of: "error: ") == 1)
  }

  /// Files that cannot be fetched fail alone.
  @Test(arguments: [
    ("../evil", "it has '..' in it"), ("/etc/evil", "no relative path"), ("a/../../evil", "it has '..' in it"),
    ("..\\evil", "a backslash"), ("C:/evil", "a drive"), ("", "it is empty"), ("a//evil", "empty"),
    ("e\u{202E}vil", "cannot be seen"), ("file.bin", "the same name"),
  ])
  func badNamesFailAlone(name: String, says: String) throws {
    let trial = try Trial(Self.content) { $0.path == "/file.bin" ? .file(Self.content) : .file(MetalinkTests.small) }
    let text = try MetalinkText.document(
      MetalinkText.file("file.bin", Self.content, [trial.server.url()]),
      MetalinkText.file(name, MetalinkTests.small, [trial.server.url("/evil")]))
    let result = try trial.runMetalink(text)
    #expect(result.exitCode == 2 && result.error.contains(says), "\(result.error)")
    #expect(trial.names == ["file.bin"] && !trial.askedPaths.contains("/evil"))
    #expect(try trial.folder.names() == [Trial.place])
    Trial.expectPlain(result, #_sourceLocation)
  }

  /// A dot or a dash at the beginning does no harm behind a `_`.
  @Test func hiddenNamesAreShown() throws {
    let trial = try Trial(MetalinkTests.small, .file(MetalinkTests.small))
    let text = try MetalinkText.document(
      MetalinkText.file(".ssh/.rc", MetalinkTests.small, [trial.server.url()]),
      MetalinkText.file("-rf", MetalinkTests.small, [trial.server.url()]))
    let result = try trial.runMetalink(text)
    #expect(result.exitCode == 0 && trial.names == ["_rf", "_ssh"], "\(result.error)")
    #expect(try trial.folder.names(in: "place/_ssh") == ["_rc"])
  }

  @Test(arguments: [
    [], ["ftp://127.0.0.1/a"], ["file:///etc/passwd", "magnet:?xt=urn:x"], ["http://me:S3CR3T@127.0.0.1:1/a"], ["a"],
  ])
  func withoutAnAddress(urls: [String]) throws {
    let trial = try Trial(Self.content, .file(Self.content))
    let text = try MetalinkText.document(
      MetalinkText.file("other", Self.content, urls),
      MetalinkText.file("file.bin", Self.content, [trial.server.url()]))
    let result = try trial.runMetalink(text)
    #expect(result.exitCode == 2 && result.error.contains("'other' of the metalink"), "\(result.error)")
    #expect(result.error.contains("no http or https address") && trial.names == ["file.bin"], "\(result.error)")
    #expect(!result.error.contains(Trial.secret))
  }

  @Test(arguments: [1_000_000, 1_000_002]) func anotherSize(size: Int64) throws {
    for isChunked in [false, true] {
      let trial = try Trial(Self.content) { _ in .file(Self.content) { $0.isChunked = isChunked } }
      let digest = try DigestTests.digest("sha256", of: Self.content)
      let text = try MetalinkText.document(
        MetalinkText.file(
          "file.bin", Self.content, [trial.server.url()], size: size, digest: digest, hasPieces: false))
      let says = "1000001 bytes long, and the file that is wanted has \(size)"
      try trial.expect(trial.runMetalink(text), exit: 6, .partOrNothing, says: says)
    }
  }

  @Test func aWrongDigest() throws {
    let zeros = String(repeating: "0", count: 64)
    let trial = try Trial(Self.content, .file(Self.content))
    let file = { (digest: String?) in
      try MetalinkText.document(
        MetalinkText.file("file.bin", Self.content, [trial.server.url()], digest: digest))
    }
    try trial.expect(trial.runMetalink(file(zeros)), exit: 5, .part, says: "sha256 of file.bin does not match")
    let requests = trial.server.log.entries.count
    try trial.expect(trial.runMetalink(file(nil)), exit: 0, .file, says: "sha256 verified")
    #expect(trial.server.log.entries.count == requests, "all of it was here")
  }

  @Test func aSignalEndsTheWait() throws {
    let trial = try Trial(Self.content, .silence)
    let words = ["--metalink", "--stall-timeout", "60"]
    let command = try trial.command(words, url: trial.server.url("/list.meta4")).start()
    #expect(trial.server.waitUntil { !$0.entries.isEmpty })
    command.signal(SIGINT)
    let result = try command.result()
    #expect(result.termination == .signalled(SIGINT) && trial.names.isEmpty, "\(result.error)")
  }

  @Test func whatCannotBeRead() throws {
    let trial = try Trial(Self.content, .file(Self.content))
    let beside = try TemporaryFolder()
    try beside.makeFolder("x.meta4")
    let folder = try trial.command([], url: beside.path("x.meta4")).run()
    try trial.expect(folder, exit: 2, .nothing, says: "is a folder")
    let missing = try trial.command(["--metalink"], url: beside.path("missing.meta4")).run()
    try trial.expect(missing, exit: 2, .nothing, says: "no such file")
  }
}
