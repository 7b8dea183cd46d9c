import Glibc

/// A thread of ours, joined by its owner.
struct Worker: ~Copyable {
  private let thread: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Throws where the machine, or a limit on it, has no thread left for us.
  init(_ run: @escaping @Sendable () -> Void) throws(Errno) {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(run))
    let code = pthread_create(&thread, nil, { Worker.enter($0) }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw Errno(code)
    }
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
