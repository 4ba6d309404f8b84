/* A merchant at both channels, and what the channels would sign: for tests without a network. */
#ifndef FD_TESTS_OUTSIDE_MERCHANT_H
#define FD_TESTS_OUTSIDE_MERCHANT_H
#include "base/unit.h"
#include "outside/channel.h"
#include "outside/crypto.h"

#define MCHID         "1900007291"
#define APPID         "wxd678efh567hg6787"
#define APP_ID        "2019073166072302"
#define SELLER_ID     "2088531891668739"
#define APIV3_KEY     "a7cde1ZJB1kG2e7VfTs3jQzaWizur8Gb"
#define PUBLIC_KEY_ID "PUB_KEY_ID_0119000072912024"
#define CERT_SERIAL   "5F1C72E2A8931B72A2E13AF8DEE92471EB397115"
#define FRESH_SERIAL  "440024045C4A427599D09BB4E3DE0279F2E813FD"

struct merchant {
    struct crypto_key *own;      /* ours: signs requests */
    struct crypto_key *platform; /* WeChat Pay's public key, and Alipay's */
    struct crypto_key *elder;    /* of WeChat Pay's certificate */
    struct crypto_key *fresh;    /* of a certificate that came later: not in the file */
    struct channels *channels;
    struct channel *wechat, *alipay; /* borrowed */
};
/* Keys into the scratch folder (scratch_make comes first), once for the whole program; channels.conf that names them.
 * `wechat_base`, `alipay_base` NULL: the real addresses, which no test calls. */
void merchant_open(struct merchant *merchant, const char *wechat_base, const char *alipay_base);
void merchant_close(struct merchant *merchant); /* keeps the keys for the next one */
void merchant_end(void);                        /* frees them */
/* Writes channels.conf and returns its path. `wechat`, `alipay`: the lines of the sections, NULL no such section. */
const char *merchant_file(const char *wechat, const char *alipay);
/* The lines of a good file. */
char *merchant_wechat_lines(const char *base); /* xmalloc'ed */
char *merchant_alipay_lines(const char *base); /* xmalloc'ed */

/* How a text of WeChat Pay's is signed; zeroes are good. */
struct seal {
    const char *serial;           /* NULL: the public key's id */
    const struct crypto_key *key; /* NULL: the one of the serial */
    int64_t at;                   /* seconds since 1970; 0 now */
    bool probe;                   /* the signature is WeChat's probe */
};
/* Wechatpay-* lines ("Name: value\r\n") over the body; xmalloc'ed. */
char *merchant_seal(const struct merchant *merchant, const struct seal *seal, const char *body);
/* The body of a notification around `plain`; xmalloc'ed. */
char *merchant_event(const char *id, const char *type, const char *plain);
/* The answer to GET /v3/certificates with the fresh certificate; xmalloc'ed. */
char *merchant_certificates(const struct merchant *merchant);
/* A form as Alipay posts it: "name=value" lines joined by "&", raw, are signed, encoded, and get sign_type and sign;
 * xmalloc'ed. */
char *merchant_form(const struct merchant *merchant, const char *text);
/* {"<name>":node,"sign":"…"}; xmalloc'ed. */
char *merchant_node(const struct merchant *merchant, const char *name, const char *node);
#endif
