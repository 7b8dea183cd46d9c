internal import DownloadCore

/// Which lines a terminal shows while files are fetched.
struct PanelLines {
  var palette: Palette
  /// The seconds that are left of a file, as they are to be shown.
  var secondsLeft: [Int: Double]

  /// From this window on a file has two lines: its map, and the numbers.
  private static let leastForMap = Window(columns: 60, rows: 3)

  /// The lines, each narrower than the window by a column at least, and fewer than its rows where it has two; none
  /// where nothing is under way.
  func lines(of batch: Batch, in window: Window) -> [DrawnLine] {
    let width = window.columns - 1
    guard batch.hasSeveral else { return batch.active.first.map { single($0, window, width) } ?? [] }
    guard window.rows >= Self.leastForMap.rows else {
      return batch.active.first.map { [line($0, of: batch).text(width: width)] } ?? []
    }
    // Before the first file has begun and after the last has ended there is nothing to sum up.
    guard !batch.active.isEmpty || batch.isUnderWay else { return [] }
    let files = batch.active.prefix(window.rows - 2).map { line($0, of: batch).text(width: width) }
    return files + [TotalLine(batch: batch, secondsLeft: totalLeft(batch)).text(width: width)]
  }

  /// The one line that stays of a file when it has ended.
  func last(_ file: Batch.Active, of batch: Batch, in window: Window) -> DrawnLine {
    line(file, of: batch).text(width: window.columns - 1)
  }

  private func single(_ file: Batch.Active, _ window: Window, _ width: Int) -> [DrawnLine] {
    var line = line(file)
    line.name = nil
    guard window.columns >= Self.leastForMap.columns, window.rows >= Self.leastForMap.rows,
      let map = line.map(width: width)
    else { return [line.text(width: width)] }
    return [map, line.numbers(width: width, hasBar: false)]
  }

  private func line(_ file: Batch.Active, of batch: Batch? = nil) -> ProgressLine {
    ProgressLine(
      progress: file.progress, secondsLeft: secondsLeft[file.file],
      name: batch.flatMap { $0.hasSeveral ? file.name : nil }, palette: palette)
  }

  /// Side by side, or one after another: at the present speed of all.
  private func totalLeft(_ batch: Batch) -> Double? {
    // Of a single file that is under way its own time is steadier.
    batch.active.count == 1 ? secondsLeft[batch.active[0].file] : batch.sum.secondsLeft
  }
}
