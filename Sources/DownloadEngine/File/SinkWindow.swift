import DownloadCore
import Glibc

/// What of a file is on its way to a sink: a file in memory (memfd_create(2)) that transfers write into at the file's own
/// offsets, just as into a part, and whose pages are given back when nobody needs them any more.
final class SinkWindow: ByteStore {
  let shownName = "the window in memory"
  private let file: FileDescriptor

  /// Throws `local` where the system has no memory for it.
  init(in files: any FileSystem) throws(DownloadError) {
    do throws(Errno) {
      file = FileDescriptor(try files.makeMemoryFile(), of: files)
    } catch {
      throw .local("make", shownName, error)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(DownloadError) {
    do throws(Errno) { try file.write(bytes, at: offset) } catch { throw .local("write to", shownName, error) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(DownloadError) -> Int {
    do throws(Errno) {
      return try file.read(into: buffer, at: offset)
    } catch {
      throw .local("read", shownName, error)
    }
  }

  /// Gives the memory of a range back; what is in it cannot be read any more.
  func release(_ range: ByteRange) throws(DownloadError) {
    do throws(Errno) { try file.release(range) } catch { throw .local("give back memory of", shownName, error) }
  }
}
