/// The versions of the libraries that this process runs with.
package enum LibraryVersions {
  package static var libcurl: String { CurlLibrary.version }
  package static var openSSL: String { CryptoLibrary.version }
  package static var zlib: String { CRC32.libraryVersion }
  package static var expat: String { MetalinkParser.libraryVersion }
  /// ISA-L has no function that tells: the file's name has all but the patch number; `unknown` where it has not.
  package static var isaL: String { LoadedLibrary.version(havingSymbol: "crc32_gzip_refl") }
}
