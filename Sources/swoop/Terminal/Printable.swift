extension String {
  /// The text with every character replaced that could move a cursor, end a line or turn the direction of writing.
  var printable: String {
    guard unicodeScalars.contains(where: \.isDangerous) else { return self }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: unicodeScalars.map { $0.isDangerous ? "?" : $0 })
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Controls (C0, DEL, C1), separators of lines, and the invisible formats that direct writing.
  fileprivate var isDangerous: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
    default: false
    }
  }
}
