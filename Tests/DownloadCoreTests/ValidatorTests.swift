import DownloadCore
import Testing

@Suite struct EntityTagTests {
  @Test(arguments: [
    ("\"x\"", false, "\"x\""), (" \"x y\" ", false, "\"x y\""), ("W/\"x\"", true, "\"x\""), ("w/\"x\"", true, "\"x\""),
    ("abc", true, "abc"), ("\"a\"b\"", true, "\"a\"b\""), ("\"a", true, "\"a"), ("\"", true, "\""),
    ("\"é\"", false, "\"é\""),
  ])
  func reads(_ text: String, _ isWeak: Bool, _ opaque: String) {
    let tag = EntityTag(text)
    #expect(tag?.isWeak == isWeak && tag?.opaque == opaque)
  }

  @Test(arguments: ["", "  ", "\"\"", "W/", "W/\"\"", "\"a\u{1B}b\"", "\"a\nb\"", "\"a\u{7F}\"", "\"a\u{9B}b\""])
  func rejects(_ text: String) { #expect(EntityTag(text) == nil) }

  @Test func hasALimit() {
    #expect(EntityTag("\"\(String(repeating: "x", count: 1022))\"") != nil)
    #expect(EntityTag("\"\(String(repeating: "x", count: 1023))\"") == nil)
  }
}

@Suite struct ValidatorTests {
  private static let monday = "Mon, 07 Nov 1994 08:49:37 GMT"
  private static let tuesday = "Tue, 08 Nov 1994 08:49:37 GMT"

  @Test(arguments: [
    (Validator(etag: "\"a\""), Validator(etag: "\"a\"", lastModified: monday, length: 5)),
    (Validator(etag: "\"a\"", lastModified: monday), Validator(etag: "\"a\"", lastModified: tuesday)),
    (Validator(etag: "W/\"a\""), Validator(etag: "W/\"a\"")), (Validator(etag: "W/\"a\""), Validator(etag: "\"a\"")),
    (Validator(etag: "bare"), Validator(etag: "bare")),
    (Validator(etag: "\"a\"", lastModified: monday), Validator(lastModified: monday)),
    (Validator(lastModified: monday), Validator(lastModified: "Monday, 07-Nov-94 08:49:37 GMT")),
    (Validator(lastModified: monday, length: 5), Validator(lastModified: monday, length: 5)),
  ])
  func same(_ old: Validator, _ new: Validator) { #expect(old.matches(new) == .same && new.matches(old) == .same) }

  @Test(arguments: [
    (Validator(etag: "\"a\""), Validator(etag: "\"b\""), "the ETag was \"a\", is \"b\""),
    (Validator(etag: "\"a\"", length: 5), Validator(etag: "\"a\"", length: 6), "the length was 5, is 6"),
    (Validator(length: 5), Validator(length: 6), "the length was 5, is 6"),
    (
      Validator(etag: "W/\"a\"", lastModified: monday), Validator(etag: "W/\"b\"", lastModified: monday),
      "the ETag was W/\"a\", is W/\"b\""
    ),
    (
      Validator(lastModified: monday), Validator(lastModified: tuesday),
      "the Last-Modified was \(monday), is \(tuesday)"
    ),
    // Canonically equivalent, yet other bytes.
    (Validator(etag: "\"\u{E9}\""), Validator(etag: "\"e\u{301}\""), "the ETag was \"\u{E9}\", is \"e\u{301}\""),
  ])
  func changed(_ old: Validator, _ new: Validator, _ what: String) { #expect(old.matches(new) == .changed(what)) }

  @Test(arguments: [
    (Validator(), Validator(etag: "\"a\"")), (Validator(length: 5), Validator(length: 5)),
    (Validator(etag: "\"a\""), Validator(lastModified: monday)), (Validator(), Validator()),
  ])
  func unknown(_ old: Validator, _ new: Validator) { #expect(old.matches(new) == .unknown) }

  @Test func ifRangeIsAStrongETagAlone() {
    #expect(Validator(etag: "\"a\"").ifRangeValue == "\"a\"")
    for other in ["W/\"a\"", "a", "\"é\"", ""] { #expect(Validator(etag: other).ifRangeValue == nil) }
    #expect(Validator(lastModified: Self.monday).ifRangeValue == nil)
  }

  @Test func kinds() {
    #expect(Validator(etag: "\"a\"").isStrong && !Validator(etag: "W/\"a\"").isStrong && !Validator().isStrong)
    #expect(Validator(etag: "W/\"a\"").isWeakOnly && !Validator(etag: "\"a\"").isWeakOnly)
    #expect(!Validator(etag: "W/\"a\"", lastModified: Self.monday).isWeakOnly && !Validator().isWeakOnly)
    #expect(Validator(length: 5).isEmpty && !Validator(lastModified: Self.monday).isEmpty)
  }

  @Test func fromAHead() {
    let answer = head(200, "ETag: W/\"a\"", "Last-Modified: \(Self.monday)", "Content-Length: 9")
    let validator = Validator(head: answer, length: 9)
    #expect(validator == Validator(etag: "W/\"a\"", lastModified: Self.monday, length: 9))
    #expect(Validator(head: head(200, "ETag: ", "Last-Modified: 0"), length: nil).isEmpty)
  }
}
