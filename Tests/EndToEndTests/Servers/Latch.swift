import TestSupport
import Testing

/// Opened once by an event; who waits for it goes on then, or after ten seconds: longer than any test should take.
final class Latch: Sendable {
  private let isOpen = Monitor(false)

  func open() { isOpen.change { $0 = true } }

  /// Whether it was opened.
  @discardableResult
  func wait() -> Bool { isOpen.wait(timeout: .seconds(10)) { $0 } }
}

extension Trial {
  /// A server that says nothing to HEAD before a GET has come: as on a long path, HEAD's answer is late.
  static func lateHead(
    _ content: Content, settings: ScriptedServer.Settings = .init(), script: @escaping ScriptedServer.Script
  ) throws -> Trial {
    let asked = Latch()
    return try Trial(content, settings: settings) { request in
      if request.method == "HEAD" { asked.wait() } else { asked.open() }
      return script(request)
    }
  }

  /// The GETs so far.
  var gets: [ServerLog.Entry] { server.settledLog().entries.filter { $0.request.method == "GET" } }

  /// No two answers to GET began at one place of the file.
  func expectNothingTwice(_ result: CommandResult? = nil, at location: SourceLocation = #_sourceLocation) {
    let starts = gets.filter { $0.status == 206 }.map(\.request.firstByte)
    #expect(Set(starts).count == starts.count, "\(starts)\n\(result?.error ?? "")", sourceLocation: location)
  }
}
