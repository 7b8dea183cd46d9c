extension DownloadRequest {
  /// The job of fetching a list of digests. What the user gave for the origin of one of the files goes along where the
  /// list is at that origin too; anywhere else only what is said to every server does.
  package init(checksumFile url: RemoteURL, for files: [DownloadRequest], otherwise http: HTTPOptions) {
    self.init(url: url)
    self.http = files.first { $0.url.origin == url.origin }?.http ?? http.forAnyOrigin
    if let userInfo = url.userInfo { self.http.credentials = userInfo }
  }
}

extension HTTPOptions {
  /// Without what was given for one origin: headers, cookies, logins and certificates of one's own.
  package var forAnyOrigin: HTTPOptions {
    var options = self
    options.headers = []
    options.suppressedHeaders = []
    (options.referer, options.cookie, options.credentials) = (nil, nil, nil)
    (options.certificate, options.key) = (nil, nil)
    return options
  }
}
