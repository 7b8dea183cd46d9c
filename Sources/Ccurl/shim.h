// libcurl as Swift can call it: one inline function for each type that its variadic functions take.
#ifndef SWOOP_CCURL_SHIM_H
#define SWOOP_CCURL_SHIM_H

#include <curl/curl.h>

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
static inline CURLcode swoop_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode swoop_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode swoop_curl_get_string(CURL *handle, CURLINFO info, char **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode swoop_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLMcode swoop_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline curl_version_info_data *swoop_curl_version_info(void) { return curl_version_info(CURLVERSION_NOW); }
static inline CURLcode swoop_curl_message_result(const CURLMsg *message) { return message->data.result; }

#endif
