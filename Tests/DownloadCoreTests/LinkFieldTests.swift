import DownloadCore
import Testing

/// Link fields (RFC 8288), and what servers of metalinks say in them (RFC 6249).
@Suite struct LinkFieldTests {
  private func links(_ values: String...) -> [LinkField] {
    let fields = values.map { HeaderField("link", $0) }
    return LinkField.all(in: ResponseHead(status: .ok, fields: fields))
  }

  @Test func parametersOfAllForms() {
    let found = links(
      "<http://a/x,y;z>; rel=\"Duplicate\"; pri=1 ;geo=\"d\\\"e, <f>\";pref, </b> ;REL=duplicate;rel=other",
      "<c>;rel=\"other duplicate\";title*=UTF-8''x")
    #expect(found.map(\.target) == ["http://a/x,y;z", "/b", "c"])
    #expect(found[0].parameters == ["rel": "Duplicate", "pri": "1", "geo": "d\"e, <f>", "pref": ""])
    #expect(found.allSatisfy { $0.isRelation("duplicate") })
    #expect(!found[1].isRelation("other"), "the first relation counts")
    #expect(found[2].isRelation("other") && !found[2].isRelation("describedby"))
  }

  @Test(arguments: [
    "", "a", "<a", "<a; <http://b>; rel=duplicate", "<a> x; rel=duplicate", "rel=duplicate", ",,,",
    "\"<a>; rel=duplicate", "<a>>;rel=duplicate",
  ])
  func whatIsMalformedIsPassedOver(value: String) {
    #expect(links(value).isEmpty, "\(links(value))")
    #expect(links(value, "<b>;rel=duplicate").map(\.target) == ["b"])
  }

  @Test func theRestOfAFieldCountsBehindWhatIsMalformed() {
    #expect(links("<a> x; y=\"1, <q>\", <b>;rel=duplicate, c, <d>").map(\.target) == ["b", "d"])
  }

  @Test func duplicatesByPreferenceAndPriority() {
    let found = links(
      "<a>;rel=duplicate, <b>;rel=duplicate;pri=5, <c>;rel=duplicate;pri=1, <d>;rel=duplicate;pri=9;pref",
      "<e>;rel=duplicate;pri=0, <f>;rel=duplicate;anchor=\"/other\", <g>;rel=next, <h>;rel=duplicate;pri=5")
    #expect(LinkField.duplicates(among: found).map(\.target) == ["d", "c", "b", "h", "a", "e"])
    #expect(found.map(\.priority) == [nil, 5, 1, 9, nil, nil, nil, 5])
  }

  @Test func metalinksByTheirType() {
    let found = links(
      "<sig>;rel=describedby;type=\"application/pgp-signature\", <b>;rel=describedby;type=application/metalink4+xml;pri=2",
      "<a>; rel=describedby; type=\"Application/Metalink4+xml; charset=utf-8\"; pri=1, <c>;rel=describedby",
      "<d>;rel=duplicate;type=\"application/metalink4+xml\"")
    #expect(LinkField.metalinks(among: found).map(\.target) == ["a", "b"])
  }
}
