/// What a run did that no run may do.
struct BrokenPromise: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Throws one where something is not so.
  static func unless(_ isSo: Bool, _ description: @autoclosure () throws -> String) throws {
    if !isSo { throw try BrokenPromise(description()) }
  }
}
