import Glibc

/// A thread of ours, joined by its owner.
struct Worker: ~Copyable {
  private let thread: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  init(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(run)).toOpaque()
    let code = pthread_create(&thread, nil, { Worker.enter($0) }, body)
    precondition(code == 0, "this machine has no thread left for us")
    self.thread = thread
  }

  private static func enter(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
    return nil
  }

  consuming func join() { pthread_join(thread, nil) }

  /// Lets the thread go on alone.
  consuming func detach() { pthread_detach(thread) }
}
