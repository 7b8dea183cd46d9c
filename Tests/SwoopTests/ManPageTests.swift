import DownloadCore
import Testing

@testable import swoop

@Suite struct ManPageTests {
  private let page = ManPage(Flags.all).text

  /// The entries of the options, each with its names as roff has them.
  private func entries(of page: String) -> Set<String> {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    return Set(zip(lines, lines.dropFirst()).filter { $0.0 == ".TP" }.map { String($0.1) })
  }

  @Test func hasEveryOptionThatIsBuiltAndNoOther() {
    for flag in Flags.all {
      let names = flag.allNames.map { "\\fB\($0.replacing("-", with: "\\-"))\\fR" }.joined(separator: ", ")
      let isThere = entries(of: page).contains { $0 == names || $0.hasPrefix(names + " ") }
      #expect(isThere, "\(flag.name)")
    }
  }

  @Test func hasEveryVerbAndExitCode() {
    for call in Call.named { #expect(entries(of: page).contains("\\fB\(call.word ?? "")\\fR")) }
    for code in ExitCode.all { #expect(entries(of: page).contains("\\fB\(code.code)\\fR")) }
  }

  @Test func sameVersionHasTheSamePage() {
    #expect(page == ManPage(Flags.all).text)
    #expect(page.contains(".TH SWOOP 1 \(Version.date) \"swoop \(Version.current)\"\n"))
    #expect(Version.date.wholeMatch(of: /20[0-9]{2}-[01][0-9]-[0-3][0-9]/) != nil)
  }

  @Test func noLineOfTextIsARequest() {
    let requests = [".\\\"", ".TH", ".SH", ".SS", ".TP", ".PP", ".br", ".nf", ".fi", ".nh", ".ad", ".RS", ".RE", ".BR"]
    for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
      #expect(requests.contains { line == $0 || line.hasPrefix($0 + " ") }, "\(line)")
    }
  }

  @Test func aNewRowNeedsNothingElse() {
    let flag = Flag(
      long: "new-thing", short: "Z", category: .transfer, help: "a 'new' thing", details: ".dot and \\ and ü.",
      effect: .value("X-Y") { _, _ in })
    let text = ManPage(Flags.all + [flag]).text
    #expect(text.contains(".TP\n\\fB\\-Z\\fR, \\fB\\-\\-new\\-thing\\fR \\fIX\\-Y\\fR\n"))
    #expect(text.contains("a \\(aqnew\\(aq thing.\n.br\n\\&.dot and \\(rs and \\[u00FC].\n"))
  }

  @Test func whatComesWithAnOptionComesWithIt() {
    let config = Flag(long: "config", category: .messages, help: "options from a file", effect: .toggle { _ in })
    let others = Flags.all.filter { $0.long?.hasSuffix("config") != true }
    #expect(!ManPage(others).text.contains("XDG_CONFIG_HOME"))
    #expect(ManPage(others + [config]).text.contains("\\fBXDG_CONFIG_HOME\\fR"))
  }

  @Test(arguments: [
    ("a-b", "a\\-b"), ("\\", "\\(rs"), ("it's", "it\\(aqs"), ("~^`\"", "\\(ti\\(ha\\(ga\\(dq"), ("é", "\\[u00E9]"),
    ("😀", "\\[u1F600]"), ("plain", "plain"), ("", ""),
  ])
  func escapes(text: String, escaped: String) {
    #expect(ManText.escaped(text) == escaped)
  }

  @Test func aLineThatBeginsWithADotIsText() {
    #expect(ManText.literal(".TH x") == "\\&.TH x\n")
    #expect(ManText.paragraph(".a") == "\\&.a\n")
    #expect(ManText.paragraph("") == "")
  }
}
