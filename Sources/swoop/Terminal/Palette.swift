/// What a terminal's lines may be drawn with.
struct Palette: Hashable, Sendable {
  /// Characters beyond ASCII are understood.
  var isUnicode: Bool
  /// Shades may be chosen (SGR, ECMA-48 section 8.3.117).
  var isShaded: Bool

  /// By the environment: `NO_COLOR` set and not empty forbids shades (no-color.org), and the charset is that of the
  /// locale's name.
  init(environment: (String) -> String?) {
    isUnicode = Self.isUTF8(environment)
    isShaded = environment("NO_COLOR")?.isEmpty ?? true
  }

  init(isUnicode: Bool, isShaded: Bool) {
    self.isUnicode = isUnicode
    self.isShaded = isShaded
  }

  /// The first of these that is set and not empty names the locale (locale(7)): `de_DE.UTF-8@euro`. Whether the
  /// machine has that locale says nothing about the terminal, and is not asked.
  private static func isUTF8(_ environment: (String) -> String?) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
    guard let dot = name.firstIndex(of: ".") else { return false }
    let charset = name[name.index(after: dot)...].prefix { $0 != "@" }.lowercased()
    return charset == "utf-8" || charset == "utf8"
  }
}
