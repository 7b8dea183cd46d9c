internal import Glibc

/// The three descriptors that a process begins with.
enum StandardStreams {
  /// Fills the places of those that are closed: a file that took one would get our messages written into it. What
  /// stands in fails when it is used, as a closed one does.
  static func occupy() {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
