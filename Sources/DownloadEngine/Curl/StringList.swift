import Ccurl

/// A list of lines for a request; libcurl reads it until the handle is done with it.
struct StringList: ~Copyable {
  private(set) var list: UnsafeMutablePointer<curl_slist>?

  init() {}

  deinit { curl_slist_free_all(list) }

  mutating func replace(_ lines: [String]) {
    curl_slist_free_all(list)
    list = nil
    for line in lines {
      // Without one of its lines a request would be another one; Swift ends a process without memory as well.
      guard let longer = curl_slist_append(list, line) else { fatalError("no memory for the lines of a request") }
      list = longer
    }
  }
}
