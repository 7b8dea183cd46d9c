// libcurl as Swift can call it: one inline function for each type that its variadic functions take.
#ifndef SWOOP_CCURL_SHIM_H
#define SWOOP_CCURL_SHIM_H

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

typedef size_t (*swoop_curl_data_callback)(char *bytes, size_t size, size_t count, void *user);

static inline CURLcode swoop_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode swoop_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode swoop_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode swoop_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode swoop_curl_set_callback(CURL *handle, CURLoption option, swoop_curl_data_callback value) {
  return curl_easy_setopt(handle, option, value);
}
typedef int (*swoop_curl_request_callback)(void *user, char *primary, char *local, int primary_port, int local_port);
static inline CURLcode swoop_curl_set_request_callback(CURL *handle, swoop_curl_request_callback value) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, value);
}
// The size of the receive buffer of the transfer's sockets, set before they are connected, when it still counts for the
// window that is announced. Where the system refuses it, its own choice is as good.
static inline int swoop_curl_limit_buffer(void *size, curl_socket_t socket, curlsocktype purpose) {
  int bytes = (int)(long)size;
  (void)purpose;
  setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  return CURL_SOCKOPT_OK;
}
static inline CURLcode swoop_curl_set_receive_buffer(CURL *handle, long bytes) {
  curl_easy_setopt(handle, CURLOPT_SOCKOPTDATA, (void *)bytes);
  return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, swoop_curl_limit_buffer);
}
static inline CURLcode swoop_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode swoop_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode swoop_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline curl_version_info_data *swoop_curl_version_info(void) { return curl_version_info(CURLVERSION_NOW); }
static inline CURLcode swoop_curl_message_result(const CURLMsg *message) { return message->data.result; }

// Lets OpenSSL tell `watcher` what happens on the transfer's TLS connections, if it makes any
// (CURLOPT_SSL_CTX_FUNCTION(3), SSL_CTX_set_info_callback(3)).
typedef void (*swoop_tls_watcher)(const SSL *connection, int what, int value);
static inline CURLcode swoop_curl_watch_tls(CURL *handle, void *context, void *watcher) {
  SSL_CTX_set_info_callback((SSL_CTX *)context, (swoop_tls_watcher)watcher);
  return CURLE_OK;
}
static inline CURLcode swoop_curl_set_tls_watcher(CURL *handle, swoop_tls_watcher watcher) {
  curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, (void *)watcher);
  return curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, swoop_curl_watch_tls);
}
// The TLS connection of a transfer under way; NULL where it has none (CURLINFO_TLS_SSL_PTR(3)).
static inline const void *swoop_curl_tls_connection(CURL *handle) {
  struct curl_tlssessioninfo *information = NULL;
  if (curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &information) != CURLE_OK || !information) return NULL;
  return information->internals;
}
static const int swoop_tls_handshake_starts = SSL_CB_HANDSHAKE_START;
static const int swoop_tls_alert_read = SSL_CB_READ_ALERT;
static const int swoop_tls_close_notify = SSL_AD_CLOSE_NOTIFY;

#endif
