internal import Glibc

/// The text of an nginx configuration that touches nothing outside its folder.
struct NginxConfiguration {
  let root: String
  let folder: String
  let port: UInt16
  let securePort: UInt16?
  let settings: NginxServer.Settings

  var text: String {
    """
    \(geteuid() == 0 ? "user root;" : "")
    daemon off;
    worker_processes 1;
    pid \(folder)/nginx.pid;
    error_log stderr warn;
    events { worker_connections 512; }
    http {
      log_format requests '$request_method $uri $http_range $status $body_bytes_sent';
      access_log \(folder)/access.log requests;
      default_type application/octet-stream;
      sendfile on;
      tcp_nopush on;
      client_body_temp_path \(folder)/body;
      proxy_temp_path \(folder)/proxy;
      fastcgi_temp_path \(folder)/fastcgi;
      uwsgi_temp_path \(folder)/uwsgi;
      scgi_temp_path \(folder)/scgi;
      \(settings.limitConnections == nil ? "" : "limit_conn_zone $binary_remote_addr zone=clients:1m;")
      server {
        listen 127.0.0.1:\(port);
        \(secureLines)
        server_name localhost;
        root "\(root)";
        \(settings.limitRate.map { "limit_rate \($0);" } ?? "")
        \(settings.limitConnections.map { "limit_conn clients \($0);" } ?? "")
        \(settings.directives)
      }
    }

    """
  }

  private var secureLines: String {
    guard let securePort else { return "" }
    return """
      listen 127.0.0.1:\(securePort) ssl;
          ssl_certificate \(folder)/\(SelfSignedCertificate.name);
          ssl_certificate_key \(folder)/\(SelfSignedCertificate.keyName);
          \(settings.protocols.map { "ssl_protocols \($0);" } ?? "")
      """
  }
}
