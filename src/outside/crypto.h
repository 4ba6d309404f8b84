/* Keys, signatures and sealed texts as the payment channels use them (OpenSSL inside): RSA PKCS#1 v1.5 over SHA-256,
 * AES-256-GCM, Base64. SHA-256 in hex is in base/token.h. What comes from outside is refused by returning false or
 * NULL; OpenSSL's own error queue is left empty. Source: facts/payments A2-A5, B1. */
#ifndef FD_OUTSIDE_CRYPTO_H
#define FD_OUTSIDE_CRYPTO_H
#include <stdbool.h>
#include <stddef.h>
#include "base/mem.h"

/* Standard alphabet, padded, one line. xmalloc'ed. */
char *base64_encode(const void *bytes, size_t count);
/* Appends what `text` means. Strict: padded, no blanks, no other characters, at least one byte; else false, `out`
 * untouched. */
bool base64_decode(const char *text, struct buf *out);

struct crypto_key; /* an RSA key, private or public; opaque */
/* From text: PEM of a private key (PKCS#8 or PKCS#1, without password), or the bare Base64 of its DER, as Alipay's
 * tool writes it. NULL where it is none, or no RSA key of 2048 bits at least. New; crypto_key_free. */
struct crypto_key *crypto_key_private(const char *text);
/* The same of a public key: PEM "PUBLIC KEY", the bare Base64 of its SPKI, or a PEM certificate, whose key it takes. */
struct crypto_key *crypto_key_public(const char *text);
void crypto_key_free(struct crypto_key **key); /* nulls; NULL is fine */
/* A key pair of 2048 bits: tests and the sandbox. */
struct crypto_key *crypto_key_new(void);
/* As PEM, PKCS#8 or SPKI; xmalloc'ed. */
char *crypto_key_private_pem(const struct crypto_key *key);
char *crypto_key_public_pem(const struct crypto_key *key);

#define SERIAL_BYTES 80 /* a certificate's serial in upper hex, or "PUB_KEY_ID_…" */
/* The serial of a PEM certificate, 40 digits usual; false where it is none, or over or not begun by this machine's
 * clock. */
bool certificate_serial(const char *pem, char serial[SERIAL_BYTES]);
/* A self-signed certificate over `key` of five years with this serial (hex): the sandbox. PEM, xmalloc'ed. */
char *certificate_new(const struct crypto_key *key, const char *serial);

/* Signature over the bytes, Base64; xmalloc'ed. */
char *rsa_sign(const struct crypto_key *key, const void *text, size_t bytes);
bool rsa_verify(const struct crypto_key *key, const void *text, size_t bytes, const char *signature);

#define AES_KEY_BYTES 32
struct sealing {
    const char *key;   /* AES_KEY_BYTES bytes */
    const char *nonce; /* its bytes; 12 in practice, 1 to 128 */
    const char *aad;   /* "" none */
};
/* Appends the plain text of the Base64 of ciphertext and tag. False where key, nonce, aad or a byte of it is wrong:
 * `plain` is untouched then. */
bool aes256gcm_open(const struct sealing *sealing, const char *sealed, struct buf *plain);
/* The reverse: the sandbox. Base64, xmalloc'ed; NULL where nonce or key has no such length. */
char *aes256gcm_seal(const struct sealing *sealing, const void *plain, size_t bytes);
#endif
