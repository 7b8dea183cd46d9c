internal import DownloadCore

/// A map of a file as one row of characters: each shows how much of its part is here, and by its shade whether that
/// was here before this run.
struct MapText {
  let palette: Palette

  private static let eighths: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
  private static let faint = "\u{1B}[2m"
  private static let usual = "\u{1B}[0m"

  /// One column for each cell, and shades between them that take none.
  func text(_ cells: [FileMap.Cell]) -> String {
    var text = ""
    var isFaint = false
    for cell in cells {
      let wantsFaint = palette.isUnicode && palette.isShaded && cell.share > 0 && cell.isMostlyInherited
      if wantsFaint != isFaint { text += wantsFaint ? Self.faint : Self.usual }
      isFaint = wantsFaint
      text.append(character(cell))
    }
    return isFaint ? text + Self.usual : text
  }

  private func character(_ cell: FileMap.Cell) -> Character {
    guard palette.isUnicode else { return plain(cell) }
    switch cell.share {
    case ...0: return "·"
    case _ where cell.isMostlyInherited && !palette.isShaded: return cell.share < 0.5 ? "░" : "▒"
    case 1: return "█"
    default: return Self.eighths[min(6, max(0, Int(cell.share * 8) - 1))]
    }
  }

  private func plain(_ cell: FileMap.Cell) -> Character {
    switch cell.share {
    case ...0: "-"
    case 1: cell.isMostlyInherited ? "=" : "#"
    default: "+"
    }
  }
}

extension Progress {
  /// How full so many parts of the file are: by the map, else from the front on. Nil where the length is not known, or
  /// is 0.
  func cells(_ count: Int) -> [FileMap.Cell]? {
    if let map, activity == .fetching { return map.cells(count) }
    guard let total, var map = FileMap(length: total) else { return nil }
    map.add(ByteRange(0, min(max(0, done), total)))
    return map.cells(count)
  }
}
