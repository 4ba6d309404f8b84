/* A merchant of the sandbox: signs and verifies with code of its own, and listens for notifications. */
#ifndef FD_TESTS_SANDBOX_KIT_H
#define FD_TESTS_SANDBOX_KIT_H
#include "base/unit.h"
#include "outside/crypto.h"
#include "outside/http.h"
#include "outside/tree.h"
#include "support/sandbox.h"

struct kit {
    struct sandbox sandbox;
    struct tree *merchant; /* merchant.json */
    struct crypto_key *own, *platform, *certified, *app, *alipay;
    struct http *http;
    int sequence; /* of numbers */
};
extern struct kit kit;
void kit_start(const char *const *options); /* in the scratch folder */
void kit_end(void);
const char *kit_text(const char *name); /* of merchant.json */

/* What came back. */
enum proof { PROOF_NONE, PROOF_FINE, PROOF_BAD };
struct reply {
    enum http_end end;
    long status;
    char code[64];    /* WeChat's code, Alipay's sub_code or code */
    enum proof proof; /* PROOF_NONE: no signature at all */
    struct buf headers, body;
    struct tree *tree; /* WeChat's body, Alipay's response object; NULL none */
};
void reply_free(struct reply *reply);

/* How a request of WeChat Pay differs from a right one; zeroed: not at all. */
struct twist {
    const struct crypto_key *key; /* signs instead */
    const char *serial, *mchid, *no_header /* left out */, *signed_body /* signed instead of the one sent */;
    const char *platform_serial; /* Wechatpay-Serial */
    int64_t skew_s;
};
struct reply wechat(const char *method, const char *path, const char *body, const struct twist *twist);
/* As above, with a printf. */
struct reply wechat_post(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct reply wechat_get(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Orders 80.00 at WeChat under `number`; the code into `code`. */
void wechat_order(const char *number, char code[128]);
const char *fresh(const char *prefix); /* a new number; static, 64 at a time */

struct reply alipay(const char *method, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Orders 80.00 at Alipay under `number`; the code into `code`. */
void alipay_order(const char *number, char code[128]);
/* The next is signed with this key; NULL the application's. */
extern const struct crypto_key *alipay_key;

/* Checks status and code, frees. */
void expect_reply(struct reply reply, long status, const char *code);
#define expect_text(tree, key, text) assert_string_equal(tree_get_text((tree), (key)), (text))

/* A merchant's server for notifications at 127.0.0.1. */
struct mailbox {
    int fd, port;
    int answer;       /* the status that it gives */
    const char *body; /* and the body */
};
void mailbox_open(struct mailbox *mailbox);
void mailbox_close(struct mailbox *mailbox);
struct mail {
    char *headers, *body; /* NULL: nothing came within the time */
    char path[64];
};
struct mail mailbox_take(struct mailbox *mailbox, int wait_ms);
void mail_free(struct mail *mail);
/* WeChat: the decrypted resource, NULL where the signature is wrong; the event into `event`. */
struct tree *mail_open(const struct mail *mail, char event[64]);
#endif
