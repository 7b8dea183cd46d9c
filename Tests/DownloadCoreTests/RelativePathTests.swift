import DownloadCore
import Testing

/// Paths that a metalink gives to its files.
@Suite struct RelativePathTests {
  @Test(arguments: [
    ("a.iso", [], "a.iso"), ("sub/a.iso", ["sub"], "a.iso"), ("a b/é/c", ["a b", "é"], "c"),
    (".bashrc", [], "_bashrc"), (".ssh/-rf", ["_ssh"], "_rf"), ("x.part", [], "x.part.download"),
    ("a..b", [], "a..b"), ("~/x", ["~"], "x"), ("a.", [], "a"),
  ])
  func isBelowTheFolder(text: String, folders: [String], name: String) throws {
    let path = try RelativePath(text)
    #expect(path.folders == folders && path.name == name)
  }

  @Test(arguments: [
    ("", "empty"), ("/etc/passwd", "no relative path"), ("../x", "'..'"), ("a/../../x", "'..'"), ("./x", "'.'"),
    ("a//b", "empty"), ("a/", "empty"), ("..", "'..'"), ("a\\..\\b", "backslash"), ("C:x", "a drive"),
    ("a/C:/x", "a drive"), ("a\u{0}b", "cannot be seen"), ("a\nb", "cannot be seen"), ("a\u{202E}b", "cannot be seen"),
    ("a/ /b", "no name"), ("...", "no name"), (String(repeating: "a/", count: 2500) + "b", "longer"),
  ])
  func isRefused(text: String, why: String) {
    let problem = #expect(throws: RelativePath.Problem.self) { try RelativePath(text) }
    #expect(problem?.clause.contains(why) == true, "\(problem?.clause ?? "")")
  }

  @Test func aLongNameIsCut() throws {
    let path = try RelativePath("d/" + String(repeating: "x", count: 400) + ".iso")
    #expect(path.name.utf8.count == FileName.longest && path.name.hasSuffix(".iso"))
  }
}
