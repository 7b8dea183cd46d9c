import Testing

@testable import DownloadEngine

@Suite struct LoadedLibraryTests {
  @Test(arguments: [
    ("/usr/lib/x86_64-linux-gnu/libisal.so.2.0.30", "2.30"), ("/lib/libisal.so.2", nil), ("/lib/libisal.so", nil),
    ("/lib/libisal.so.2.1.30", nil), ("/usr/bin/swoop", nil), ("", nil),
  ])
  func theNameTellsTheVersion(path: String, version: String?) {
    #expect(LoadedLibrary.version(ofPath: path) == version)
  }

  @Test func whatNoLibraryHasIsUnknown() {
    #expect(LoadedLibrary.version(havingSymbol: "swoop_no_such_symbol") == "unknown")
    #expect(LibraryVersions.isaL.wholeMatch(of: /[0-9]+\.[0-9]+/) != nil, "\(LibraryVersions.isaL)")
  }
}
