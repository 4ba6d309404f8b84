/* Keys and certificates: what merchants get from the portals, in all the shapes that the portals' tools write. */
#include <ctype.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "outside/crypto.h"
#include "outside/crypto_internal.h"

#define KEY_BITS          2048
#define CERTIFICATE_YEARS 5

/* A struct crypto_key is an EVP_PKEY: the type exists only so that nobody else sees OpenSSL. */
EVP_PKEY *crypto_key_evp(const struct crypto_key *key)
{
    union {
        const struct crypto_key *key;
        EVP_PKEY *evp;
    } same = {.key = key};
    return same.evp;
}

static struct crypto_key *accepted(EVP_PKEY *evp)
{
    ERR_clear_error();
    if (evp && EVP_PKEY_get_base_id(evp) == EVP_PKEY_RSA && EVP_PKEY_get_bits(evp) >= KEY_BITS)
        return (struct crypto_key *)evp;
    EVP_PKEY_free(evp);
    return NULL;
}

static BIO *reading(const char *text)
{
    BIO *bio = BIO_new_mem_buf(text, -1);
    if (!bio)
        mem_exhausted();
    return bio;
}

/* A key with a password must fail instead of asking at the terminal. */
static int no_password(char *out, int bytes, int writing, void *arg)
{
    (void)out, (void)bytes, (void)writing, (void)arg;
    return -1;
}

/* Bare Base64, whatever its lines, as DER. */
static bool bare_der(const char *text, struct buf *der)
{
    char *packed = xmalloc(strlen(text) + 1), *out = packed;
    for (const char *at = text; *at; at++)
        if (!isspace((unsigned char)*at))
            *out++ = *at;
    *out = '\0';
    bool good = base64_decode(packed, der);
    OPENSSL_cleanse(packed, strlen(packed));
    free(packed);
    return good;
}

/* A damaged file can still parse: its key would fail at the first payment. */
static bool signs(EVP_PKEY *evp)
{
    static const unsigned char text[] = "frontdesk";
    unsigned char signature[2048];
    size_t bytes = sizeof signature;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context)
        mem_exhausted();
    bool good = EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, evp) == 1 &&
                EVP_DigestSign(context, signature, &bytes, text, sizeof text) == 1 && EVP_MD_CTX_reset(context) == 1 &&
                EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, evp) == 1 &&
                EVP_DigestVerify(context, signature, bytes, text, sizeof text) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return good;
}

struct crypto_key *crypto_key_private(const char *text)
{
    EVP_PKEY *evp = NULL;
    struct buf der = {0};
    if (strstr(text, "-----BEGIN")) {
        BIO *bio = reading(text);
        evp = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
        BIO_free(bio);
    } else if (bare_der(text, &der)) {
        const unsigned char *at = (const unsigned char *)der.text;
        evp = d2i_AutoPrivateKey(NULL, &at, (long)der.bytes);
        OPENSSL_cleanse(der.text, der.bytes);
    }
    buf_release(&der);
    struct crypto_key *key = accepted(evp);
    if (key && !signs(evp))
        crypto_key_free(&key);
    return key;
}

struct crypto_key *crypto_key_public(const char *text)
{
    EVP_PKEY *evp = NULL;
    struct buf der = {0};
    if (strstr(text, "-----BEGIN")) {
        BIO *bio = reading(text);
        X509 *certificate = strstr(text, "BEGIN CERT") ? PEM_read_bio_X509(bio, NULL, no_password, NULL) : NULL;
        evp = certificate ? X509_get_pubkey(certificate) : PEM_read_bio_PUBKEY(bio, NULL, no_password, NULL);
        X509_free(certificate);
        BIO_free(bio);
    } else if (bare_der(text, &der)) {
        const unsigned char *at = (const unsigned char *)der.text;
        evp = d2i_PUBKEY(NULL, &at, (long)der.bytes);
    }
    buf_release(&der);
    return accepted(evp);
}

void crypto_key_free(struct crypto_key **key)
{
    if (!key || !*key)
        return;
    EVP_PKEY_free(crypto_key_evp(*key));
    *key = NULL;
}

struct crypto_key *crypto_key_new(void)
{
    struct crypto_key *key = accepted(EVP_RSA_gen(KEY_BITS));
    if (!key)
        mem_exhausted();
    return key;
}

static char *written(BIO *bio, int done)
{
    char *text;
    long bytes = bio && done == 1 ? BIO_get_mem_data(bio, &text) : 0;
    if (bytes <= 0)
        mem_exhausted();
    struct buf copy = {0};
    buf_add_bytes(&copy, text, (size_t)bytes);
    BIO_free(bio);
    return buf_take(&copy);
}

char *crypto_key_private_pem(const struct crypto_key *key)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    return written(bio, bio ? PEM_write_bio_PKCS8PrivateKey(bio, crypto_key_evp(key), NULL, NULL, 0, NULL, NULL) : 0);
}

char *crypto_key_public_pem(const struct crypto_key *key)
{
    BIO *bio = BIO_new(BIO_s_mem());
    return written(bio, bio ? PEM_write_bio_PUBKEY(bio, crypto_key_evp(key)) : 0);
}

/* ---- certificates ---- */

static bool copy_serial(const X509 *certificate, char serial[SERIAL_BYTES])
{
    BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), NULL);
    char *hex = number ? BN_bn2hex(number) : NULL;
    bool fits = hex && strlen(hex) < SERIAL_BYTES && hex[0] != '-';
    if (fits)
        cut_copy(serial, SERIAL_BYTES, hex);
    OPENSSL_free(hex);
    BN_free(number);
    return fits;
}

bool certificate_serial(const char *pem, char serial[SERIAL_BYTES])
{
    BIO *bio = reading(pem);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, no_password, NULL);
    bool good = certificate && X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0 &&
                X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 && copy_serial(certificate, serial);
    X509_free(certificate);
    BIO_free(bio);
    ERR_clear_error();
    return good;
}

static bool fill_certificate(X509 *certificate, EVP_PKEY *evp, const char *serial)
{
    BIGNUM *number = NULL;
    static const unsigned char name[] = "frontdesk sandbox";
    X509_NAME *subject = X509_get_subject_name(certificate);
    bool done = BN_hex2bn(&number, serial) == (int)strlen(serial) &&
                BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) &&
                X509_set_version(certificate, X509_VERSION_3) == 1 &&
                X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) &&
                X509_time_adj_ex(X509_getm_notAfter(certificate), CERTIFICATE_YEARS * 365, 0, NULL) &&
                X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
                X509_set_issuer_name(certificate, subject) == 1 && X509_set_pubkey(certificate, evp) == 1 &&
                X509_sign(certificate, evp, EVP_sha256()) > 0;
    BN_free(number);
    return done;
}

char *certificate_new(const struct crypto_key *key, const char *serial)
{
    X509 *certificate = X509_new();
    BIO *bio = BIO_new(BIO_s_mem());
    if (!certificate || !bio)
        mem_exhausted();
    if (!fill_certificate(certificate, crypto_key_evp(key), serial))
        FD_BUG("no certificate with the serial %s can be made", serial);
    char *pem = written(bio, PEM_write_bio_X509(bio, certificate));
    X509_free(certificate);
    return pem;
}
