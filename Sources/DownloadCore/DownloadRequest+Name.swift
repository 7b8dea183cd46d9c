extension DownloadRequest {
  /// The name as far as it is known before the server has answered.
  package var likelyName: String { target.name ?? FileName.fromURLPath(url.lastPathPart) ?? FileName.fallback }

  /// Names come from what was typed, else from Content-Disposition, else from the URL as typed, else from where it led.
  package func name(of resource: Resource) -> String {
    if let typed = target.name { return typed }
    if target.usesContentDisposition, let header = resource.contentDisposition,
      let name = FileName.fromContentDisposition(header)
    {
      return name
    }
    return FileName.fromURLPath(url.lastPathPart) ?? FileName.fromURLPath(resource.url.lastPathPart)
      ?? FileName.fallback
  }
}
