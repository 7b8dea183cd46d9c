/// The versions of the libraries that this process runs with.
package enum LibraryVersions {
  package static var libcurl: String { "" }
  package static var openSSL: String { "" }
  package static var zlib: String { "" }
}
