/// The versions of the libraries that this process runs with.
package enum LibraryVersions {
  package static var libcurl: String { CurlLibrary.version }
  package static var openSSL: String { CryptoLibrary.version }
  package static var zlib: String { CRC32.libraryVersion }
}
