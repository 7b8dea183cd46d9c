/// As much of a terminal as is drawn on: text, returns, line ends, cursor up, erasing, shades. A window that gets
/// narrower breaks its lines.
struct VirtualTerminal {
  private(set) var columns: Int
  private let rows: Int
  /// Every row that was ever there, without blanks at its end.
  private var lines: [[Character]] = [[]]
  private var (row, column) = (0, 0)
  /// A character came when the last column was full.
  private(set) var hasWrapped = false
  /// Something was sent that it does not know.
  private(set) var isConfused = false

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// All that is to be seen, what has scrolled away too.
  var text: [String] {
    let texts = lines.map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    return Array(texts.reversed().drop { $0.isEmpty }.reversed())
  }

  mutating func write(_ text: String) {
    var rest = text.unicodeScalars.map { Character($0) }[...]
    while let character = rest.popFirst() {
      switch character {
      case "\u{1B}": control(&rest)
      case "\r": column = 0
      case "\n": newLine()
      default: put(character)
      }
    }
  }

  /// The cursor must be on an empty row, as it is between drawings.
  mutating func narrow(to new: Int) {
    var broken: [[Character]] = []
    for line in lines.prefix(row) {
      var rest = line[...]
      repeat {
        broken.append(Array(rest.prefix(new)))
        rest = rest.dropFirst(new)
      } while !rest.isEmpty
    }
    lines = broken + [[]]
    row = lines.count - 1
    columns = new
  }

  private mutating func control(_ rest: inout ArraySlice<Character>) {
    guard rest.popFirst() == "[" else { return isConfused = true }
    var number = ""
    while rest.first?.isNumber == true { number.append(rest.removeFirst()) }
    switch rest.popFirst() {
    case "A": row = max(max(0, lines.count - rows), row - (Int(number) ?? 1))
    case "K": lines[row] = Array(lines[row].prefix(column))
    case "J":
      lines[row] = Array(lines[row].prefix(column))
      lines.removeSubrange((row + 1)...)
    case "m": break
    default: isConfused = true
    }
  }

  private mutating func newLine() {
    row += 1
    column = 0
    if row == lines.count { lines.append([]) }
  }

  private mutating func put(_ character: Character) {
    if column >= columns - 1 { hasWrapped = true }
    while lines[row].count <= column { lines[row].append(" ") }
    lines[row][column] = character
    column += 1
  }
}
