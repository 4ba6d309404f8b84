/* Alipay's gateway.do as the platform speaks it. Source: facts/payments B. Under the box's lock. */
#ifndef FD_SANDBOX_ALIPAY_H
#define FD_SANDBOX_ALIPAY_H
#include "sandbox/box.h"
#include "sandbox/web.h"

/* A call that has passed the gate. */
struct alipay_call {
    struct box *box;
    const struct strike *strike;
    const struct form *form;
    const struct tree *in; /* biz_content */
    struct tree *out;      /* the response object; what the call fills */
};
/* Puts code, msg and what went wrong. */
void alipay_refuse(struct tree *out, const char *code, const char *sub_code, const char *sub_msg);

void alipay_precreate(struct alipay_call *call);
void alipay_query(struct alipay_call *call);
void alipay_close(struct alipay_call *call);
void alipay_cancel(struct alipay_call *call);
void alipay_refund(struct alipay_call *call);
void alipay_refund_query(struct alipay_call *call);

/* WAIT_BUYER_PAY …; static. */
const char *alipay_status(const struct trade *trade);
/* The fields of a notification, signed with `key`, as a form. xmalloc'ed. */
char *alipay_notice_form(const struct box *box, const struct notice *notice, const struct trade *trade,
                         const struct crypto_key *key);
#endif
