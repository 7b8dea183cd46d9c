/// What one of several sources of a file has done for it.
package struct SourceReport: Hashable, Sendable {
  /// What became of it.
  package enum State: Hashable, Sendable {
    case used
    /// It was not needed.
    case unused
    /// Why.
    case dropped(String)
  }

  /// As it may be shown.
  package var url: String
  /// Bytes of the file that it brought in this run.
  package var bytes: Int64
  /// What became of it.
  package var state: State

  /// Takes all as it is.
  package init(url: String, bytes: Int64, state: State) {
    self.url = url
    self.bytes = bytes
    self.state = state
  }
}
