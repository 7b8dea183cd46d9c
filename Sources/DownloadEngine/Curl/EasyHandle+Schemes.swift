import Ccurl
import DownloadCore

extension EasyHandle {
  /// What may be asked, and how, where that depends on the URL's scheme. A URL of http or https leads nowhere else.
  func setScheme(_ request: TransferRequest) {
    let url = request.url
    set(CURLOPT_PROTOCOLS_STR, url.isWeb ? "http,https" : url.scheme)
    guard !url.isWeb else { return set(CURLOPT_RANGE, request.rangeText) }
    set(CURLOPT_RANGE, PlainTalk.rangeText(request))
    // MDTM is asked before each transfer, and told by the info.
    set(CURLOPT_FILETIME, true)
    // Data come from the server that was asked, whatever address it names.
    set(CURLOPT_FTP_SKIP_PASV_IP, true)
  }

  /// The transfer fails as soon as it begins, before anything is opened.
  func forbid() { set(CURLOPT_PROTOCOLS_STR, "http") }

  /// What an FTP server told in its replies to SIZE and MDTM. Right only until the first byte has come: then libcurl
  /// counts what is left of the file.
  var toldFile: PlainFile {
    let (length, modified) = (offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), offset(CURLINFO_FILETIME_T))
    return PlainFile(
      length: length.flatMap { $0 < 0 ? nil : Int64($0) },
      modified: modified.flatMap { $0 < 0 ? nil : HTTPDate(secondsSinceEpoch: Int64($0)) })
  }

  private func offset(_ info: CURLINFO) -> curl_off_t? {
    var value: curl_off_t = -1
    return swoop_curl_get_offset(raw, info, &value) == CURLE_OK ? value : nil
  }
}
