/* What the files of crypto share: OpenSSL's view of a key. */
#ifndef FD_OUTSIDE_CRYPTO_INTERNAL_H
#define FD_OUTSIDE_CRYPTO_INTERNAL_H
#include <openssl/evp.h>

#include "outside/crypto.h"

EVP_PKEY *crypto_key_evp(const struct crypto_key *key); /* borrowed */
#endif
