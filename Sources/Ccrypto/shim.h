#ifndef SWOOP_CCRYPTO_SHIM_H
#define SWOOP_CCRYPTO_SHIM_H
#include <openssl/crypto.h>
#include <openssl/evp.h>

// OpenSSL frees its state in an exit handler, while other threads may still hash: none is registered.
static inline int swoop_crypto_init(void) { return OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }
static inline const char *swoop_crypto_version(void) { return OpenSSL_version(OPENSSL_VERSION); }
#endif
