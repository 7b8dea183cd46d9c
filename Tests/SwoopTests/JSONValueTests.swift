import DownloadCore
import TestSupport
import Testing

@testable import swoop

@Suite struct JSONValueTests {
  /// Quotes, controls, what turns or ends lines, what has no width, pairs of surrogates, and what is no character.
  static let texts = [
    "", "plain", "\"\\/", "\n\r\t\u{0}\u{8}\u{C}\u{1F}\u{7F}", "\u{85}\u{9B}31m", "\u{2028}\u{2029}\u{202E}\u{200B}",
    "日本語 é e\u{301} 🎉 👩\u{200D}💻", "\u{E0001}\u{FEFF}\u{FFFD}\u{10FFFF}",
    String(decoding: [0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80], as: UTF8.self),
  ]

  @Test(arguments: texts) func stringsComeBack(text: String) throws {
    let value = JSONValue.object([JSONMember(text, .array([.string(text)]))])
    let parsed = try ParsedJSON(parsing: value.text)
    #expect(parsed == .object([text: .array([.string(text)])]))
    #expect(value.text.unicodeScalars.allSatisfy { !$0.isHidden })
  }

  @Test func anyStringComesBack() throws {
    var random = SplitMix64(state: 7)
    for _ in 0..<300 {
      let scalars = (0..<20).compactMap { _ in
        Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x3000 : 0x10FFFF), using: &random))
      }
      let text = String(String.UnicodeScalarView(scalars))
      #expect(try ParsedJSON(parsing: JSONValue.string(text).text) == .string(text), "\(scalars.map(\.value))")
    }
  }

  @Test(
    arguments: [
      (.null, "null"), (.bool(true), "true"), (.bool(false), "false"), (.integer(.max), "9223372036854775807"),
      (.integer(.min), "-9223372036854775808"), (.seconds(0), "0.000"), (.seconds(1.0005), "1.001"),
      (.seconds(12.34), "12.340"), (.seconds(-0.25), "-0.250"), (.seconds(.nan), "null"), (.seconds(.infinity), "null"),
      (.seconds(1e300), "null"), (.array([]), "[]"), (.object([]), "{}"), (.array([.null, .integer(1)]), "[null,1]"),
      (.text(nil), "null"), (.count(nil), "null"), (.count(3), "3"),
    ] as [(JSONValue, String)])
  func valuesAreWritten(value: JSONValue, text: String) throws {
    #expect(value.text == text)
    _ = try ParsedJSON(parsing: text)
  }

  @Test func membersKeepTheirOrder() {
    let value = JSONValue.object([JSONMember("b", .integer(1)), JSONMember("a", .object([JSONMember("c", .null)]))])
    #expect(value.text == #"{"b":1,"a":{"c":null}}"#)
  }
}
