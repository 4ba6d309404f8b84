/* WeChat Pay API v3 as the platform speaks it. Source: facts/payments A. Under the box's lock. */
#ifndef FD_SANDBOX_WECHAT_H
#define FD_SANDBOX_WECHAT_H
#include "sandbox/box.h"
#include "sandbox/web.h"

/* The object of a query (A8). `told` : the state to tell, NULL the true one. New. */
struct tree *wechat_trade_tree(const struct box *box, const struct trade *trade, const char *told);
/* The plain text of a refund's notification (A11). New. */
struct tree *wechat_refund_notice_tree(struct box *box, const struct refund *refund);
/* {algorithm, nonce, associated_data, ciphertext} of the text; `original_type` NULL: a certificate. New. */
struct tree *wechat_sealed_tree(const struct box *box, const char *text, const char *associated_data,
                                const char *original_type);

struct wechat_signature {
    char timestamp[24], nonce[33];
    char serial[SERIAL_BYTES];
    char *signature; /* xmalloc'ed */
};
/* Signs a body for the merchant, with what struck it; `serial` is the one asked for, "" the platform's choice. */
void wechat_sign(const struct box *box, const char *serial, const char *body, const struct strike *strike,
                 struct wechat_signature *signature);
/* Checks the request's signature (A2): NULL, or what is wrong. Static. */
const char *wechat_check_signature(const struct box *box, const struct request *request);

/* A call that has passed the gate. */
struct wechat_call {
    struct box *box;
    const struct request *request;
    struct answer *answer;
    const struct strike *strike;
    const struct tree *in; /* the body, NULL none */
    char part[70];         /* the number in the path */
};
/* {"code","message"}. */
void wechat_refuse(struct answer *answer, int status, const char *code, const char *message);
void wechat_create(struct wechat_call *call);
void wechat_query(struct wechat_call *call);
void wechat_query_id(struct wechat_call *call);
void wechat_close(struct wechat_call *call);
void wechat_refund(struct wechat_call *call);
void wechat_refund_query(struct wechat_call *call);
void wechat_refund_abnormal(struct wechat_call *call);
void wechat_certificates(struct wechat_call *call);
#endif
