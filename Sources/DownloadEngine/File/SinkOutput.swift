import DownloadCore
import Glibc

/// The open descriptor behind a sink.
final class SinkOutput: Sendable {
  let sink: Sink
  /// Whether who reads it can go away, and poll(2) tells so: a pipe or a socket.
  let hasReader: Bool
  private let isBlockDevice: Bool
  private let file: FileDescriptor
  var descriptor: Int32 { file.raw }

  private init(_ sink: Sink, _ file: consuming FileDescriptor) throws(DownloadError) {
    let status: FileStatus
    do throws(Errno) { status = try file.status() } catch { throw Self.failure("look at", sink, error) }
    if case .path(let path) = sink, [.regular, .folder].contains(status.kind) {
      throw .leftAlone(Sanitiser.line(path, limit: 4096), "is no device or FIFO any more")
    }
    self.sink = sink
    self.file = file
    hasReader = status.kind == .pipe || status.kind == .socket
    isBlockDevice = status.kind == .blockDevice
  }

  /// Opens a sink. Nil where that is a FIFO that nobody reads yet.
  ///
  /// Throws `local` where it cannot be written to.
  static func open(_ sink: Sink, in files: any FileSystem) throws(DownloadError) -> SinkOutput? {
    let opened = try attempt("write to", sink) { () throws(Errno) -> Int32? in
      switch sink {
      case .standardOutput: return try files.duplicate(STDOUT_FILENO)
      case .path(let path): return try openPath(path, in: files)
      }
    }
    return try opened.map { raw throws(DownloadError) in try SinkOutput(sink, FileDescriptor(raw, of: files)) }
  }

  /// Never waits for a reader (fifo(7)): nothing but a signal would end that.
  private static func openPath(_ path: String, in files: any FileSystem) throws(Errno) -> Int32? {
    do throws(Errno) {
      let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY
      return try retrying { () throws(Errno) in
        try files.open(path, in: FileDescriptor.workingFolder, flags, mode: 0)
      }
    } catch {
      let status = try? files.status(of: path, in: FileDescriptor.workingFolder, followingLinks: true)
      guard error.code == ENXIO, status?.kind == .pipe else { throw error }
      return nil
    }
  }

  /// Writes some of it; nil where there is no room now. Throws `readerGone`, and `local`.
  func write(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) -> Int? {
    do throws(Errno) {
      return try file.append(bytes)
    } catch {
      if error.code == EAGAIN { return nil }
      if error.code == EPIPE { throw .readerGone }
      throw Self.failure("write to", sink, error)
    }
  }

  /// Makes what was written as durable as what stands behind it can: a disk keeps it, and a file system that tells of
  /// trouble only at a close does so now.
  func finish() throws(DownloadError) {
    try Self.attempt("sync", sink) { () throws(Errno) in if isBlockDevice { try file.sync() } }
    try Self.attempt("close", sink) { () throws(Errno) in try file.flush() }
  }

  private static func attempt<Result>(
    _ action: String, _ sink: Sink, _ body: () throws(Errno) -> Result
  ) throws(DownloadError) -> Result {
    do throws(Errno) { return try body() } catch { throw failure(action, sink, error) }
  }

  private static func failure(_ action: String, _ sink: Sink, _ error: Errno) -> DownloadError {
    DownloadError(.local, "cannot \(action) \(sink.shown): \(error.text)")
  }
}
