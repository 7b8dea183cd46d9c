internal import DownloadCore

extension String {
  /// The text with everything escaped that could move a cursor, end a line or turn the direction of writing.
  var printable: String { Sanitiser.line(self, limit: 8192) }
}
