import DownloadCore
import Glibc

/// Digests of files that are here already.
enum FileDigests {
  /// Reads a file once and computes several digests of it. `onProgress` gets the bytes read and the file's length;
  /// where it throws, that ends it.
  ///
  /// Throws `local` where the file cannot be read, and `usage` where an algorithm is not to be had.
  static func compute(
    of job: DigestBatch.Job, onProgress: (Int64, Int64) throws(DownloadError) -> Void
  ) throws(DownloadError) -> [Digest] {
    let file = try open(job.path, waiting: !job.mustBeRegular)
    if job.mustBeRegular { try checkRegular(file, job.path) }
    return try compute(of: file, job.path, job.algorithms, onProgress: onProgress)
  }

  /// In bytes; 0 where there is no file that has a size.
  static func size(of path: String) -> Int64 {
    let status = try? retrying { () throws(Errno) in
      try LinuxFileSystem().status(of: path, in: FileDescriptor.workingFolder, followingLinks: true)
    }
    return status?.kind == .regular ? status?.size ?? 0 : 0
  }

  /// The same of a name in an open folder, wherever its path may lead by now, and not through a link.
  static func compute(
    of name: String, in folder: Folder, _ algorithms: [DigestAlgorithm],
    onProgress: (Int64, Int64) throws(DownloadError) -> Void
  ) throws(DownloadError) -> [Digest] {
    let file = try open(name, in: folder)
    return try compute(of: file, folder.shown(name), algorithms, onProgress: onProgress)
  }

  private static func compute(
    of file: borrowing FileDescriptor, _ path: String, _ algorithms: [DigestAlgorithm],
    onProgress: (Int64, Int64) throws(DownloadError) -> Void
  ) throws(DownloadError) -> [Digest] {
    let digests = try MessageDigests(algorithms)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { buffer.deallocate() }
    let length = try length(of: file, path)
    var offset: Int64 = 0
    while true {
      let count = try read(file, into: buffer, at: offset, path)
      digests.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += Int64(count)
      try onProgress(offset, length)
      guard count == buffer.count else { return digests.finish() }
    }
  }

  private static func checkRegular(_ file: borrowing FileDescriptor, _ path: String) throws(DownloadError) {
    do throws(Errno) {
      guard try ![.regular, .folder, .link].contains(file.status().kind) else { return }
    } catch {
      throw .local("read", path, error)
    }
    throw DownloadError(.local, "cannot read \(Sanitiser.line(path, limit: 4096)): it is no regular file")
  }

  /// `waiting`: for the writer of a FIFO.
  private static func open(_ path: String, waiting: Bool) throws(DownloadError) -> FileDescriptor {
    let system = LinuxFileSystem()
    do throws(Errno) {
      let raw = try retrying { () throws(Errno) in
        try system.open(
          path, in: FileDescriptor.workingFolder, O_RDONLY | (waiting ? 0 : O_NONBLOCK), mode: 0)
      }
      return FileDescriptor(raw, of: system)
    } catch {
      throw .local("read", path, error)
    }
  }

  private static func open(_ name: String, in folder: Folder) throws(DownloadError) -> FileDescriptor {
    do throws(Errno) {
      guard let file = try folder.open(name, O_RDONLY) else { throw Errno.notFound }
      return file
    } catch {
      throw .local("read", folder.shown(name), error)
    }
  }

  private static func length(of file: borrowing FileDescriptor, _ path: String) throws(DownloadError) -> Int64 {
    do throws(Errno) {
      let status = try file.status()
      guard status.kind != .folder else { throw Errno(EISDIR) }
      return status.size
    } catch {
      throw .local("read", path, error)
    }
  }

  private static func read(
    _ file: borrowing FileDescriptor, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, _ path: String
  ) throws(DownloadError) -> Int {
    do throws(Errno) {
      return try file.read(into: buffer, at: offset)
    } catch {
      throw .local("read", path, error)
    }
  }
}
