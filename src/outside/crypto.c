/* Signatures and sealed texts over OpenSSL's EVP. */
#include "outside/crypto.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/fault.h"
#include "outside/crypto_internal.h"

#define GCM_TAG_BYTES   16
#define GCM_NONCE_BYTES 128

/* ---- Base64 and digests ---- */

char *base64_encode(const void *bytes, size_t count)
{
    FD_ASSERT(count < INT_MAX / 2);
    char *text = xmalloc((count + 2) / 3 * 4 + 1);
    EVP_EncodeBlock((unsigned char *)text, bytes, (int)count);
    return text;
}

/* OpenSSL skips blanks and takes padding anywhere; a signature has one spelling only. */
static bool is_base64(const char *text, size_t length)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!length || length % 4 || length > INT_MAX / 2)
        return false;
    size_t pads = text[length - 1] != '=' ? 0 : text[length - 2] != '=' ? 1 : 2;
    return strspn(text, alphabet) == length - pads;
}

bool base64_decode(const char *text, struct buf *out)
{
    size_t length = strlen(text);
    if (!is_base64(text, length))
        return false;
    unsigned char *bytes = xmalloc(length / 4 * 3);
    int got = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length);
    size_t pads = (size_t)(text[length - 1] == '=') + (size_t)(text[length - 2] == '=');
    if (got > 0)
        buf_add_bytes(out, (const char *)bytes, (size_t)got - pads);
    OPENSSL_cleanse(bytes, length / 4 * 3);
    free(bytes);
    ERR_clear_error();
    return got > 0;
}

/* ---- signatures ---- */

char *rsa_sign(const struct crypto_key *key, const void *text, size_t bytes)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = 0;
    unsigned char *signature = NULL;
    bool done = context && EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, crypto_key_evp(key)) == 1 &&
                EVP_DigestSign(context, NULL, &length, text, bytes) == 1;
    if (done) {
        signature = xmalloc(length);
        done = EVP_DigestSign(context, signature, &length, text, bytes) == 1;
    }
    EVP_MD_CTX_free(context);
    /* A key that was read as a private one signs anything: what is missing can only be memory. */
    if (!done)
        mem_exhausted();
    char *encoded = base64_encode(signature, length);
    free(signature);
    return encoded;
}

bool rsa_verify(const struct crypto_key *key, const void *text, size_t bytes, const char *signature)
{
    struct buf raw = {0};
    if (!base64_decode(signature, &raw))
        return false;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context)
        mem_exhausted();
    bool good = EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, crypto_key_evp(key)) == 1 &&
                EVP_DigestVerify(context, (const unsigned char *)raw.text, raw.bytes, text, bytes) == 1;
    EVP_MD_CTX_free(context);
    buf_release(&raw);
    ERR_clear_error();
    return good || FD_TOOTH("channel_proof");
}

/* ---- sealed texts ---- */

/* The cipher with key, nonce and aad in it, or NULL. */
static EVP_CIPHER_CTX *gcm_begin(const struct sealing *sealing, int encrypt)
{
    size_t nonce = strlen(sealing->nonce), aad = strlen(sealing->aad);
    if (strnlen(sealing->key, AES_KEY_BYTES + 1) != AES_KEY_BYTES || !nonce || nonce > GCM_NONCE_BYTES || aad > INT_MAX)
        return NULL;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int ignored;
    if (context && EVP_CipherInit_ex(context, EVP_aes_256_gcm(), NULL, NULL, NULL, encrypt) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IVLEN, (int)nonce, NULL) == 1 &&
        EVP_CipherInit_ex(context, NULL, NULL, (const unsigned char *)sealing->key,
                          (const unsigned char *)sealing->nonce, encrypt) == 1 &&
        (!aad || EVP_CipherUpdate(context, NULL, &ignored, (const unsigned char *)sealing->aad, (int)aad) == 1))
        return context;
    EVP_CIPHER_CTX_free(context);
    ERR_clear_error();
    return NULL;
}

static bool gcm_open(EVP_CIPHER_CTX *context, const struct buf *raw, unsigned char *plain, int *length)
{
    unsigned char *sealed = (unsigned char *)raw->text;
    size_t bytes = raw->bytes - GCM_TAG_BYTES;
    int more = 0;
    *length = 0;
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, GCM_TAG_BYTES, sealed + bytes) == 1 &&
           EVP_CipherUpdate(context, plain, length, sealed, (int)bytes) == 1 &&
           EVP_CipherFinal_ex(context, plain + *length, &more) == 1;
}

bool aes256gcm_open(const struct sealing *sealing, const char *sealed, struct buf *plain)
{
    struct buf raw = {0};
    EVP_CIPHER_CTX *context = NULL;
    bool good = base64_decode(sealed, &raw) && raw.bytes >= GCM_TAG_BYTES && (context = gcm_begin(sealing, 0));
    if (good) {
        unsigned char *text = xmalloc(raw.bytes);
        int length;
        good = gcm_open(context, &raw, text, &length);
        if (good)
            buf_add_bytes(plain, (const char *)text, (size_t)length);
        OPENSSL_cleanse(text, raw.bytes);
        free(text);
    }
    EVP_CIPHER_CTX_free(context);
    buf_release(&raw);
    ERR_clear_error();
    return good;
}

char *aes256gcm_seal(const struct sealing *sealing, const void *plain, size_t bytes)
{
    FD_ASSERT(bytes < INT_MAX / 4);
    EVP_CIPHER_CTX *context = gcm_begin(sealing, 1);
    if (!context)
        return NULL;
    unsigned char *out = xmalloc(bytes + GCM_TAG_BYTES);
    int length = 0, more = 0;
    bool good = EVP_CipherUpdate(context, out, &length, plain, (int)bytes) == 1 &&
                EVP_CipherFinal_ex(context, out + length, &more) == 1 &&
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, GCM_TAG_BYTES, out + bytes) == 1;
    EVP_CIPHER_CTX_free(context);
    char *sealed = good ? base64_encode(out, bytes + GCM_TAG_BYTES) : NULL;
    free(out);
    ERR_clear_error();
    return sealed;
}
