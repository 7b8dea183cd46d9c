/// When the first GET goes out beside a HEAD that is not answered yet.
package enum HeadStart {
  /// A connection that takes longer to be made than this, in seconds, goes a long way: round trips are the cost there.
  package static let shortConnection = 0.005
  /// Seconds for which HEAD alone is waited for once its request is out: more than a server on a short path takes that
  /// is not at a loss, less than anybody notices.
  private static let patience = 0.05

  /// Whether HEAD has had its time, so many seconds after it was begun, and after its request went out where it has.
  package static func isOver(begun: Double, requested: Double?) -> Bool {
    requested.map { $0 >= patience } ?? (begun >= shortConnection)
  }
}
